import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { promises, readdirSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ArchiveFolders } from '../../../electron/engine/archive/archive-folders.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { ProjectLocks } from '../../../electron/engine/lib/project-locks.ts'
import { recordDamage } from '../../../electron/engine/integrity/findings.ts'
import { verifyPass } from '../../../electron/engine/integrity/verify-pass.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { flipBit } from '../../support/flip-bit.ts'
import { readFiles, sampleArchive, shareArchive, type SampleArchive } from '../../support/sample-archive.ts'

const engineFile = (name: string) => JSON.stringify(new URL(`../../../electron/engine/${name}`, import.meta.url).href)

/** Kills itself in a verify, with a clock that makes it save its progress every few files. */
const killedPass = `
  import { ArchiveFolders } from ${engineFile('archive/archive-folders.ts')}
  import { createStore } from ${engineFile('store/create-store.ts')}
  import { ProjectLocks } from ${engineFile('lib/project-locks.ts')}
  import { verifyPass } from ${engineFile('integrity/verify-pass.ts')}
  const [home, root] = process.argv.slice(1)
  let elapsedMs = 0
  const parts = {
    store: createStore(home + '/solarchive.sqlite3'),
    folders: new ArchiveFolders(root),
    clock: { nowMs: Date.now, monotonicMs: () => (elapsedMs += 250) },
    logger: console,
    locks: new ProjectLocks(),
  }
  const onProgress = ({ filesDone }) => filesDone === 120 && process.kill(process.pid, 'SIGKILL')
  await verifyPass(parts, { repair: false, signal: new AbortController().signal, onProgress })`

/** About 325 files in two projects. */
async function archiveOf(options = {}, onDone?: Parameters<typeof sampleArchive>[2]): Promise<SampleArchive> {
  const site = {
    projects: 2,
    checklistsPerProject: 2,
    photoQuestionsPerChecklist: 4,
    photosPerQuestion: 10,
    statuses: ['completed'],
    awkwardNames: false,
    ...options,
  } as const
  const archive = await sampleArchive(site, undefined, onDone)
  expect((await archive.sync()).failures).toEqual([])
  return archive
}

const pristineArchive = shareArchive((onDone) => archiveOf({}, onDone))

/** Verifies the archive as the engine does, and stops once this many files are done. */
async function stopAfter(archive: SampleArchive, files: number): Promise<void> {
  const store = createStore(join(archive.home, 'solarchive.sqlite3'))
  const stop = new AbortController()
  const nothing = () => Promise.reject(new Error('Nothing is to be fetched'))
  const quiet = () => undefined
  const parts = {
    store,
    folders: new ArchiveFolders(archive.root),
    clock: systemClock,
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet, showMessage: quiet },
    downloads: { processQueue: nothing },
    askService: nothing,
    locks: new ProjectLocks(),
  }
  try {
    const verifying = verifyPass(parts, {
      repair: false,
      signal: stop.signal,
      onProgress: ({ filesDone }) => filesDone === files && stop.abort(new Error('enough')),
    })
    await expect(verifying).rejects.toMatchObject({ code: 'cancelled' })
  } finally {
    store.close()
  }
}

/** Paths read and found intact in the current run, or in the last one. */
function markedPaths(archive: SampleArchive): string[] {
  const db = new Database(join(archive.home, 'solarchive.sqlite3'), { readonly: true })
  try {
    const run = db.prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'verify-run'").get()
    const { startedAt } = JSON.parse(run?.value ?? '{}') as { startedAt?: string }
    return db
      .prepare<[string], { path: string }>('SELECT path FROM assets WHERE verified_at = ? ORDER BY id')
      .all(startedAt ?? '')
      .map(({ path }) => path)
  } finally {
    db.close()
  }
}

const verify = (archive: SampleArchive) => archive.withEngine((engine) => engine.verify())

