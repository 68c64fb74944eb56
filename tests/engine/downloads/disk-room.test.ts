import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { createDiskRoom } from '../../../electron/engine/downloads/disk-room.ts'
import { freeSpaceOf } from '../../../electron/engine/lib/fs/free-space.ts'

const never = new AbortController().signal

async function freeBytes(): Promise<number> {
  return (await freeSpaceOf(tmpdir()))?.freeBytes ?? 0
}

it('a file larger than the free space is told with what it needs, what there is and what to do', async () => {
  const refused = createDiskRoom(tmpdir())((await freeBytes()) * 2, never)
  await expect(refused).rejects.toMatchObject({ code: 'file-too-large' })
  await expect(refused).rejects.toThrow(/This file needs \d+ MB, .+ has \d+ MB for it.+Free at least \d+ MB more/)
})

it('a file that would fit but for another one waits until that one has ended', async () => {
  const roomFor = createDiskRoom(tmpdir())
  const bytes = (await freeBytes()) * 0.6
  const giveBack = await roomFor(bytes, never)
  let isGiven = false
  const second = roomFor(bytes, never).then((release) => {
    isGiven = true
    return release
  })
  // Small ones do not wait for it.
  const giveSmallBack = await roomFor(1000, never)
  giveSmallBack()
  expect(isGiven).toBe(false)
  giveBack()
  await second
})

it('a wait for room can be stopped', async () => {
  const roomFor = createDiskRoom(tmpdir())
  const bytes = (await freeBytes()) * 0.6
  await roomFor(bytes, never)
  const stop = new AbortController()
  const waiting = roomFor(bytes, stop.signal)
  stop.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
})

it('a disk that tells no sizes takes every file', async () => {
  await createDiskRoom('/no/such/folder')(1e15, never)
})
