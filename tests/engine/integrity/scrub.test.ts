import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ArchiveFolders } from '../../../electron/engine/archive/archive-folders.ts'
import type { ScrubFinding } from '../../../electron/engine/lib/events.ts'
import type { Clock, Logger } from '../../../electron/engine/lib/ports.ts'
import { ProjectLocks } from '../../../electron/engine/lib/project-locks.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { createScrub, type ScrubOutcome } from '../../../electron/engine/integrity/scrub.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { errnoError } from '../archive/folder-test.ts'
import { failCalls } from '../../support/hooks/fail-calls.ts'
import { flipBit } from '../../support/flip-bit.ts'
import {
  checklistOf,
  readFiles,
  sampleArchive,
  shareArchive,
  type SampleArchive,
} from '../../support/sample-archive.ts'
import { expectTrueChecksums } from '../../support/true-checksums.ts'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs

/** Time that passes only while something waits; the wall clock can be set separately. */
class WaitingClock implements Clock {
  elapsedMs = 0
  offMs = Date.UTC(2027, 0, 1)
  nowMs = () => this.elapsedMs + this.offMs
  monotonicMs = () => this.elapsedMs
  sleep = (delayMs: number, signal?: AbortSignal) => {
    signal?.throwIfAborted()
    this.elapsedMs += delayMs
    return Promise.resolve()
  }
}

async function archiveOf(options = {}, onDone?: Parameters<typeof sampleArchive>[2]): Promise<SampleArchive> {
  const site = {
    projects: 2,
    checklistsPerProject: 2,
    statuses: ['completed'],
    awkwardNames: false,
    ...options,
  } as const
  const archive = await sampleArchive(site, undefined, onDone)
  expect((await archive.sync()).failures).toEqual([])
  return archive
}

const sharedArchive = shareArchive((onDone) => archiveOf({}, onDone))

/** A scrub of an archived sample in a process that does nothing else. */
function scrubbedArchive(archive = sharedArchive()) {
  const clock = new WaitingClock()
  const locks = new ProjectLocks()
  const found: ScrubFinding[] = []
  const logged: string[] = []
  const shown: string[] = []
  const quiet = () => undefined
  const logger: Logger = {
    debug: quiet,
    info: (message) => void logged.push(message),
    warn: quiet,
    error: quiet,
    showMessage: (message) => void shown.push(message),
  }
  const store = createStore(join(archive.home, 'solarchive.sqlite3'))
  onTestFinished(() => store.close())
  const start = () =>
    createScrub({
      folders: new ArchiveFolders(archive.root),
      store,
      clock,
      logger,
      locks,
      onFinding: (finding) => {
        // A pass that began meanwhile would change what the checksums are written from.
        expect(locks.isBusy(finding.projectId)).toBe(true)
        found.push(finding)
      },
    })
  let scrub = start()
  const signal = new AbortController().signal

  /** Runs it for some time; returns the outcome of every step. */
  async function work(forMs: number): Promise<ScrubOutcome[]> {
    const endMs = clock.elapsedMs + forMs
    const outcomes: ScrubOutcome[] = []
    while (clock.elapsedMs < endMs) {
      const outcome = await scrub.scrubNext(signal)
      outcomes.push(outcome)
      await clock.sleep(Math.max(outcome.nextInMs, 1_000))
    }
    return outcomes
  }
  /** Runs it for a whole round at the pace of a machine that was off for a month: ten times the steady one. */
  async function catchUp(): Promise<void> {
    // The first step starts the round.
    await work(1)
    clock.offMs += 30 * dayMs
    await work(4 * dayMs)
  }
  return { archive, clock, locks, found, logged, shown, store, work, catchUp, restart: () => (scrub = start()) }
}

/** When every file was last read, in days of the clock since the start; files never read are left out. */
function readDays(archive: SampleArchive, clock: WaitingClock): number[] {
  const db = new Database(join(archive.home, 'solarchive.sqlite3'), { readonly: true })
  const rows = db
    .prepare<[], { at: string }>(
      `SELECT verified_at AS at FROM assets WHERE verified_at IS NOT NULL UNION ALL
       SELECT document_verified_at FROM checklists WHERE document_verified_at IS NOT NULL UNION ALL
       SELECT verified_at FROM versions WHERE verified_at IS NOT NULL`,
    )
    .all()
  db.close()
  return rows.map(({ at }) => (Date.parse(at) - clock.offMs) / dayMs)
}

