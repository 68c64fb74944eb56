import { open } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { sampleArchive } from '../../support/sample-archive.ts'
import { until } from '../../support/watching.ts'

/** Holds every write of large files until the test says otherwise. Returns how many are held. */
async function holdWrites() {
  const handle = await open('/dev/null')
  const prototype = Object.getPrototypeOf(handle) as typeof handle
  await handle.close()
  const writev = Reflect.get(prototype, 'writev') as (...args: unknown[]) => ReturnType<typeof handle.writev>
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let held = 0
  const slow = async function (this: typeof handle, ...args: unknown[]) {
    held += 1
    await released
    held -= 1
    return writev.apply(this, args)
  }
  Object.assign(prototype, { writev: slow })
  onTestFinished(() => void Object.assign(prototype, { writev }))
  return { count: () => held, release }
}

test('a disk that is slower than the network lets as many files wait for it as are downloaded', async () => {
  const archive = await sampleArchive({
    projects: 1,
    checklistsPerProject: 1,
    statuses: ['completed'],
    photosPerQuestion: 6,
    photoBytes: 600_000,
  })
  const writes = await holdWrites()
  const syncing = archive.sync({ concurrency: 3 })
  // Three that left their slots, and three that keep them.
  await until('files wait for the disk', () => writes.count() === 6)
  // Others would arrive within some turns of the event loop.
  for (let turn = 0; turn < 500; turn += 1) await nextTurn()
  expect(writes.count()).toBe(6)
  writes.release()
  const { failures, filesDownloaded } = await syncing
  expect([failures, filesDownloaded > 20]).toEqual([[], true])
})
