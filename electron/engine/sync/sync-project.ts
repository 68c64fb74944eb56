import type { SyncFailure } from '../../../shared/domain.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { maxDelayMs, maxTriesPerLink } from '../lib/backoff.ts'
import { toEngineError, errorFacts } from '../lib/engine-error.ts'
import type { DownloadManager, ProjectDownloads, QueueOptions } from '../downloads/download-manager.ts'
import type { JobOutcome } from '../downloads/job-runner.ts'
import type { HostGates } from '../lib/host-gates.ts'
import { inTurns } from '../lib/in-turns.ts'
import type { Logger, Ports } from '../lib/ports.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { CallPriority } from '../service/service-types.ts'
import type { Store } from '../store/create-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import { hasStaleRecords, writeArchiveRecords } from '../checklists/archive-records.ts'
import type { RenamedFolder } from '../checklists/find-misplaced.ts'
import { restoreRenamedFolders } from '../checklists/renamed-folders.ts'
import { evaluateRecorded } from '../checklists/completeness.ts'
import { refreshChecklists, refreshFacts } from '../checklists/refresh-facts.ts'
import type { LinkTable } from './links.ts'
import { ensureProjectFolder } from './name-folders.ts'
import { recordEntries } from './record-checklists.ts'
import { partialList, readList, type CategoryReader } from './read-category.ts'
import { ChecklistReader, type MediaReading } from './read-checklists.ts'
import { recoverReplacements } from '../downloads/replace-file.ts'
import { adoptListed, requeueMissing, restoreFound } from '../integrity/requeue-missing.ts'
import type { ProjectCalls } from './time-left.ts'
import type { Sanitizer } from '../lib/sanitizer.ts'

/** Checklists evaluated in one turn of the event loop, some 10 ms. */
const checklistsPerTurn = 100

export interface ProjectSyncDeps {
  readonly folders: ArchiveFolders
  readonly store: Store
  readonly client: ServiceClient
  readonly links: LinkTable
  readonly categories: CategoryReader
  readonly sanitizer: Sanitizer
  readonly downloads: DownloadManager
  readonly ports: Ports
}

/** Thoroughness and priority of a pass over a project. */
interface ProjectSyncDepth {
  readonly priority: CallPriority
  /**
   * True if everything is read again, including checklists that look unchanged, and archived files are checked on the
   * disk.
   */
  readonly isFullPass: boolean
  /**
   * True if a user started the pass, not the schedule: all failures are retried now, not only those that are due, and
   * archived files are checked on the disk.
   */
  readonly isUserInitiated: boolean
}

export interface ProjectSyncOptions extends ProjectSyncDepth {
  readonly signal: AbortSignal
  /** The gates of the pass. Without them, every call and file is tried. */
  readonly gates?: HostGates
  /** Called with the outcome of every file. */
  readonly onFile: (outcome: JobOutcome) => void
  /** Called with the number of files that are queued or in flight, whenever more become known. */
  readonly onPlanned: (openFiles: number) => void
  readonly onFailure: (failure: SyncFailure) => void
  /** Called with every renamed folder that has its name back. By default, a message says so. */
  readonly onRenamed?: (folder: RenamedFolder) => void
  /** Called after each call to the service. */
  readonly onCall?: (calls: ProjectCalls) => void
  /** Called once the service has listed the project's checklists. */
  readonly onListed?: () => void
  /** Called once everything was read from the service; downloads may still be in flight. */
  readonly onRead?: () => void
}

/** Result of one pass over a project. */
export interface ProjectSyncResult {
  readonly checklists: number
  /** The service listed something new or changed. */
  readonly changed: boolean
}

/**
 * Runs one pass over one project: list, compare, ask for what is new, changed, or missing, download, record. Files are
 * downloaded while further ones are being asked for. A failure of one checklist is reported and does not affect the
 * others. Rejects with errors that concern all: the list could not be read, the token is refused, the disk fails, the
 * pass was stopped.
 */
