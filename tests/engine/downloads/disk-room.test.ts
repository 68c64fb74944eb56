import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { createDiskRoom } from '../../../electron/engine/downloads/disk-room.ts'
import { freeSpaceOf } from '../../../electron/engine/lib/fs/free-space.ts'

const never = new AbortController().signal

async function freeBytes(): Promise<number> {
  return (await freeSpaceOf(tmpdir()))?.freeBytes ?? 0
}

it('the error for a file larger than the free space says what it needs, what is free, and what to do', async () => {
  const refused = createDiskRoom(tmpdir())((await freeBytes()) * 2, never)
  await expect(refused).rejects.toMatchObject({ code: 'file-too-large' })
  await expect(refused).rejects.toThrow(/This file needs \d+ MB, .+ has \d+ MB for it.+Free at least \d+ MB more/)
})

it('a file that would fit but for another download waits until that one has ended', async () => {
  const roomFor = createDiskRoom(tmpdir())
  const bytes = (await freeBytes()) * 0.6
  const release = await roomFor(bytes, never)
  let isGiven = false
  const second = roomFor(bytes, never).then((release) => {
    isGiven = true
    return release
  })
  // Small files do not wait for it.
  const releaseSmall = await roomFor(1000, never)
  releaseSmall()
  expect(isGiven).toBe(false)
  release()
  await second
})

it('a wait for space can be aborted', async () => {
  const roomFor = createDiskRoom(tmpdir())
  const bytes = (await freeBytes()) * 0.6
  await roomFor(bytes, never)
  const stop = new AbortController()
  const waiting = roomFor(bytes, stop.signal)
  stop.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
})

it('a disk that reports no sizes accepts every file', async () => {
  await createDiskRoom('/no/such/folder')(1e15, never)
})
