import { createHash } from 'node:crypto'
import { AppError } from '../../../shared/errors.ts'
import { countOf } from '../../../shared/format.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { lstatInside } from '../archive/inside-archive.ts'
import {
  findMisplaced,
  type FindOptions,
  isDiscarded,
  isIn,
  type Misplaced,
  nothingMisplaced,
  type RecordedArchive,
  renamed,
  type RenamedFolder,
  searchOnce,
  withCurrentPaths,
} from '../checklists/find-misplaced.ts'
import { restoreNames } from '../checklists/renamed-folders.ts'
import { archivedFilesOf, measureArchivedFiles } from '../checklists/archived-files.ts'
import type { VerifyResult } from '../engine.ts'
import type { VerifyProgress } from '../lib/events.ts'
import { errnoCode } from '../lib/fs/disk-error.ts'
import type { Clock } from '../lib/ports.ts'
import type { ProjectLocks } from '../lib/project-locks.ts'
import { requireKnownArchive } from '../recovery/open-archive.ts'
import { chosenProjects } from '../projects/project-list.ts'
import type { Store } from '../store/create-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import type { ArchivedFile, LostAsset } from '../store/archived-files-store.ts'
import { checkChecksums, type Finding, recordDamage } from './findings.ts'
import { findForeignFolders, foreignFolders } from './foreign-folders.ts'
import { createQuickCheck, type QuickCheck } from './quick-check.ts'
import { type ProjectRepair, type RepairDeps, repairProject } from './repair.ts'
import { recoverReplacements } from '../downloads/replace-file.ts'
import { restoreFound } from './requeue-missing.ts'
import { verifyArchive } from './verify-archive.ts'
import { chooseRun, recordLastVerify, type VerifyRun, verifyRunKey } from './verify-run.ts'

export interface VerifyPassOptions {
  /** Projects to verify; by default all that have a folder, see `verifiableProjects`. */
  readonly projectIds?: readonly string[] | undefined
  readonly repair: boolean
  readonly signal: AbortSignal
  /** Called for every file; the caller throttles. */
  readonly onProgress: (progress: VerifyProgress) => void
}

interface ProjectVerification {
  readonly checked: number
  readonly ok: number
  readonly findings: readonly Finding[]
  readonly lost: readonly LostAsset[]
  readonly unexpected: readonly string[]
}

/** Databases with a verify of the whole archive in progress, whose run is not one that was stopped. */
const verifying = new WeakSet<Store>()

/**
 * Verifies the archive project by project and, if asked, repairs each one before the next. Verified files are marked,
 * so that a stopped run can be resumed. Missing and changed files are recorded, and do not count as archived. Requires
 * an open archive (`openArchive`). A verify of named projects reads every file of theirs, and is not part of a run: it
 * is neither resumed nor counted as the last verify. One of the whole archive beside another is not resumed either.
 * Rejects with `cancelled`, with `not-found` for an unknown project, and with `archive-unavailable` if the archive is
 * gone.
 */