describe('a verify that was stopped', () => {
  it('resumes, and reports on the whole archive', async () => {
    const archive = pristineArchive()
    const whole = await verify(archive)
    expect(whole).toMatchObject({ resumedFrom: null, alreadyRead: 0, missing: [], changed: [] })

    await stopAfter(archive, 100)
    const read = markedPaths(archive)
    expect(whole.checked).toBeGreaterThan(300)
    // Two are read at a time, and the two documents of the first project are not assets.
    expect([97, 98, 99]).toContain(read.length)
    const { checked, ok } = whole
    const resumed = await verify(archive)
    expect(resumed).toMatchObject({ checked, ok, missing: [], changed: [], unexpected: [] })
    expect(resumed.resumedFrom).not.toBeNull()
    expect(resumed.alreadyRead).toBe(read.length + 2)
    const last = await archive.withEngine((engine) => Promise.resolve(engine.lastVerify()))
    // What was archived before it was resumed was read.
    const times = [resumed.resumedFrom ?? '', last?.startedAt ?? '', last?.endedAt ?? '']
    expect(times).toEqual([...new Set(times)].sort())
    expect(await verify(archive)).toMatchObject({ resumedFrom: null, alreadyRead: 0, checked })
  })

  it('resumes after a verify of one project, which is not the last verify', async () => {
    const archive = pristineArchive()
    const whole = await verify(archive)
    await stopAfter(archive, 100)
    const read = markedPaths(archive)
    const [flipped = ''] = read
    flipBit(join(archive.root, flipped))
    const [first, second] = archive.service.projects.map(({ id }) => id)
    await archive.withEngine(async (engine) => {
      const last = engine.lastVerify()
      const parts = [await engine.verify({ projectIds: [first!] }), await engine.verify({ projectIds: [second!] })]
      // Every byte is read, also of files that the stopped verify had read.
      expect(parts.map(({ alreadyRead, resumedFrom }) => [alreadyRead, resumedFrom])).toEqual(Array(2).fill([0, null]))
      expect(parts.flatMap(({ changed }) => changed)).toEqual([flipped])
      expect(parts.reduce((sum, { checked }) => sum + checked, 0)).toBe(whole.checked)
      expect(engine.lastVerify()).toEqual(last)
      await expect(engine.verify({ projectIds: ['unknown'] })).rejects.toMatchObject({ code: 'not-found' })
    })
    expect(markedPaths(archive)).toEqual(read)
    const resumed = await verify(archive)
    expect(resumed).toMatchObject({ checked: whole.checked, ok: whole.ok - 1, missing: [], changed: [flipped] })
    // With the two documents of the first project, and without the damaged file.
    expect(resumed.alreadyRead).toBe(read.length + 1)
  })

  it('does not read files twice, but notices one that was deleted or truncated since', async () => {
    const archive = pristineArchive()
    await stopAfter(archive, 100)
    const [flipped = '', cut = '', gone = ''] = markedPaths(archive)
    flipBit(join(archive.root, flipped))
    truncateSync(join(archive.root, cut), 3)
    unlinkSync(join(archive.root, gone))
    expect(await verify(archive)).toMatchObject({ missing: [gone], changed: [cut] })
    // The next one reads every byte.
    expect(await verify(archive)).toMatchObject({ missing: [gone], changed: [cut, flipped].sort() })
  })

  it('reads a file again that was meanwhile found to be damaged', async () => {
    const archive = pristineArchive()
    await stopAfter(archive, 100)
    const [flipped = ''] = markedPaths(archive)
    flipBit(join(archive.root, flipped))
    const store = createStore(join(archive.home, 'solarchive.sqlite3'))
    const file = store.archivedFiles.assets(0, 1_000).find(({ path }) => path === flipped)
    if (file === undefined) throw new Error('The file is archived')
    store.transaction(() => recordDamage(store, [{ file, state: { errno: 'EACCES' } }], '2027-01-01T00:00:00.000Z'))
    store.close()
    expect(await verify(archive)).toMatchObject({ resumedFrom: expect.any(String) as string, changed: [flipped] })
    flipBit(join(archive.root, flipped))
    expect(await verify(archive)).toMatchObject({ missing: [], changed: [] })
    await archive.withEngine((engine) => Promise.resolve(expect(engine.catalog.damagedFiles()).toBe(0)))
  })

  it('reports its findings from before the stop again', async () => {
    const archive = pristineArchive()
    const photos = [...readFiles(archive.root).keys()].filter((path) => path.includes('/photos/')).sort()
    const [gone = ''] = photos
    // The last row of the first checklist checked, found before most of the others.
    unlinkSync(join(archive.root, gone))
    flipBit(join(archive.root, photos.at(-1) ?? ''))
    await stopAfter(archive, 100)
    await stopAfter(archive, 300)
    expect(await verify(archive)).toMatchObject({ missing: [gone], changed: [photos.at(-1)] })
  })

  it('finishes, however often it is stopped', async () => {
    const archive = await archiveOf({ photosPerQuestion: 3 })
    let before = 0
    for (const files of [3, 20, 21, 60, 100]) {
      await stopAfter(archive, files)
      expect(markedPaths(archive).length).toBeGreaterThanOrEqual(before)
      before = markedPaths(archive).length
    }
    expect(before).toBeGreaterThan(90)
    expect(await verify(archive)).toMatchObject({ alreadyRead: before + 4, missing: [], changed: [] })
  })

  it('reads a file that was replaced in between', async () => {
    const archive = pristineArchive()
    await stopAfter(archive, 320)
    for (const { checklists } of archive.service.projects) {
      for (const checklist of checklists) archive.service.replaceReport(checklist)
    }
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 4, failures: [] })
    for (const [path] of readFiles(archive.root)) {
      if (path.endsWith('/report.pdf') && !path.includes('/.versions/')) flipBit(join(archive.root, path))
    }
    expect((await verify(archive)).changed).toHaveLength(4)
  })

  it('is not what one beside another resumes, which reads every file itself', async () => {
    const archive = pristineArchive()
    await stopAfter(archive, 100)
    await archive.withEngine(async (engine) => {
      const [first, second] = await Promise.all([engine.verify(), engine.verify()])
      expect(first.resumedFrom).not.toBeNull()
      expect(second).toMatchObject({ resumedFrom: null, alreadyRead: 0, ok: first.ok, missing: [], changed: [] })
      expect(await engine.verify()).toMatchObject({ resumedFrom: null, alreadyRead: 0 })
    })
  })

  it('beside another one has to be verified again', async () => {
    await pristineArchive().withEngine(async (engine) => {
      const stop = new AbortController()
      const onProgress = () => stop.abort()
      const [first, second] = await Promise.allSettled([
        engine.verify(),
        engine.verify({ signal: stop.signal, onProgress }),
      ])
      expect(first.status).toBe('fulfilled')
      const reason = { code: 'cancelled', message: expect.stringMatching(/Nothing is lost; verify again\.$/) as string }
      expect(second).toMatchObject({ status: 'rejected', reason })
    })
  })

  it('by an error of the database is resumed, and not taken for one that still runs', async () => {
    const archive = pristineArchive()
    const database = new Database(join(archive.home, 'solarchive.sqlite3'))
    onTestFinished(() => void database.close())
    await archive.withEngine(async (engine) => {
      database.exec(
        "CREATE TRIGGER refuse BEFORE UPDATE OF verified_at ON assets BEGIN SELECT RAISE(ABORT, 'refused'); END",
      )
      await expect(engine.verify()).rejects.toThrow()
      database.exec('DROP TRIGGER refuse')
      expect(await engine.verify()).toMatchObject({ resumedFrom: expect.any(String) as string })
    })
  })

  it('at any step, also before the first file, says that it was stopped', async () => {
    const archive = pristineArchive()
    const stopped = { verify: 0, sync: 0 }
    await archive.withEngine(async (engine) => {
      for (const name of ['verify', 'sync'] as const) {
        for (let turns = 0; turns < 20; turns += 1) {
          const stop = new AbortController()
          const running = engine[name]({ signal: stop.signal }).catch((error: unknown) => error)
          for (let turn = 0; turn < turns; turn += 1) await setImmediate()
          stop.abort()
          const ended = await running
          if (!(ended instanceof Error)) continue
          expect(ended).toMatchObject({ code: 'cancelled' })
          stopped[name] += 1
        }
      }
    })
    expect(Math.min(stopped.verify, stopped.sync)).toBeGreaterThan(0)
  })

  it('by a kill resumes after the saved progress', async () => {
    const archive = pristineArchive()
    const child = spawn(process.execPath, ['--input-type=module', '-e', killedPass, archive.home, archive.root])
    onTestFinished(() => void child.kill('SIGKILL'))
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    expect([code, signal]).toEqual([null, 'SIGKILL'])
    const marked = markedPaths(archive).length
    expect(marked).toBeGreaterThan(80)
    expect(marked).toBeLessThan(120)
    const result = await verify(archive)
    expect(result).toMatchObject({ missing: [], changed: [], unexpected: [], alreadyRead: marked + 2 })
    expect(result.ok).toBe(result.checked)
  })
})