export async function syncProject(
  deps: ProjectSyncDeps,
  project: ProjectRow,
  options: ProjectSyncOptions,
): Promise<ProjectSyncResult> {
  const { store, client, categories, sanitizer, downloads, ports } = deps
  const { signal, gates, priority, isFullPass, isUserInitiated } = options
  const restoreFolders = () => restoreRenamedFolders({ ...deps, ...ports }, project.id, signal, options.onRenamed)
  await restoreFolders()
  if (isUserInitiated || isFullPass) {
    await recoverReplacements(deps.folders, store, ports.logger, { projectId: project.id })
    await restoreFound({ folders: deps.folders, store, logger: ports.logger }, project.id, signal)
    await requeueMissing(deps, project, options.onFailure)
  }
  requeueFailed(deps, project.id, isUserInitiated)
  const call = { priority, signal, gate: gates?.service }
  const reportNewlyGone = countGoneFirst(store, ports.logger, project)
  const { list, isPartial } = await readList(call, (whole) => client.listChecklists(project.id, whole))
  options.onListed?.()
  await ensureProjectFolder(store, client, sanitizer, ports, project, call)
  const planned = await recordEntries(store, sanitizer, project.id, list, {
    nowMs: ports.clock.nowMs(),
    isPartial,
    isFullPass,
    isUserInitiated,
  })
  const reader = new ChecklistReader(
    deps,
    project.id,
    planned,
    { ...call, isUserInitiated, isFullPass, onCall: options.onCall },
    options.onFailure,
  )
  // First, so that files of questions that were removed are not downloaded.
  await reader.readChecklists()
  const changed = reader.hasChanges
  const notifyPlanned = (queue: ProjectDownloads) => {
    options.onPlanned(store.jobs.countOpen(project.id))
    queue.wake()
  }
  const downloadWhile = async (read: (queue: ProjectDownloads, reading: MediaReading) => Promise<void>) => {
    // Before the downloads: they may read categories for their links at once.
    const pass = categories.beginPass(project.id)
    const queue = downloads.start(project.id, { signal, gates, onOutcome: options.onFile })
    const reading = { categories: pass, before: () => queue.room(), after: () => notifyPlanned(queue) }
    await withDownloads({ ...deps, restoreFolders, signal }, project.id, queue, () =>
      read(queue, reading).finally(pass.end),
    )
  }
  await downloadWhile(async (queue, reading) => {
    notifyPlanned(queue)
    await reader.readMedia(reading)
    await reader.finish()
    const at = new Date(ports.clock.nowMs()).toISOString()
    store.projects.recordPolled({ id: project.id, at, changed, isFullPass })
    notifyPlanned(queue)
    reportNewlyGone()
    options.onRead?.()
  })
  // The schedule asks for confirmation at a later poll. A pass that a user started asks at its end, as long after the
  // first answer as a pass can.
  const confirm = isUserInitiated ? await reader.confirmEmptyAnswers() : undefined
  if (confirm !== undefined) await downloadWhile((_queue, reading) => confirm(reading))
  if (isPartial) throw partialList('checklists')
  await recordSynced(deps, project.id, (at) => store.projects.setSynced(project.id, at))
  return { checklists: planned.length, changed }
}

/**
 * Downloads what is queued or due for a retry, asking the service for nothing but links. Completes a project that was
 * read, but whose downloads were interrupted.
 */
export async function retryProject(
  deps: ProjectSyncDeps,
  projectId: string,
  options: Pick<ProjectSyncOptions, 'signal' | 'onFile' | 'onPlanned'> & Pick<QueueOptions, 'onAnswered'>,
): Promise<ProjectSyncResult> {
  const { store, downloads, ports } = deps
  const restoreFolders = () => restoreRenamedFolders({ ...deps, ...ports }, projectId, options.signal)
  await restoreFolders()
  requeueFailed(deps, projectId, false)
  options.onPlanned(store.jobs.countOpen(projectId))
  const { signal, onFile: onOutcome, onAnswered } = options
  const queue = downloads.start(projectId, { signal, onOutcome, onAnswered })
  await withDownloads({ ...deps, restoreFolders, signal }, projectId, queue, () => Promise.resolve())
  await recordSynced(deps, projectId, (at) => store.projects.setSyncedIfRead(projectId, at))
  return { checklists: store.checklists.keysForProject(projectId).length, changed: false }
}

/**
 * Records the end of a pass. The facts of lists are brought up to date with it, so that no list has much to compute.
 */
async function recordSynced(
  { store, ports }: ProjectSyncDeps,
  projectId: string,
  record: (at: string) => void,
): Promise<void> {
  await refreshChecklists(store, projectId)
  const at = new Date(ports.clock.nowMs()).toISOString()
  record(at)
  refreshFacts(store, at, projectId)
}

/**
 * Queues failed files again: those that are due or, for a user, all. Drops links that led nowhere: at once for a user,
 * who may know that the file host has moved; after some tries otherwise, since fresh links cost calls.
 */
function requeueFailed({ store, links, ports }: ProjectSyncDeps, projectId: string, isUserInitiated: boolean): void {
  const nowMs = ports.clock.nowMs()
  const latest = new Date(nowMs + maxDelayMs).toISOString()
  const queued = isUserInitiated
    ? store.jobs.requeueFailed(projectId)
    : store.jobs.requeueDue(projectId, new Date(nowMs).toISOString(), latest)
  const dropped = queued.filter(({ attempts }) => isUserInitiated || attempts >= maxTriesPerLink)
  links.forgetSuspect(dropped.map(({ assetId }) => assetId))
}