export async function verifyPass(
  deps: RepairDeps & { readonly locks: ProjectLocks },
  options: VerifyPassOptions,
): Promise<VerifyResult> {
  const { store, clock, logger } = deps
  const startedAt = new Date(clock.nowMs()).toISOString()
  const isPartial = (options.projectIds?.length ?? 0) > 0
  const archive = { root: deps.folders.root, store }
  const search = searchOnce(archive, options.projectIds)
  const { projects, discarded } = await verifiableProjects(archive, options.projectIds, {
    search,
    signal: options.signal,
  })
  if (discarded.length > 0) {
    logger.showMessage(`Not verified: ${countOf(discarded.length, 'removed project')} without a folder in the archive.`)
  }
  const filesTotal = await countFiles(store, projects, options.signal)
  const isResumable = !isPartial && !verifying.has(store)
  const { run, resumes } = chooseRun(store.meta.get(verifyRunKey), clock.nowMs(), { mayResume: isResumable })
  if (isResumable) store.meta.set(verifyRunKey, JSON.stringify(run))
  const marks = createVerifiedMarks(store, clock, isResumable)
  const stats = new VerifyStats(resumes ? run.startedAt : null)
  const quick = createQuickCheck()
  let fetchBlocker: AppError | undefined
  let filesDone = 0
  const count = (isKnown: boolean) => {
    filesDone += 1
    if (isKnown) stats.alreadyRead += 1
    options.onProgress({ filesDone, filesTotal })
  }
  // A repair moves folders, and looks for each project where the others are by then.
  const find = (id: string) =>
    findMisplaced(archive, id, { search: options.repair ? undefined : search, signal: options.signal })
  const findNames = async (id: string): Promise<{ left: Misplaced; refusal?: AppError }> => {
    const misplaced = await find(id)
    if (misplaced.renamed.length + misplaced.taken.length === 0) return { left: nothingMisplaced }
    const restored = options.repair ? await orRefusal(restoreNames(deps, id)) : undefined
    const isRestored = Array.isArray(restored)
    stats.addRenamed(isRestored ? restored : misplaced.renamed, isRestored)
    if (!(restored instanceof AppError)) return { left: isRestored ? nothingMisplaced : misplaced }
    stats.addRefusal(misplaced.renamed[0]?.from ?? misplaced.taken[0] ?? '', restored)
    return { left: misplaced, refusal: restored }
  }
  if (isResumable) verifying.add(store)
  try {
    // For all projects first: the folder of one may have the name of another's, or be within it.
    for (const { id } of projects) {
      options.signal.throwIfAborted()
      if ((await find(id)).renamed.length === 0) continue
      await deps.locks.run(id, () => findNames(id), options.signal)
    }
    for (const { id, folder } of projects) {
      if (folder === null) continue
      const project = { projectId: id, folder, run, marks, count, quick, signal: options.signal }
      const verifyNext = async () => {
        const { left, refusal } = await findNames(id)
        if (options.repair) await recoverReplacements(deps.folders, store, logger, { projectId: id })
        const foldersOfOthers = stats.foldersOfOthers(id)
        const found = await verifyProject(deps, { ...project, misplaced: left, foldersOfOthers })
        const isIntact = found.findings.length + found.lost.length === 0
        // Nothing is downloaded to the recorded path of a folder that is still elsewhere.
        const repair =
          options.repair && !isIntact && refusal === undefined
            ? await repairProject(deps, { ...found, projectId: id }, options.signal, fetchBlocker)
            : undefined
        fetchBlocker ??= repair?.fetchBlocker
        stats.add(found, repair)
      }
      await deps.locks.run(id, verifyNext, options.signal)
    }
    if (!isPartial) stats.addForeign(await findForeignFolders(deps.folders.root, store, stats.renamed, options.signal))
  } catch (error) {
    if (!options.signal.aborted) throw error
    logger.info('A verify was stopped', { filesDone, filesTotal })
    const again = isPartial ? 'verify these projects again.' : 'verify again.'
    const next = isResumable ? 'the next verification resumes from here.' : again
    throw verifyCancelled(filesDone, filesTotal, next)
  } finally {
    try {
      marks.flush(run.startedAt)
    } finally {
      await quick.end().finally(() => isResumable && verifying.delete(store))
    }
  }
  const finishedAt = new Date(clock.nowMs()).toISOString()
  const result = stats.result()
  store.transaction(() => {
    recordActivity(store, result, finishedAt, isPartial)
    if (isPartial) return
    if (isResumable) store.meta.set(verifyRunKey, JSON.stringify({ ...run, finishedAt }))
    recordLastVerify(store, result, { startedAt, endedAt: finishedAt })
    foreignFolders.put(store, stats.foreign)
  })
  return result
}

/** Returns the error of a disk that refuses a repair; throws any other. */
async function orRefusal<T>(repair: Promise<T>): Promise<T | AppError> {
  try {
    return await repair
  } catch (error) {
    if (error instanceof AppError && error.code === 'disk-error') return error
    throw error
  }
}

/**
 * Returns the projects with these ids, or all. Without ids, those that were removed, and their folders deleted, are
 * `discarded`. Throws `not-found` for an unknown id, and `archive-unavailable` if the archive is gone.
 */
export async function verifiableProjects(
  archive: RecordedArchive,
  projectIds: readonly string[] = [],
  options: FindOptions = {},
): Promise<{ readonly projects: readonly ProjectRow[]; readonly discarded: readonly ProjectRow[] }> {
  const chosen = chosenProjects(archive.store.projects.listAll(), projectIds)
  if (projectIds.length > 0) return { projects: chosen, discarded: [] }
  const projects: ProjectRow[] = []
  const discarded: ProjectRow[] = []
  for (const project of chosen) {
    options.signal?.throwIfAborted()
    const isGone = await isDiscarded(archive, project.id, options)
    if (isGone) discarded.push(project)
    else projects.push(project)
  }
  if (discarded.length > 0) await requireKnownArchive(archive.root, archive.store)
  return { projects, discarded }
}

/** Returns the number of archived files of the projects, without SHA256SUMS. */
export async function countFiles(store: Store, projects: readonly ProjectRow[], signal: AbortSignal): Promise<number> {
  if (projects.length === store.projects.listAll().length) return (await measureArchivedFiles(store, signal)).files
  let files = 0
  for (const { id, folder } of projects) {
    if (folder === null) continue
    const archived = archivedFilesOf(store, id, folder)[Symbol.asyncIterator]()
    while ((await archived.next()).done !== true) files += 1
    signal.throwIfAborted()
  }
  return files
}

