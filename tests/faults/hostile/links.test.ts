import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyFolders, emptyOldFolder, MoveMeter, proveCopies, undoMove } from '../../../electron/app/move/move-steps.ts'
import type { MoveRecord } from '../../../electron/app/move/move-record.ts'
import type { Engine } from '../../../electron/engine/engine.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import type { SampleServiceOptions } from '../../../electron/sample-service/start-sample-service.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import type { SyncFailure } from '../../../shared/domain.ts'
import { AppError } from '../../../shared/errors.ts'
import { watchCalls } from '../../support/hooks/watch-calls.ts'
import { JumpingClock } from '../../support/jumping-clock.ts'
import { measureGrowth } from '../../support/live-memory.ts'
import { takeSnapshot, type Snapshot } from '../../support/record-snapshots.ts'
import {
  archivedHashes,
  readFiles,
  sampleArchive,
  type SampleArchive,
  servedHashes,
  sha256,
  shareArchive,
} from '../../support/sample-archive.ts'
import { startWatching, until } from '../../support/watching.ts'
import { loseDatabase } from '../../engine/recovery/whole-archive.ts'

const site = {
  projects: 2,
  checklistsPerProject: 1,
  photoQuestionsPerChecklist: 1,
  photosPerQuestion: 3,
  statuses: ['completed'],
  awkwardNames: false,
} as const

let growth: ReturnType<typeof measureGrowth>
beforeAll(() => (growth = measureGrowth(100)))
afterAll(() => {
  const megabytes = growth.end()
  process.stdout.write(`Planted links: memory grew by ${megabytes.toFixed(0)} MB.\n`)
  expect(megabytes).toBeLessThan(100)
})

/** The folders above a photo of the first project, the photo itself, and the folder of what was replaced. */
const folderLevels = ['project', 'checklist', 'photos', 'section', 'question', 'versions'] as const
const levels = [...folderLevels, 'file'] as const
type Level = (typeof levels)[number]

/**
 * For most operations. Paths are entered folder by folder, so that a sync, a verify, and the links that are planted
 * during an operation are enough for the folders between those of the checklist and the question.
 */
const fewerFolders = folderLevels.filter((level) => level !== 'photos' && level !== 'section')
const fewerLevels = [...fewerFolders, 'file'] as const

/** A complete archive, and beside it somebody else's folder with the same names and bytes. */
interface LinkWorld extends SampleArchive {
  readonly outside: string
  /** For `watchCalls`. */
  readonly watched: Parameters<typeof watchCalls>[0]
  /** Returns the absolute path of a level in the archive, or in another folder. */
  at(level: Level, folder?: string): string
  /** Moves what is at the level aside, and puts a link to its twin outside in its place. */
  plant(level: Level, folder?: string): void
  /** Restores what was moved away, in place of the link. */
  remove(level: Level, folder?: string): void
  expectOutsideUntouched(): void
  /** Removes the link, and expects that a pass completes the archive. */
  expectRecovers(level: Level): Promise<void>
}

async function archiveOf(options: SampleServiceOptions, onDone?: Parameters<typeof sampleArchive>[2]) {
  const archive = await sampleArchive({ ...site, ...options }, undefined, onDone)
  const { service } = archive
  expect((await archive.sync()).failures).toEqual([])
  for (const checklist of service.projects.flatMap(({ checklists }) => checklists)) service.replaceReport(checklist)
  expect((await archive.sync()).failures).toEqual([])
  return archive
}

const sharedArchive = shareArchive((onDone) => archiveOf({}, onDone))