const filesRead = (outcomes: readonly ScrubOutcome[]) =>
  outcomes.reduce((sum, outcome) => sum + (outcome.kind === 'read' ? outcome.files : 0), 0)

function photosIn(archive: SampleArchive): string[] {
  return [...readFiles(archive.root).keys()].filter((path) => path.includes('/photos/')).sort()
}

/** An archive in which another installation replaced the last two photos, which the service has removed since. */
async function replacedByOther(): Promise<SampleArchive> {
  const archive = await archiveOf({ projects: 1, checklistsPerProject: 1 })
  const other = { homeFolder: join(dirname(archive.home), 'other') }
  await archive.sync(other)
  const replaced = photosOf(checklistOf(archive)).slice(-2)
  for (const photo of replaced) archive.service.replacePhoto(photo)
  await archive.sync(other)
  for (const photo of replaced) archive.service.removePhoto(photo)
  return archive
}

describe('the scrub', () => {
  it('restores the name of a renamed project folder, and finds nothing missing', async () => {
    const { archive, catchUp, found, store } = scrubbedArchive()
    const before = readFiles(archive.root)
    const [project = ''] = readdirSync(archive.root)
    renameSync(join(archive.root, project), join(archive.root, 'Another name'))
    await catchUp()
    expect(found).toEqual([])
    expect(store.jobs.listFailed(10)).toEqual([])
    expect(readFiles(archive.root)).toEqual(before)
  })

  it('leaves out a renamed project folder that cannot get its name back, says so once, and reads the rest', async () => {
    const { archive, catchUp, found, shown, store } = scrubbedArchive()
    const [project = '', other = ''] = readdirSync(archive.root)
    renameSync(join(archive.root, project), join(archive.root, 'Another name'))
    writeFileSync(join(archive.root, project), 'in its place')
    const damaged = photosIn(archive).find((path) => path.startsWith(`${other}/`)) ?? ''
    flipBit(join(archive.root, damaged))
    await catchUp()
    await catchUp()
    expect(found.map(({ path }) => path)).toEqual([damaged])
    expect(shown).toEqual([expect.stringContaining(`The folder "${project}" was renamed to "Another name"`)])
    expect(store.jobs.listFailed(10)).toEqual([])
    unlinkSync(join(archive.root, project))
    await catchUp()
    expect(readdirSync(archive.root)).toEqual([project, other])
  })

  it('records damage beside a checklist folder that cannot get its name back', async () => {
    const { archive, catchUp, found, store } = scrubbedArchive()
    const [photo = ''] = photosIn(archive)
    const [project = '', checklist = ''] = photo.split('/')
    const other =
      readdirSync(join(archive.root, project)).find((name) => name !== checklist && !name.includes('.')) ?? ''
    renameSync(join(archive.root, project, other), join(archive.root, project, 'Another name'))
    writeFileSync(join(archive.root, project, other), 'in its place')
    flipBit(join(archive.root, photo))
    await catchUp()
    expect(found.map(({ path }) => path)).toEqual([photo])
    expect(store.jobs.listFailed(10)).toEqual([])
    unlinkSync(join(archive.root, project, other))
    await catchUp()
    expect(readdirSync(join(archive.root, project))).toContain(other)
  })

  it('reads the whole archive in 30 days, a thirtieth per day, and then again', async () => {
    const { archive, clock, work, found, store } = scrubbedArchive()
    const files = readFiles(archive.root).size
    for (let day = 1; day <= 30; day += 1) {
      const read = filesRead(await work(dayMs))
      expect(read).toBeGreaterThan(files / 30 - 3)
      expect(read).toBeLessThan(files / 30 + 3)
    }
    // Checksum files have no read time.
    expect(readDays(archive, clock)).toHaveLength(files - 2)
    await work(30 * dayMs)
    expect(Math.min(...readDays(archive, clock))).toBeGreaterThan(29)
    expect(found).toEqual([])
    const all = { before: null, after: null, projectId: null, limit: 10 }
    const recorded = store.activity.list({ ...all, kinds: ['archive-read'] })
    expect(recorded.at(-1)?.facts).toBe(JSON.stringify({ since: new Date(clock.offMs).toISOString() }))
    expect(recorded.length).toBeLessThanOrEqual(2)
  })

  it('resumes after a restart', async () => {
    const { archive, clock, work, restart } = scrubbedArchive()
    const files = readFiles(archive.root).size
    let read = 0
    for (let hour = 0; hour < 30 * 24; hour += 1) {
      read += filesRead(await work(hourMs))
      restart()
    }
    expect(read).toBeLessThan(files + 5)
    expect(readDays(archive, clock).length).toBeGreaterThan(0.95 * (files - 2))
  })

  it.each([-3, 3])('continues evenly when the clock is set by %s days', async (days) => {
    const { archive, clock, work } = scrubbedArchive()
    const files = readFiles(archive.root).size
    await work(10 * dayMs)
    clock.offMs += days * dayMs
    const read = filesRead(await work(dayMs))
    expect(read).toBeGreaterThan(files / 30 - 3)
    // Three days behind, it reads their share and that of the day.
    expect(read).toBeLessThan((4 * files) / 30 + 3)
  })

  it('leaves the disk to others: it reads a large file at 8 MB per second at most', async () => {
    const { clock, catchUp } = scrubbedArchive(
      await archiveOf({ projects: 1, checklistsPerProject: 1, reportBytes: 9_000_000 }),
    )
    const slowest = { ms: 0 }
    const sleep = clock.sleep
    clock.sleep = (delayMs, signal) => {
      if (delayMs < 1_000) slowest.ms += delayMs
      return sleep(delayMs, signal)
    }
    await catchUp()
    expect(slowest.ms).toBeGreaterThan(1_000)
  })

  it('restores a damaged and a deleted file through the queue, and reports each once', async () => {
    const { archive, catchUp, found, logged } = scrubbedArchive()
    const [flipped = '', gone = ''] = photosIn(archive)
    const document = [...readFiles(archive.root).keys()].find((path) => path.endsWith('/checklist.json')) ?? ''
    const originals = readFiles(archive.root)
    const sums = `${document.split('/')[0]}/SHA256SUMS`
    // The records that name the file are rewritten because of it: damage to them is still reported.
    for (const path of [flipped, document, sums]) flipBit(join(archive.root, path))
    const theirs = readFileSync(join(archive.root, flipped))
    unlinkSync(join(archive.root, gone))
    await catchUp()
    expect(found.map(({ path, state, outcome }) => [path, state, outcome]).sort()).toEqual(
      [
        [document, 'changed', 'queued'],
        [sums, 'changed', 'queued'],
        [flipped, 'changed', 'queued'],
        [gone, 'missing', 'queued'],
      ].sort(),
    )
    expect(logged).toHaveLength(4)
    expectTrueChecksums(archive.root, [flipped, gone])
    expect([...readFiles(archive.root).values()]).toContainEqual(theirs)
    const status = await archive.withEngine((engine) => engine.status())
    expect(status.projects.flatMap(({ checklists }) => checklists).filter(({ complete }) => !complete)).toHaveLength(1)

    expect(await archive.sync()).toMatchObject({ filesDownloaded: 2, failures: [] })
    const after = readFiles(archive.root)
    for (const path of [flipped, gone]) expect(after.get(path)).toEqual(originals.get(path))
    expectTrueChecksums(archive.root)
    await catchUp()
    expect(found).toHaveLength(4)
    expect([...readFiles(archive.root).keys()].filter((path) => path.includes(' (edited '))).toHaveLength(3)
  })

  it.each([0, 1])('keeps the photos that another installation replaced, beside %s missing ones', async (count) => {
    const archive = await replacedByOther()
    const missing = photosIn(archive)
      .filter((path) => !path.includes('/.versions/'))
      .slice(0, count)
    for (const path of missing) unlinkSync(join(archive.root, path))
    const before = readFiles(archive.root)
    const { catchUp, found } = scrubbedArchive(archive)
    await catchUp()
    const after = readFiles(archive.root)
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort())
    for (const [path, bytes] of before) if (path.endsWith('.jpg')) expect(after.get(path), path).toEqual(bytes)
    expect(found.map(({ path }) => path).filter((path) => path.endsWith('.jpg'))).toEqual(missing)
    expectTrueChecksums(archive.root, missing)
  })

  it('keeps them also if too many files are open to read the list of the other installation', async () => {
    const archive = await replacedByOther()
    const { catchUp, found } = scrubbedArchive(archive)
    const [sums = ''] = [...readFiles(archive.root).keys()].filter((path) => path.endsWith('/SHA256SUMS'))
    const below = [join(archive.root, sums)]
    const end = await failCalls({ below, calls: ['descriptor'], from: 1, times: 3, what: 'EMFILE' })
    onTestFinished(() => void end())
    await catchUp()
    expect(end()).toBe(3)
    expect([...readFiles(archive.root).keys()].filter((path) => path.includes(' (edited '))).toEqual([])
    expect(found.filter(({ path }) => path.endsWith('.jpg'))).toEqual([])
  })

  it('quarantines an edited checklist.json beside photos that another installation replaced', async () => {
    const archive = await replacedByOther()
    const before = [...readFiles(archive.root).keys()]
    const document = before.find((path) => path.endsWith('/checklist.json')) ?? ''
    appendFileSync(join(archive.root, document), ' ')
    await scrubbedArchive(archive).catchUp()
    expect([...readFiles(archive.root).keys()].filter((path) => !before.includes(path))).toEqual([
      expect.stringMatching(/\/checklist \(edited [^)]*\)\.json$/),
    ])
  })

  it('leaves a damaged old version in its folder, and reports it', async () => {
    const { archive, catchUp, found } = scrubbedArchive()
    archive.service.replaceReport(checklistOf(archive))
    await archive.sync()
    const path = [...readFiles(archive.root).keys()].find((name) => name.includes('/.versions/')) ?? ''
    flipBit(join(archive.root, path))
    await catchUp()
    expect(found).toMatchObject([{ path, state: 'changed', outcome: { code: 'file-gone' } }])
    expect(existsSync(join(archive.root, path))).toBe(true)
    expect(await archive.withEngine((engine) => engine.verify())).toMatchObject({ changed: [path] })
  })

  it.each(['is not there', 'is an empty mount point'])('reports nothing as lost while the archive %s', async (name) => {
    const { archive, work, found, logged } = scrubbedArchive()
    const files = readFiles(archive.root).size
    await work(2 * dayMs)
    renameSync(archive.root, `${archive.root} unplugged`)
    if (name !== 'is not there') mkdirSync(archive.root)
    const away = await work(dayMs)
    expect(away.some(({ kind }) => kind === 'archive-away')).toBe(true)
    expect(filesRead(away)).toBe(0)
    expect([found, logged]).toEqual([[], []])
    if (name !== 'is not there') rmdirSync(archive.root)
    renameSync(`${archive.root} unplugged`, archive.root)
    expect(filesRead(await work(25 * dayMs))).toBeGreaterThan(0.75 * files)
    expect(found).toEqual([])
  })

  it.each(['EROFS', 'EACCES', 'EIO'])('records nothing while the archive folder fails with %s', async (code) => {
    const { archive, catchUp, work, found, store } = scrubbedArchive()
    const [photo = ''] = photosIn(archive)
    unlinkSync(join(archive.root, photo))
    const opening = vi.spyOn(promises, 'opendir').mockRejectedValue(errnoError(code))
    syncBuiltinESMExports()
    const restore = () => {
      opening.mockRestore()
      syncBuiltinESMExports()
    }
    onTestFinished(restore)
    let outcomes = await work(hourMs)
    for (let hour = 1; hour < 31 * 24 && !outcomes.some(({ kind }) => kind === 'archive-away'); hour += 1) {
      outcomes = await work(hourMs)
    }
    expect(outcomes.at(-1)).toMatchObject({ kind: 'archive-away' })
    expect([found, store.archivedFiles.lostAssets(checklistOf(archive).projectId)]).toEqual([[], []])
    restore()
    await catchUp()
    expect(found).toMatchObject([{ path: photo, state: 'missing', outcome: 'queued' }])
  })

  it('leaves out a removed project whose folder was deleted, until it is in the list again', async () => {
    const { archive, catchUp, found, store } = scrubbedArchive()
    const [removed] = store.projects.listAll()
    if (removed?.folder == null) throw new Error('The sample has no project')
    const { id, folder, name, address } = removed
    store.projects.remove(id, new Date().toISOString())
    rmSync(join(archive.root, folder), { recursive: true })
    await catchUp()
    expect(found).toEqual([])
    expect(existsSync(join(archive.root, folder))).toBe(false)
    expect(store.archivedFiles.lostAssets(id)).toEqual([])
    store.projects.put(id, name, address, new Date().toISOString())
    await catchUp()
    expect(new Set(found.map(({ path }) => path.split('/')[0]))).toEqual(new Set([folder]))
    expect(store.archivedFiles.lostAssets(id)).not.toEqual([])
  })

  it('finds the damage of a removed project whose drive was unplugged while it looked for the folder', async () => {
    const { archive, clock, work, found, store } = scrubbedArchive()
    const [photo = '', other = ''] = photosIn(archive)
    const project = store.projects.listAll().find(({ folder }) => photo.startsWith(`${folder}/`))
    store.projects.remove(project?.id ?? '', new Date().toISOString())
    unlinkSync(join(archive.root, photo))
    flipBit(join(archive.root, other))
    const unplugged = `${archive.root} unplugged`
    vi.spyOn(store.projects, 'isActive').mockImplementationOnce(() => {
      renameSync(archive.root, unplugged)
      mkdirSync(archive.root)
      return false
    })
    await work(1)
    clock.offMs += 30 * dayMs
    while (!existsSync(unplugged)) await work(hourMs)
    rmdirSync(archive.root)
    renameSync(unplugged, archive.root)
    await work(4 * dayMs)
    expect(found.map(({ path, state }) => [path, state]).sort()).toEqual([
      [photo, 'missing'],
      [other, 'changed'],
    ])
  })

  it('finds the damage of a removed project whose folder is there again', async () => {
    const { archive, clock, work, found, store } = scrubbedArchive()
    const [document = ''] = [...readFiles(archive.root).keys()].filter((path) => path.endsWith('/checklist.json'))
    const [folder = ''] = document.split('/')
    const project = store.projects.listAll().find((one) => one.folder === folder)
    store.projects.remove(project?.id ?? '', new Date().toISOString())
    renameSync(join(archive.root, folder), `${archive.root} parked`)
    const isActive = vi.spyOn(store.projects, 'isActive')
    await work(1)
    clock.offMs += 30 * dayMs
    while (isActive.mock.calls.length === 0) await work(hourMs)
    renameSync(`${archive.root} parked`, join(archive.root, folder))
    flipBit(join(archive.root, document))
    await work(4 * dayMs)
    expect(found.map(({ path }) => path)).toEqual([document])
  })

  it('defers findings in a project that is being synced', async () => {
    const { archive, work, found, locks, store } = scrubbedArchive()
    const [photo = ''] = photosIn(archive)
    flipBit(join(archive.root, photo))
    const pass = Promise.withResolvers<void>()
    const passes = store.projects.listAll().map(({ id }) => locks.run(id, () => pass.promise))
    let outcomes = await work(hourMs)
    for (let hour = 1; hour < 31 * 24 && !outcomes.some(({ kind }) => kind === 'busy'); hour += 1) {
      outcomes = await work(hourMs)
    }
    expect(outcomes.at(-1)).toMatchObject({ kind: 'busy' })
    expect([found, existsSync(join(archive.root, photo))]).toEqual([[], true])
    pass.resolve()
    await Promise.all(passes)
    await work(dayMs)
    expect(found).toMatchObject([{ path: photo, outcome: 'queued' }])
  })

  it('stops on its signal, and keeps its progress', async () => {
    const { archive, clock, store } = scrubbedArchive()
    const stop = new AbortController()
    const quiet = () => undefined
    const scrub = createScrub({
      folders: new ArchiveFolders(archive.root),
      store,
      clock,
      logger: { debug: quiet, info: quiet, warn: quiet, error: quiet, showMessage: quiet },
      locks: new ProjectLocks(),
    })
    await scrub.scrubNext(stop.signal)
    clock.elapsedMs += 10 * 60_000
    await scrub.scrubNext(stop.signal)
    stop.abort(new Error('enough'))
    await expect(scrub.scrubNext(stop.signal)).rejects.toThrow('enough')
    expect(readDays(archive, clock).length).toBeGreaterThan(0)
  })

  it('of an empty archive has nothing to do', async () => {
    const { work } = scrubbedArchive(await archiveOf({ projects: 0 }))
    expect(new Set((await work(dayMs)).map(({ kind }) => kind))).toEqual(new Set(['idle']))
  })
})