/** Meta key of the digest of the unexpected files that were reported last. */
const reportedUnexpectedKey = 'verify-told-unexpected'

/**
 * Records the result as activity; of a verify of named projects, only what it found. Unexpected files are not damage:
 * they are reported once, not by every verify that finds the same ones.
 */
function recordActivity(store: Store, result: VerifyResult, at: string, isPartial: boolean): void {
  const { checked, repaired, ...paths } = result
  const [missing, changed, unexpected] = [paths.missing.length, paths.changed.length, paths.unexpected.length]
  const hasNews = !isPartial && hasNewUnexpected(store, paths.unexpected)
  const isFound = missing + changed + repaired > 0 || hasNews
  const facts = { checked, missing, changed, unexpected, repaired }
  if (isFound) store.activity.record({ at, kind: 'verify-findings', facts })
  else if (!isPartial) store.activity.record({ at, kind: 'verified', facts: { count: checked } })
}

function hasNewUnexpected(store: Store, unexpected: readonly string[]): boolean {
  const digest = createHash('sha256').update(JSON.stringify(unexpected)).digest('hex')
  const isReported = store.meta.get(reportedUnexpectedKey) === digest
  store.meta.set(reportedUnexpectedKey, digest)
  return unexpected.length > 0 && !isReported
}

interface ProjectOptions {
  readonly projectId: string
  readonly folder: string
  readonly run: VerifyRun
  readonly marks: Pick<ReturnType<typeof createVerifiedMarks>, 'add'>
  /** Folders of the project that are not at their recorded paths; their files are verified where they are. */
  readonly misplaced: Misplaced
  /** Renamed folders of other projects: nothing in them is unexpected here. */
  readonly foldersOfOthers: readonly string[]
  /** Called for every file, with whether it was already read before the run was stopped. */
  readonly count: (isKnown: boolean) => void
  readonly quick: QuickCheck
  readonly signal: AbortSignal
}

async function verifyProject(deps: RepairDeps, options: ProjectOptions): Promise<ProjectVerification> {
  const { store, folders, logger } = deps
  const { projectId, folder, run, marks, misplaced, foldersOfOthers, count, quick, signal } = options
  const { root } = folders
  const findings: Finding[] = []
  const nowIso = () => new Date(deps.clock.nowMs()).toISOString()
  const isAt = renamed(folder, misplaced.renamed)
  await restoreFound(deps, projectId, signal)
  const verified = await verifyArchive({
    root,
    manifest: withCurrentPaths(root, archivedFilesOf(store, projectId, folder), misplaced),
    projectFolders: misplaced.taken.includes(isAt) ? [] : [isAt],
    isKnownGood: ({ recorded }) => recorded.verifiedAt === run.startedAt,
    onFile: ({ path, recorded }, state) => {
      const isKnown = recorded.verifiedAt === run.startedAt
      if (state !== 'ok') findings.push({ file: recorded, state })
      // A file at another path is not marked: it is read again at its recorded path.
      else if (!isKnown && path === recorded.path) marks.add(recorded, run.startedAt)
      count(isKnown && state === 'ok')
    },
    signal,
    quick,
  }).catch(async (error: unknown) => {
    // Findings of a stopped run are kept.
    if (signal.aborted && findings.length > 0) {
      await requireKnownArchive(root, store)
      store.transaction(() => recordDamage(store, findings, nowIso()))
    }
    throw error
  })
  const { checked, ok, missing, unreadable } = verified
  const unexpected = verified.unexpected.filter((path) => !foldersOfOthers.some((other) => isIn(path, other)))
  if (missing.length > 0) {
    await requireKnownArchive(root, store)
    const link = await describeLink(folders, missing)
    if (link !== undefined) logger.showMessage(link)
  }
  if (unreadable[0] !== undefined) {
    const { path, errno } = unreadable[0]
    const others = unreadable.length === 1 ? '' : `, and ${unreadable.length - 1} more`
    logger.info('Archived files cannot be read', { project: projectId, errno, files: unreadable.length })
    logger.showMessage(`${path} cannot be read (${errno})${others}.`)
  }
  // Opening the archive wrote it, unless a folder of the project is elsewhere, or the disk refused it: then it differs
  // from the rows if files were archived since.
  const wasDue = misplaced.renamed.length + misplaced.taken.length === 0
  const checksums = await checkChecksums(store, root, projectId, folder, signal, { isIn: isAt, wasDue })
  if (checksums !== undefined && checksums !== 'ok') findings.push(checksums)
  store.transaction(() => {
    store.findings.clearOthers(projectId, { damaged: findings.map(({ file }) => file.path), unexpected })
    recordDamage(store, findings, nowIso())
    for (const path of unexpected) store.findings.put({ path, projectId, state: 'unexpected', at: nowIso() })
  })
  const lost = store.archivedFiles.lostAssets(projectId)
  return {
    checked: checked + lost.length + (checksums === undefined ? 0 : 1),
    ok: ok + (checksums === 'ok' ? 1 : 0),
    findings,
    lost,
    unexpected,
  }
}

