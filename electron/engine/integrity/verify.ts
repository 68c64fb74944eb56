import { createHash } from 'node:crypto'
import { AppError } from '../../../shared/errors.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { lstatInside } from '../archive/inside-archive.ts'
import {
  findRenamedFolders,
  renamed,
  type RenamedFolder,
  restoreNames,
  whereTheyAre,
} from '../checklists/renamed-folders.ts'
import { heldFiles, measureHeldFiles } from '../checklists/held-files.ts'
import type { VerifyResult } from '../engine.ts'
import type { VerifyProgress } from '../lib/events.ts'
import { errnoCode } from '../lib/fs/disk-error.ts'
import type { Clock } from '../lib/ports.ts'
import type { ProjectLocks } from '../lib/project-locks.ts'
import { requireKnownArchive } from '../recovery/open-archive.ts'
import { chosenProjects } from '../projects/project-list.ts'
import type { Store } from '../store/create-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import type { HeldFile, LostAsset } from '../store/held-files-store.ts'
import { checkChecksums, type Finding, recordDamage } from './findings.ts'
import { type ProjectRepair, type RepairDeps, repairProject } from './repair.ts'
import { restoreFound } from '../downloads/requeue-missing.ts'
import { verifyArchive } from './verify-archive.ts'
import { chooseRun, recordLastVerify, type VerifyRun, verifyRunKey } from './verify-run.ts'