function linkWorld(archive = sharedArchive()): LinkWorld {
  const { root, service } = archive
  const [first] = service.projects
  const folder = folderOf(archive, first?.id ?? '')
  const photo = [...readFiles(root).keys()].find((path) => path.startsWith(`${folder}/`) && path.includes('/photos/'))
  const names = photo?.split('/') ?? []
  const paths: Record<Level, string> = {
    project: names.slice(0, 1).join('/'),
    checklist: names.slice(0, 2).join('/'),
    photos: names.slice(0, 3).join('/'),
    section: names.slice(0, 4).join('/'),
    question: names.slice(0, 5).join('/'),
    file: names.join('/'),
    versions: `${names.slice(0, 2).join('/')}/.versions`,
  }
  const outside = join(dirname(root), 'outside')
  cpSync(root, outside, { recursive: true, preserveTimestamps: true })
  // Abandoned by another installation more than a week ago, and by an earlier version.
  for (const part of ['7-0123456789ab.part', '8.part']) {
    const path = join(outside, paths.project, part)
    const weekAgo = new Date(Date.now() - 8 * 24 * 60 * 60_000)
    writeFileSync(path, 'half')
    utimesSync(path, weekAgo, weekAgo)
  }
  const before = contentOf(outside)
  const aside = (level: Level) => join(dirname(root), 'aside', level)
  mkdirSync(join(dirname(root), 'aside'))

  const world: LinkWorld = {
    ...archive,
    outside,
    watched: { roots: [root], outside },
    at: (level, within = root) => join(within, paths[level]),
    plant(level, within) {
      const path = world.at(level, within)
      if (existsSync(path)) renameSync(path, aside(level))
      mkdirSync(dirname(path), { recursive: true })
      symlinkSync(join(outside, paths[level]), path)
    },
    remove(level, within) {
      const path = world.at(level, within)
      if (isLink(path)) unlinkSync(path)
      // A photo was archived under another name meanwhile, or is again now.
      if (level !== 'file' && !existsSync(path) && existsSync(aside(level))) renameSync(aside(level), path)
    },
    expectOutsideUntouched: () => expect(contentOf(outside)).toEqual(before),
    async expectRecovers(level) {
      world.remove(level)
      await archive.withEngine(async (engine) => {
        expect((await engine.sync()).failures).toEqual([])
        expect(archivedHashes(root)).toEqual(await servedHashes(service))
        expect(await engine.verify()).toMatchObject({ missing: [], changed: [] })
        expect(await completeness(archive, engine)).not.toContain(false)
      })
      world.expectOutsideUntouched()
    },
  }
  return world
}

function folderOf({ root }: SampleArchive, projectId: string): string {
  return readdirSync(root).find((name) => name.endsWith(`${projectId.slice(-6)}]`)) ?? ''
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

/** Every file and folder below, with its bytes and times: a file that only came and went changes its folder's. */
function contentOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const bytes = entry.isFile() ? sha256(readFileSync(path)) : 'no file'
      return `${path} ${lstatSync(path).mtimeMs} ${bytes}`
    })
    .sort()
}

/** Returns for each project whether it is complete, according to `status`. */
async function completeness({ service }: SampleArchive, engine: Engine): Promise<boolean[]> {
  const { projects } = await engine.status()
  return service.projects.map(
    ({ id }) => projects.find((project) => project.id === id)?.checklists.every(({ complete }) => complete) ?? false,
  )
}

/** Replaces a report and a photo, and adds a photo, in every project. */
function changeUpstream({ service }: SampleArchive): void {
  for (const checklist of service.projects.flatMap(({ checklists }) => checklists)) {
    service.replaceReport(checklist)
    for (const photo of photosOf(checklist)) service.replacePhoto(photo)
    service.addPhoto(checklist)
  }
}

/** Returns the recorded files below a level: relative paths, sorted. */
function filesBelow(world: LinkWorld, level: Level): string[] {
  const start = world.at(level, '')
  return [...readFiles(world.root).keys()].filter((path) => path === start || path.startsWith(`${start}/`)).sort()
}

function expectPlainErrors(
  world: LinkWorld,
  level: Level,
  failures: readonly { code: string; message: string }[],
): void {
  expect(failures.length).toBeGreaterThan(0)
  for (const { code, message } of failures) {
    expect(code).toBe('disk-error')
    expect(message).toContain(`${world.at(level)} is a link to another place`)
    expect(message).toContain('Remove or rename the link')
  }
}

function requirePlain(error: unknown): undefined {
  expect(error).toBeInstanceOf(AppError)
  expect(error).not.toMatchObject({ code: 'internal' })
}