/** Returns a message about the first link that replaced the folder of missing files, if there is one. */
async function describeLink(folders: ArchiveFolders, missing: readonly string[]): Promise<string | undefined> {
  for (const path of missing) {
    try {
      await lstatInside(folders.root, path)
    } catch (error) {
      if (errnoCode(error) === 'ELOOP') return (await folders.explain(error, 'read archived files')).message
    }
  }
  return undefined
}

class VerifyStats {
  alreadyRead = 0
  readonly #resumedFrom: string | null
  readonly #quarantined: string[] = []
  readonly #failures: VerifyResult['failures'][number][] = []
  readonly #report = {
    checked: 0,
    ok: 0,
    missing: [] as string[],
    changed: [] as string[],
    unexpected: [] as string[],
    repaired: 0,
  }
  /** By recorded path, since a folder may be found renamed first, and have its name restored later. */
  readonly #renamed = new Map<string, VerifyResult['renamed'][number]>()
  foreign: readonly string[] = []

  constructor(resumedFrom: string | null) {
    this.#resumedFrom = resumedFrom
  }

  add(found: ProjectVerification, repair: ProjectRepair | undefined): void {
    const report = this.#report
    const repaired = repair?.repaired ?? new Set()
    report.checked += found.checked
    report.ok += found.ok + repaired.size
    report.repaired += repaired.size
    for (const { file, state } of found.findings) {
      if (!repaired.has(file.path)) report[state === 'missing' ? 'missing' : 'changed'].push(file.path)
    }
    for (const { path } of found.lost) if (!repaired.has(path)) report.missing.push(path)
    // One by one: a folder may hold more files than a call takes arguments.
    for (const path of found.unexpected) report.unexpected.push(path)
    for (const path of repair?.quarantined ?? []) {
      report.unexpected.push(path)
      this.#quarantined.push(path)
    }
    for (const { path, error } of repair?.failures ?? []) {
      this.#failures.push({ path, code: error.code, message: error.message })
    }
  }

  addRenamed(folders: readonly RenamedFolder[], restored: boolean): void {
    for (const folder of folders) this.#renamed.set(folder.from, { ...folder, restored })
  }

  addRefusal(path: string, { code, message }: AppError): void {
    if (!this.#failures.some((failure) => failure.path === path)) this.#failures.push({ path, code, message })
  }

  addForeign(folders: readonly string[]): void {
    this.foreign = folders
    for (const folder of folders) this.#report.unexpected.push(folder)
  }

  get renamed(): VerifyResult['renamed'] {
    return [...this.#renamed.values()]
  }

  foldersOfOthers(projectId: string): string[] {
    return this.renamed.flatMap((folder) => (folder.restored || folder.projectId === projectId ? [] : [folder.to]))
  }

  result(): VerifyResult {
    const { missing, changed, unexpected } = this.#report
    for (const paths of [missing, changed, unexpected]) paths.sort()
    return {
      ...this.#report,
      renamed: this.renamed,
      resumedFrom: this.#resumedFrom,
      alreadyRead: this.alreadyRead,
      quarantined: this.#quarantined.sort(),
      failures: this.#failures,
    }
  }
}

function verifyCancelled(filesDone: number, filesTotal: number, next: string): AppError {
  return new AppError(
    'cancelled',
    `The verification was stopped after ${filesDone} of ${filesTotal} files. Nothing is lost; ${next}`,
  )
}

/**
 * Marks are committed in groups, and made durable by the next transaction: files whose marks are lost in a kill, or in
 * a power cut, are read again.
 */
const groupMs = 2_000
const fullGroup = 1_000

/** Records in groups which files were read and are unchanged. */
function createVerifiedMarks(store: Store, clock: Clock, isResumable: boolean) {
  let waiting: ArchivedFile[] = []
  let sinceMs = clock.monotonicMs()

  function flush(at: string): void {
    const files = waiting
    waiting = []
    sinceMs = clock.monotonicMs()
    if (files.length > 0) store.transactionWithoutFlush(() => store.archivedFiles.markVerified(files, at))
  }

  return {
    add(file: ArchivedFile, at: string): void {
      // The marks of a run that was stopped, or runs beside this, are left, for when it is resumed.
      if (!isResumable && file.verifiedAt !== null) return
      waiting.push(file)
      if (waiting.length >= fullGroup || clock.monotonicMs() - sinceMs >= groupMs) flush(at)
    },
    flush,
  }
}
