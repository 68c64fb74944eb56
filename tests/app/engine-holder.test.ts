import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createEngine } from '../../electron/engine/create-engine.ts'
import { EngineHolder, type OpenedEngine } from '../../electron/app/engine-holder.ts'
import { lockDataFolder } from '../../electron/engine/store/data-folder-lock.ts'
import { systemClock } from '../../electron/engine/lib/system-clock.ts'
import { archivedHashes, sampleArchive, servedHashes } from '../support/sample-archive.ts'
import { until } from '../support/watching.ts'
import { silentLogger } from '../support/silent-logger.ts'

const silent = () => undefined

/** Opens engines on one data folder; each locks it, so two at a time fail. */
async function holding() {
  const archive = await sampleArchive({ projects: 2, checklistsPerProject: 2, statuses: ['completed'] })
  await archive.withEngine(() => Promise.resolve())
  const holder = new EngineHolder()
  const opened: number[] = []
  const open =
    (concurrency: number, beforeClose = () => Promise.resolve()) =>
    async (): Promise<OpenedEngine> => {
      const engine = createEngine(
        {
          serviceUrl: archive.service.url,
          homeFolder: archive.home,
          archiveFolder: archive.root,
          apiCallsPerMinute: 0,
          concurrency,
        },
        {
          clock: systemClock,
          logger: silentLogger,
          secrets: { accessToken: () => Promise.resolve(archive.service.token) },
        },
      )
      opened.push(concurrency)
      const close = async () => {
        try {
          await beforeClose()
        } finally {
          await engine.close()
        }
      }
      return Promise.resolve({ engine, close })
    }
  onTestFinished(() => holder.replace(undefined).catch(silent))
  return { archive, holder, open, opened }
}

test('an engine stops its work before the next one opens, and the watch continues with that', async () => {
  const { archive, holder, open } = await holding()
  await holder.replace(open(1))
  const first = holder.require()
  const stop = new AbortController()
  const watched = holder.run(stop.signal)
  await until('the first has files', () => archivedHashes(archive.root).length > 0)
  const stopped = expect(first.sync()).rejects.toMatchObject({ code: 'cancelled' })
  await holder.replace(open(2))
  expect(holder.require()).not.toBe(first)
  await stopped
  const all = await servedHashes(archive.service)
  await until('all is archived', () => archivedHashes(archive.root).length === all.length)
  expect(archivedHashes(archive.root)).toEqual(all)
  stop.abort()
  await watched
})

test('simultaneous replacements wait for each other, and the last one stays', async () => {
  const { archive, holder, open, opened } = await holding()
  const present: (boolean | undefined)[] = []
  holder.follow((engine) => void present.push(engine !== undefined))
  await Promise.all([1, 2, 3, 4].map((concurrency) => holder.replace(open(concurrency))))
  expect(opened).toEqual([1, 2, 3, 4])
  expect(present).toEqual([false, false, true, false, true, false, true, false, true])
  expect(() => lockDataFolder(archive.home)).toThrow(expect.objectContaining({ code: 'data-folder-locked' }) as Error)
  await holder.replace(undefined)
  expect(() => holder.require()).toThrow(expect.objectContaining({ code: 'setup-needed' }) as Error)
  lockDataFolder(archive.home).release()
})

test('an engine that fails to close is reported, blocks nothing, and the next attempt opens one', async () => {
  const { holder, open, opened } = await holding()
  const broken = new Error('The sample service does not end')
  await holder.replace(open(1, () => Promise.reject(broken)))
  const watched = holder.run(new AbortController().signal)
  const second = holder.replace(open(2))
  const third = holder.replace(open(3))
  await expect(second).rejects.toBe(broken)
  await expect(watched).rejects.toMatchObject({ code: 'internal', cause: broken })
  await third
  expect(opened).toEqual([1, 3])
  expect(holder.require().projects.list()).toHaveLength(2)
})

test('an engine that cannot be opened is reported, and does not prevent later ones', async () => {
  const { archive, holder, open } = await holding()
  const other = lockDataFolder(archive.home)
  await expect(holder.replace(open(1))).rejects.toMatchObject({ code: 'data-folder-locked' })
  expect(() => holder.require()).toThrow(expect.objectContaining({ code: 'data-folder-locked' }) as Error)
  await expect(holder.run(new AbortController().signal)).rejects.toMatchObject({ code: 'data-folder-locked' })
  other.release()
  await holder.replace(open(2))
  expect(holder.require().projects.list()).toHaveLength(2)
})

test('a database whose shutdown marker cannot be written is still released to the next engine', async () => {
  const { archive, holder, open } = await holding()
  await holder.replace(open(1))
  // As on a full disk, the marker cannot be written: a folder has its name.
  const marker = join(archive.home, 'solarchive.sqlite3.closed')
  expect(existsSync(marker)).toBe(false)
  mkdirSync(marker)
  await holder.replace(undefined)
  rmSync(marker, { recursive: true })
  await holder.replace(open(2))
  expect(holder.require().projects.list()).toHaveLength(2)
})