/** Opens every archived file as the pages and the file host do. Returns the number of those that opened. */
async function openEverything(engine: Engine): Promise<number> {
  let opened = 0
  for (let assetId = 1; assetId <= 40; assetId++) {
    await engine.locate({ assetId }).catch(requirePlain)
    await engine.photoFacts(assetId).catch(requirePlain)
    const asset = await engine.openAsset(assetId).catch(requirePlain)
    if (asset !== undefined) opened += 1
    await asset?.handle.close()
  }
  return opened
}

describe.skipIf(process.platform === 'win32')('a link in the place of', () => {
  it.each(folderLevels)(
    'the %s folder is not followed by a sync, which names it and completes others',
    async (level) => {
      const world = linkWorld()
      changeUpstream(world)
      world.plant(level)
      const calls = watchCalls(world.watched)
      const failures: SyncFailure[] = []
      // The second pass opens an archive in which work is left over.
      for (let pass = 0; pass < 2; pass++) failures.push(...(await world.sync()).failures)
      calls.stop()
      world.expectOutsideUntouched()
      expect(calls.trespasses).toEqual([])
      expectPlainErrors(world, level, failures)
      expect(new Set(failures.map(({ projectId }) => projectId))).toEqual(new Set([world.service.projects[0]?.id]))
      const complete = await world.withEngine((engine) => completeness(world, engine))
      expect(complete).toEqual([level === 'versions' ? expect.any(Boolean) : false, true])
      await world.expectRecovers(level)
    },
  )

  it('the only project is reported as that, not as an archive that is elsewhere', async () => {
    const world = linkWorld(await archiveOf({ projects: 1 }))
    world.plant('project')
    expectPlainErrors(world, 'project', (await world.sync()).failures)
    await world.expectRecovers('project')
  })

  it('a photo is not followed, and the photo is archived beside it', async () => {
    const world = linkWorld()
    changeUpstream(world)
    world.plant('file')
    const calls = watchCalls(world.watched)
    expect((await world.sync()).failures).toEqual([])
    calls.stop()
    expect(calls.trespasses).toEqual([])
    expect(archivedHashes(world.root)).toEqual(await servedHashes(world.service))
    world.expectOutsideUntouched()
  })

  it.each(levels)('the %s: verify reads nothing behind it, and nothing there is good', async (level) => {
    const world = linkWorld()
    const below = filesBelow(world, level)
    const { ok: okBefore } = await world.withEngine((engine) => engine.verify())
    world.plant(level)
    const calls = watchCalls(world.watched)
    const [report, complete] = await world.withEngine(async (engine) => [
      await engine.verify(),
      await completeness(world, engine),
    ])
    calls.stop()
    expect(level === 'file' ? report.changed : report.missing).toEqual(below)
    expect(report.ok).toBe(okBefore - below.length)
    if (level !== 'file') expect(report.unexpected).toEqual([world.at(level, '')])
    expect(calls.trespasses).toEqual([])
    expect(complete).toEqual([level === 'versions', true])
    world.expectOutsideUntouched()
    // A sync recovers every folder level above.
    if (level === 'file') await world.expectRecovers(level)
  })

  it.each(fewerLevels)('the %s: repair restores nothing through it', async (level) => {
    const world = linkWorld()
    world.plant(level)
    const calls = watchCalls(world.watched)
    const report = await world.withEngine((engine) => engine.verify({ repair: true }))
    calls.stop()
    if (level === 'file') expect(report.failures).toEqual([])
    else if (level !== 'versions') {
      const plain = report.failures.filter(({ code }) => code !== 'file-gone')
      expectPlainErrors(world, level, plain)
      expect(report.missing).toEqual(expect.arrayContaining(plain.map(({ path }) => path)))
    }
    expect(calls.trespasses).toEqual([])
    world.expectOutsideUntouched()
    if (level !== 'versions') await world.expectRecovers(level)
  })

  it.each(fewerLevels)('the %s: a lost database is not rebuilt from what is behind it', async (level) => {
    const world = linkWorld()
    world.plant(level)
    loseDatabase(world)
    const calls = watchCalls(world.watched)
    await world.sync()
    calls.stop()
    expect(calls.trespasses).toEqual([])
    world.expectOutsideUntouched()
    await world.expectRecovers(level)
  })

  it.each(fewerLevels)('the %s: nothing behind it is shown', async (level) => {
    const world = linkWorld()
    const before = await world.withEngine(openEverything)
    const recorded = filesBelow(world, level).filter((path) => /\/(photos|thumbnails)\/|\/report\.pdf$/.test(path))
    const assets = recorded.filter((path) => !path.includes('/.versions/'))
    world.plant(level)
    const calls = watchCalls(world.watched)
    expect(await world.withEngine(openEverything)).toBe(before - assets.length)
    calls.stop()
    expect(calls.trespasses).toEqual([])
    world.expectOutsideUntouched()
  })

  it.each(fewerFolders)('the %s folder that the running engine has checked before is not followed', async (level) => {
    const world = linkWorld()
    await world.withEngine(async (engine) => {
      changeUpstream(world)
      expect((await engine.sync()).failures).toEqual([])
      changeUpstream(world)
      world.plant(level)
      const calls = watchCalls(world.watched)
      const { failures } = await engine.sync()
      calls.stop()
      world.expectOutsideUntouched()
      expect(calls.trespasses).toEqual([])
      expectPlainErrors(world, level, failures)
    })
    await world.expectRecovers(level)
  })

  it('the checklist folder is reported by a watch, which archives the other project', async () => {
    const world = linkWorld()
    changeUpstream(world)
    world.plant('checklist')
    const calls = watchCalls(world.watched)
    const work = async (engine: Engine) => {
      const watching = startWatching(engine)
      const other = world.service.projects[1]?.id
      await until('one project is archived, and the other reported', async () => {
        const { projects } = await engine.status()
        const project = projects.find(({ id }) => id === other)
        return watching.failures.length > 0 && project?.checklists.every(({ complete }) => complete) === true
      })
      await watching.stop()
      expectPlainErrors(world, 'checklist', watching.failures)
      expect(watching.states.filter(({ kind }) => kind === 'blocked')).toEqual([])
    }
    await world.withEngine(work, {}, { clock: new JumpingClock(600) })
    calls.stop()
    expect(calls.trespasses).toEqual([])
    world.expectOutsideUntouched()
    await world.expectRecovers('checklist')
  })
})