it('an archive of several projects is verified folder by folder, with unexpected files of each', async () => {
  const archive = pristineArchive()
  const strangers = readdirSync(archive.root).map((project) => `${project}/notes.txt`)
  for (const path of strangers) writeFileSync(join(archive.root, path), 'mine')
  expect(await verify(archive)).toMatchObject({ unexpected: strangers.sort(), missing: [], changed: [] })
})

it('a project folder with more files than a call takes arguments is verified', async () => {
  const archive = pristineArchive()
  const { opendir } = promises
  const isNot = () => false
  const copied = Array.from({ length: 150_000 }, (_, index) => ({
    name: `IMG_${index}.jpg`,
    isDirectory: isNot,
    isSymbolicLink: isNot,
    isFile: () => true,
  }))
  const listing = vi.spyOn(promises, 'opendir').mockImplementation(async (...options) => {
    const folder = await opendir(...options)
    async function* withCopied() {
      try {
        for (let entry = await folder.read(); entry !== null; entry = await folder.read()) {
          yield entry
          // Beside the checksums of a project.
          if (entry.name === 'SHA256SUMS') yield* copied.splice(0)
        }
      } finally {
        await folder.close()
      }
    }
    return Object.assign(folder, { [Symbol.asyncIterator]: withCopied })
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    listing.mockRestore()
    syncBuiltinESMExports()
  })
  const { unexpected, missing, changed } = await verify(archive)
  expect([unexpected.length, missing.length, changed.length]).toEqual([150_000, 0, 0])
})