export interface VerifyPassOptions {
  /** Projects to verify; by default all that have a folder. */
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

/**
 * Verifies the archive project by project and, if asked, repairs each one before the next. Verified files are marked,
 * so that a stopped run can be resumed. Missing and changed files are recorded, and do not count as archived. Requires
 * an open archive (`openArchive`). A verify of named projects reads every file of theirs, and is no part of a run: it
 * is neither resumed nor counted as the last verify. Rejects with `cancelled`, with `not-found` for an unknown project,
 * and with `archive-unavailable` if the archive is gone.
 */
export async function verifyPass(
  deps: RepairDeps & { readonly locks: ProjectLocks },
  options: VerifyPassOptions,
): Promise<VerifyResult> {
  const { store, clock, logger } = deps
  const isPartial = (options.projectIds?.length ?? 0) > 0
  const projects = chosenProjects(store.projects.listAll(), options.projectIds)
  const { run, resumes } = isPartial ? noRun : chooseRun(store.meta.get(verifyRunKey), clock.nowMs())
  if (!isPartial) store.meta.set(verifyRunKey, JSON.stringify(run))
  const filesTotal = isPartial
    ? await countFiles(store, projects, options.signal)
    : (await measureHeldFiles(store, options.signal)).files
  const marks = isPartial ? noMarks : createVerifiedMarks(store, clock)
  const stats = new VerifyStats(resumes ? run.startedAt : null)
  let fetchBlocker: AppError | undefined
  let filesDone = 0
  const count = (isKnown: boolean) => {
    filesDone += 1
    if (isKnown) stats.alreadyRead += 1
    options.onProgress({ filesDone, filesTotal })
  }
  try {
    for (const { id, folder } of projects) {
      if (folder === null) continue
      const project = { projectId: id, folder, run, marks, count, signal: options.signal }
      await deps.locks.run(id, async () => {
        const folders = await findRenamedFolders(deps, id)
        const refusal = options.repair ? await refusalOf(restoreNames(deps, folders)) : undefined
        const isRestored = options.repair && refusal === undefined
        const found = await verifyProject(deps, { ...project, renamedFolders: isRestored ? [] : folders })
        stats.addRenamed(folders, isRestored, refusal)
        const isIntact = found.findings.length + found.lost.length === 0
        // Nothing is downloaded into the place of a folder that is elsewhere.
        const repair =
          options.repair && !isIntact && refusal === undefined
            ? await repairProject(deps, { ...found, projectId: id }, options.signal, fetchBlocker)
            : undefined
        fetchBlocker ??= repair?.fetchBlocker
        stats.add(found, repair)
      })
    }
  } catch (error) {
    if (!options.signal.aborted) throw error
    logger.info('A verify was stopped', { filesDone, filesTotal })
    throw verifyCancelled(filesDone, filesTotal, isPartial)
  } finally {
    marks.flush(run.startedAt)
  }
  const finishedAt = new Date(clock.nowMs()).toISOString()
  const result = stats.result()
  if (isPartial) {
    recordPart(store, result, finishedAt)
    return result
  }
  store.transaction(() => {
    store.meta.set(verifyRunKey, JSON.stringify({ ...run, finishedAt }))
    recordLastVerify(store, result, finishedAt)
    recordEnd(store, result, finishedAt)
  })
  return result
}

/** Returns the error of a disk that refuses a repair; throws any other. */
async function refusalOf(repair: Promise<void>): Promise<AppError | undefined> {
  try {
    await repair
    return undefined
  } catch (error) {
    if (error instanceof AppError && error.code === 'disk-error') return error
    throw error
  }
}

/** No file has such a mark, so that each is read. */
const noRun = { run: { startedAt: '', finishedAt: null }, resumes: false } as const

/** The marks of a stopped run stay as they are, for its next part. */
const noMarks = { add: () => undefined, flush: () => undefined }

/** Returns the number of archived files of the projects, without SHA256SUMS. */
export async function countFiles(store: Store, projects: readonly ProjectRow[], signal: AbortSignal): Promise<number> {
  let files = 0
  for (const { id, folder } of projects) {
    if (folder === null) continue
    const held = heldFiles(store, id, folder)[Symbol.asyncIterator]()
    while ((await held.next()).done !== true) files += 1
    signal.throwIfAborted()
  }
  return files
}

/** Records what a verify of named projects found, as activity. */
function recordPart(store: Store, { checked, repaired, ...paths }: VerifyResult, at: string): void {
  const [missing, changed, unexpected] = [paths.missing.length, paths.changed.length, paths.unexpected.length]
  if (missing + changed + repaired === 0) return
  store.activity.record({ at, kind: 'verify-findings', facts: { checked, missing, changed, unexpected, repaired } })
}

/** Meta key of the digest of the unexpected files that were reported last. */
const reportedUnexpectedKey = 'verify-told-unexpected'

/**
 * Records every completed verify as activity. Unexpected files are not damage: they are reported once, not by every
 * verify that finds the same ones.
 */
function recordEnd(store: Store, { checked, repaired, ...paths }: VerifyResult, at: string): void {
  const [missing, changed, unexpected] = [paths.missing.length, paths.changed.length, paths.unexpected.length]
  const digest = createHash('sha256').update(JSON.stringify(paths.unexpected)).digest('hex')
  const isReported = unexpected === 0 || store.meta.get(reportedUnexpectedKey) === digest
  store.meta.set(reportedUnexpectedKey, digest)
  if (missing + changed + repaired === 0 && isReported) {
    store.activity.record({ at, kind: 'verified', facts: { count: checked } })
    return
  }
  store.activity.record({ at, kind: 'verify-findings', facts: { checked, missing, changed, unexpected, repaired } })
}

interface ProjectOptions {
  readonly projectId: string
  readonly folder: string
  readonly run: VerifyRun
  readonly marks: Pick<ReturnType<typeof createVerifiedMarks>, 'add'>
  /** Folders of the project that have another name now: their files are verified where they are. */
  readonly renamedFolders: readonly RenamedFolder[]
  /** Called for every file, with whether it was already read before the run was stopped. */
  readonly count: (isKnown: boolean) => void
  readonly signal: AbortSignal
}

async function verifyProject(deps: RepairDeps, options: ProjectOptions): Promise<ProjectVerification> {
  const { store, folders, logger } = deps
  const { projectId, folder, run, marks, renamedFolders, count, signal } = options
  const { root } = folders
  const findings: Finding[] = []
  const nowIso = () => new Date(deps.clock.nowMs()).toISOString()
  await restoreFound(deps, projectId, signal)
  const verified = await verifyArchive({
    root,
    manifest: whereTheyAre(root, heldFiles(store, projectId, folder), renamedFolders),
    projectFolders: [renamed(folder, renamedFolders)],
    isKnownGood: ({ recorded }) => recorded.verifiedAt === run.startedAt,
    onFile: ({ path, recorded }, state) => {
      const isKnown = recorded.verifiedAt === run.startedAt
      if (state !== 'ok') findings.push({ file: recorded, state })
      // A file in another place has to be read again in its own.
      else if (!isKnown && path === recorded.path) marks.add(recorded, run.startedAt)
      count(isKnown && state === 'ok')
    },
    signal,
  }).catch(async (error: unknown) => {
    // Findings of a stopped run are kept.
    if (signal.aborted && findings.length > 0) {
      await requireKnownArchive(root, store)
      store.transaction(() => recordDamage(store, findings, nowIso()))
    }
    throw error
  })
  const { checked, ok, missing, unexpected, unreadable } = verified
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
  const isIn = renamed(folder, renamedFolders)
  const checksums = await checkChecksums(store, root, projectId, folder, signal, isIn)
  if (checksums !== undefined && checksums !== 'ok') findings.push(checksums)
  store.transaction(() => {
    store.findings.clearProject(projectId)
    recordDamage(store, findings, nowIso())
    for (const path of unexpected) store.findings.put({ path, projectId, state: 'unexpected', at: nowIso() })
  })
  const lost = store.heldFiles.lostAssets(projectId)
  return {
    checked: checked + lost.length + (checksums === undefined ? 0 : 1),
    ok: ok + (checksums === 'ok' ? 1 : 0),
    findings,
    lost,
    unexpected,
  }
}

/** Returns a message about the first link, in the place of a folder, that files are missing behind, if there is one. */
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
    renamed: [] as VerifyResult['renamed'],
  }

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
    const quarantined = repair?.quarantined ?? []
    report.unexpected.push(...found.unexpected, ...quarantined)
    this.#quarantined.push(...quarantined)
    for (const { path, error } of repair?.failures ?? []) {
      this.#failures.push({ path, code: error.code, message: error.message })
    }
  }

  addRenamed(folders: readonly RenamedFolder[], restored: boolean, refusal: AppError | undefined): void {
    this.#report.renamed.push(...folders.map((folder) => ({ ...folder, restored })))
    const [first] = folders
    if (refusal === undefined || first === undefined) return
    this.#failures.push({ path: first.from, code: refusal.code, message: refusal.message })
  }

  result(): VerifyResult {
    const { missing, changed, unexpected } = this.#report
    for (const paths of [missing, changed, unexpected]) paths.sort()
    return {
      ...this.#report,
      resumedFrom: this.#resumedFrom,
      alreadyRead: this.alreadyRead,
      setAside: this.#quarantined.sort(),
      failures: this.#failures,
    }
  }
}

function verifyCancelled(filesDone: number, filesTotal: number, isPartial: boolean): AppError {
  const next = isPartial ? 'verify these projects again.' : 'the next verify resumes from here.'
  return new AppError(
    'cancelled',
    `The verify was stopped after ${filesDone} of ${filesTotal} files. Nothing is lost; ${next}`,
  )
}

/**
 * Marks are committed in groups: a commit costs an fsync, as much as reading several photos. Marks lost in a kill cost
 * some seconds of reading again.
 */
const groupMs = 2_000
const fullGroup = 1_000

/** Records in groups which files were read and are unchanged. */
function createVerifiedMarks(store: Store, clock: Clock) {
  let waiting: HeldFile[] = []
  let sinceMs = clock.monotonicMs()

  function flush(at: string): void {
    const files = waiting
    waiting = []
    sinceMs = clock.monotonicMs()
    if (files.length > 0) store.transaction(() => store.heldFiles.markVerified(files, at))
  }

  return {
    add(file: HeldFile, at: string): void {
      waiting.push(file)
      if (waiting.length >= fullGroup || clock.monotonicMs() - sinceMs >= groupMs) flush(at)
    },
    flush,
  }
}