const operations: Record<string, (world: LinkWorld) => Promise<unknown>> = {
  'sync, which replaces files,': (world) => world.sync(),
  verify: (world) => world.withEngine((engine) => engine.verify()),
  repair: (world) => world.withEngine((engine) => engine.verify({ repair: true })),
  rebuild: (world) => world.sync(),
  opening: (world) => world.withEngine(openEverything),
}

/** Changes the archive, before a snapshot, so that the operation has something to do. */
function prepare(world: LinkWorld, operation: string): void {
  if (operation.startsWith('sync')) changeUpstream(world)
  if (operation === 'rebuild') loseDatabase(world)
  const reports = [...readFiles(world.root).keys()].filter((path) => /^[^/]+\/[^/]+\/report\.pdf$/.test(path))
  if (operation === 'repair') for (const report of reports) rmSync(join(world.root, report))
}

// Elsewhere a link that is planted between the last check and the call is followed: Node has no `openat`.
describe.skipIf(process.platform !== 'linux')('a link that is planted right before a call on the disk', () => {
  it.each(Object.keys(operations))('of %s is not followed', async (name) => {
    const operation = operations[name] ?? (() => Promise.resolve())
    const world = linkWorld()
    prepare(world, name)
    const start = takeSnapshot([world.home, world.root], 'start')
    const total = await countCalls(world.watched, () => operation(world))
    for (const level of levels) {
      for (const nth of spread(total, level, 1)) {
        resetTo(start, world)
        const calls = watchCalls(world.watched, (count) => {
          if (count === nth) world.plant(level)
        })
        const outcome = await operation(world).catch((error: unknown) => error)
        calls.stop()
        const when = `${level}, at call ${nth} of ${total}`
        expect(calls.trespasses, when).toEqual([])
        expect(codesOf(outcome), when).not.toContain('internal')
        world.expectOutsideUntouched()
        // The outermost level and the innermost one; a sync recovers every level above.
        if (name !== 'opening' && (level === 'project' || level === 'file')) await world.expectRecovers(level)
      }
    }
  })

  it.each(['from', 'to'] as const)(
    'of a move to another disk, in the folder that it moves %s, is not followed',
    async (side) => {
      const world = linkWorld()
      const to = join(dirname(world.root), 'new')
      const original = new Map([...readFiles(world.root)].map(([path, bytes]) => [path, sha256(bytes)]))
      const watched = { roots: [world.root, to], outside: world.outside }
      const start = takeSnapshot([world.root], 'start')
      const total = await countCalls(watched, () => moveByCopy(world.root, to))
      for (const level of levels) {
        for (const nth of spread(total, level, 2)) {
          resetTo(start, world, to)
          const onCall = (count: number) => {
            if (count === nth) world.plant(level, side === 'from' ? world.root : to)
          }
          const calls = watchCalls(watched, onCall)
          const outcome = await moveByCopy(world.root, to).catch((error: unknown) => error)
          calls.stop()
          const when = `${level}, at call ${nth} of ${total}`
          expect(calls.trespasses, when).toEqual([])
          expect(outcome instanceof Error ? outcome : undefined, when).toSatisfy(isPlainOrNone)
          world.expectOutsideUntouched()
          const kept = [world.root, to, join(dirname(world.root), 'aside')].flatMap((folder) => [
            ...readFiles(folder).values(),
          ])
          const hashes = new Set(kept.map(sha256))
          for (const [path, hash] of original) expect(hashes.has(hash), `${path}, ${when}`).toBe(true)
        }
      }
    },
  )
})