/**
 * Runs `work` while the queue is processed, waits for its end, and records the result in any case. Of two errors the
 * first is thrown: it may stop everything, and the records are written again by the next pass.
 */
async function withDownloads(
  deps: ProjectSyncDeps & { readonly restoreFolders: () => Promise<void>; readonly signal: AbortSignal },
  projectId: string,
  queue: ProjectDownloads,
  work: () => Promise<void>,
): Promise<void> {
  const { folders, store, ports, restoreFolders, signal } = deps
  const record = async (isProcessed: boolean) => {
    // A folder that was renamed meanwhile is recognized by its documents only until new ones are recorded.
    await restoreFolders()
    const at = new Date(ports.clock.nowMs()).toISOString()
    if (hasStaleRecords(store, projectId)) await adoptListed(folders, store, projectId, at, signal)
    for await (const keys of inTurns(store.checklists.keysForProject(projectId), checklistsPerTurn)) {
      for (const key of keys) recordCompleteness(store, key, { at, isProcessed })
    }
    await writeArchiveRecords(folders, store, projectId)
  }
  try {
    try {
      await work()
    } finally {
      await queue.finish()
    }
  } catch (error) {
    await record(false).catch((thrown: unknown) => {
      if (signal.aborted && thrown === signal.reason) return
      const facts = errorFacts(toEngineError(thrown, 'write the records of a project'))
      ports.logger.warn('The records of a project could not be written', { project: projectId, ...facts })
    })
    throw error
  }
  await record(true)
}

/**
 * Records at the end of a pass that a checklist is archived in its current state, with no file missing or queued; or,
 * if the queue was processed, that files are missing.
 */
function recordCompleteness(
  store: Store,
  key: number,
  { at, isProcessed }: { readonly at: string; readonly isProcessed: boolean },
): void {
  const row = store.checklists.get(key)
  if (row === undefined || row.archivedFingerprint === row.fingerprint) return
  // Only a completed checklist is ever complete, and only one that was reported as archived is reported as incomplete.
  if (row.status !== 'completed' && row.reportedFingerprint === null) return
  const { state, previews } = evaluateRecorded(store, row)
  const { complete } = state
  // People count photos and reports.
  const archivedFiles = state.archivedFiles - previews.archived
  const expectedFiles = state.expectedFiles - previews.expected
  const of = { at, projectId: row.projectId, checklistKey: key }
  if (complete) {
    store.transaction(() => {
      store.checklists.markArchived(key, row.fingerprint)
      // The weekly full read finds most checklists unchanged: no activity.
      if (row.reportedFingerprint === row.fingerprint) return
      store.activity.record({ ...of, kind: 'checklist-archived', facts: { count: archivedFiles } })
      store.checklists.setReported(key, row.fingerprint)
    })
  } else if (isProcessed && row.reportedFingerprint !== null) {
    store.transaction(() => {
      const withoutPreviews = expectedFiles - archivedFiles
      const missing = withoutPreviews === 0 ? state.expectedFiles - state.archivedFiles : withoutPreviews
      store.activity.record({ ...of, kind: 'checklist-incomplete', facts: { missing: Math.max(0, missing) } })
      store.checklists.setReported(key, null)
    })
  }
}

/**
 * Counts what the service no longer lists, before it is asked about a project. Returns a function to be called
 * after the answers, which reports new losses to the user once: nothing is deleted, but the answer may be a mistake.
 */
function countGoneFirst(store: Store, logger: Logger, project: ProjectRow): () => void {
  const count = () => ({
    checklists: store.checklists.countGone(project.id),
    files: store.assets.countGone(project.id),
  })
  const before = count()
  return () => {
    const after = count()
    const checklists = Math.max(0, after.checklists - before.checklists)
    const files = Math.max(0, after.files - before.files)
    if (checklists + files === 0) return
    logger.info('The service no longer lists what it listed before', { project: project.id, checklists, files })
    const what = [
      ...(checklists === 0 ? [] : [checklists === 1 ? '1 checklist' : `${checklists} checklists`]),
      ...(files === 0 ? [] : [files === 1 ? '1 archived file' : `${files} archived files`]),
    ].join(' and ')
    logger.showMessage(
      `The service no longer lists ${what} of ${project.name ?? project.id}. ` +
        `${checklists + files === 1 ? 'It stays' : 'They stay'} in the archive, marked as no longer at the service. ` +
        'If that is a mistake at the service, nothing is lost.',
    )
  }
}
