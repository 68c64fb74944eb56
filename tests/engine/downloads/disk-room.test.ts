import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createDiskRoom } from '../../../electron/engine/downloads/disk-room.ts'
import { freeSpaceOf } from '../../../electron/engine/lib/fs/free-space.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { canMount, makeSmallDisk } from '../../support/small-disk.ts'

const never = new AbortController().signal

async function freeBytes(): Promise<number> {
  return (await freeSpaceOf(tmpdir()))?.freeBytes ?? 0
}

it('the error for a file larger than the free space says what it needs, what is free, and what to do', async () => {
  const refused = createDiskRoom(tmpdir(), systemClock).reserve((await freeBytes()) * 2, never)
  await expect(refused).rejects.toMatchObject({ code: 'file-too-large' })
  await expect(refused).rejects.toThrow(/This file needs \d+ MB, .+ has \d+ MB for it.+Free at least \d+ MB more/)
})

it('a file that would fit but for another download waits until that one has ended', async () => {
  const room = createDiskRoom(tmpdir(), systemClock)
  const bytes = (await freeBytes()) * 0.6
  const release = await room.reserve(bytes, never)
  let isGiven = false
  const second = room.reserve(bytes, never).then((release) => {
    isGiven = true
    return release
  })
  // Small files do not wait for it.
  const releaseSmall = await room.reserve(1000, never)
  releaseSmall()
  expect(isGiven).toBe(false)
  release()
  await second
})

it('a wait for space can be aborted', async () => {
  const room = createDiskRoom(tmpdir(), systemClock)
  const bytes = (await freeBytes()) * 0.6
  await room.reserve(bytes, never)
  const stop = new AbortController()
  const waiting = room.reserve(bytes, stop.signal)
  stop.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
})

it('a disk that reports no sizes accepts every file', async () => {
  await createDiskRoom('/no/such/folder', systemClock).reserve(1e15, never)
})

it.runIf(canMount())('a full disk refuses every file, and is asked again after a second', async () => {
  const disk = makeSmallDisk(1000)
  onTestFinished(() => disk.remove())
  let nowMs = 0
  const room = createDiskRoom(disk.path, { monotonicMs: () => nowMs })
  writeFileSync(join(disk.path, 'file'), Buffer.alloc(1_010_000))
  await expect(room.requireAny()).rejects.toMatchObject({ code: 'disk-full' })
  disk.resize(2000)
  nowMs = 999
  await expect(room.requireAny()).rejects.toMatchObject({ code: 'disk-full' })
  nowMs = 1000
  await room.requireAny()
})