/** Runs an operation without a link. Returns the number of its calls on the archive. */
async function countCalls(watched: LinkWorld['watched'], work: () => Promise<unknown>): Promise<number> {
  const calls = watchCalls(watched)
  await work()
  calls.stop()
  return calls.count
}

/** Returns the calls of a run before which a link is planted: evenly spread, other ones for each level. */
function spread(total: number, level: Level, count: number): number[] {
  const offset = (levels.indexOf(level) + 0.5) / levels.length
  return Array.from({ length: count }, (_, index) => 1 + Math.floor((total * (index + offset)) / count))
}

function resetTo(start: Snapshot, world: LinkWorld, to?: string): void {
  start.restore()
  const aside = join(dirname(world.root), 'aside')
  for (const folder of [aside, ...(to === undefined ? [] : [to])]) rmSync(folder, { recursive: true, force: true })
  mkdirSync(aside)
}

/** Returns the codes of an error, or of the failures in a report. */
function codesOf(outcome: unknown): string[] {
  if (outcome instanceof AppError) return [outcome.code]
  if (outcome instanceof Error) throw outcome
  const failures = (outcome as { failures?: readonly { code: string }[] }).failures ?? []
  return failures.map(({ code }) => code)
}

/** The move's own error, before it is shown: of a link, or of a file that is gone with its folder. */
const isPlainOrNone = (error: (Error & { code?: string }) | undefined) =>
  error === undefined || ['ELOOP', 'ENOENT', 'disk-error'].includes(error.code ?? '')

/** Moves an archive as to another disk: copies, reads the copies, and empties the old folder, or undoes it all. */
async function moveByCopy(from: string, to: string): Promise<void> {
  const { signal } = new AbortController()
  const meter = new MoveMeter(systemClock, () => undefined)
  const record: MoveRecord = { from, to, folders: readdirSync(from), renamed: [], phase: 'copying' }
  mkdirSync(to, { recursive: true })
  try {
    const proofs = await proveCopies(to, await copyFolders(record, meter, signal), meter, signal)
    await emptyOldFolder(record, proofs, meter, signal)
  } catch (error) {
    await undoMove({ ...record, phase: 'undoing' }, meter, signal)
    throw error
  }
}

describe.skipIf(process.platform === 'win32')('a move of an archive', () => {
  it.each(fewerLevels)('with a link in the place of the %s moves the link, and nothing behind it', async (level) => {
    const world = linkWorld()
    const to = join(dirname(world.root), 'new')
    world.plant(level)
    const calls = watchCalls(world.watched)
    await moveByCopy(world.root, to)
    calls.stop()
    expect(calls.trespasses).toEqual([])
    expect(readlinkSync(world.at(level, to))).toBe(world.at(level, world.outside))
    expect(readFiles(world.root).size).toBe(0)
    world.expectOutsideUntouched()
  })
})
