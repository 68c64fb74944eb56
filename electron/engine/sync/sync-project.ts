import type { SyncFailure } from '../../../shared/domain.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { maxDelayMs, maxTriesPerLink } from '../downloads/backoff.ts'
import { toEngineError } from '../lib/engine-error.ts'
import { errorFacts } from '../lib/error-facts.ts'
import type { DownloadManager, JobOutcome, ProjectDownloads } from '../downloads/download-manager.ts'
import type { Ports } from '../lib/ports.ts'
import type { CallPriority, ServiceClient } from '../service/service-types.ts'
import type { Store } from '../store/create-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import { writeArchiveRecords } from '../checklists/archive-records.ts'
import type { LinkTable } from './link-table.ts'
import { watchForVanished } from '../checklists/flag-vanished.ts'
import { ensureProjectFolder } from './name-folders.ts'
import { recordCompleteness } from '../checklists/record-completeness.ts'
import { recordEntries } from './record-checklists.ts'
import type { CategoryReader } from './read-category.ts'
import { createChecklistReading } from './read-checklists.ts'
import { partialList, readList } from './read-list.ts'
import { requeueMissing } from '../integrity/requeue-missing.ts'
import type { Sanitizer } from '../lib/sanitizer.ts'

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

/** How thorough a pass over a project is, and how urgent. */
interface ProjectSyncDepth {
  readonly priority: CallPriority
  /** Read everything anew, also what looks unchanged, and look at the archived files on the disk. */
  readonly isReconcile: boolean
  /**
   * A person asked for it, not the schedule: everything that failed is tried now, not only what is due, and whether
   * archived files are still there is looked at, too.
   */
  readonly isUserInitiated: boolean
}

export interface ProjectSyncOptions extends ProjectSyncDepth {
  readonly signal: AbortSignal
  /** Told of every file as it ends. */
  readonly onFile: (outcome: JobOutcome) => void
  /** Told how many files wait or are under way, whenever more have become known. */
  readonly onPlanned: (openFiles: number) => void
  readonly onFailure: (failure: SyncFailure) => void
  /** Told once the service has been asked for everything; files may still be downloaded. */
  readonly onRead?: () => void
}

/** What one pass over a project saw. */
export interface ProjectSyncResult {
  readonly checklists: number
  /** Whether the service told of anything new or changed. */
  readonly changed: boolean
}

/**
 * One pass over one project: list, compare, ask for what is new, changed or missing, download, record. Files are
 * downloaded while further ones are being asked for. What fails for one checklist is reported and does not keep the
 * others back. Rejects with what concerns all: the list could not be had, the token is refused, the disk fails, the
 * pass was stopped.
 */
export async function syncProject(
  parts: ProjectSyncDeps,
  project: ProjectRow,
  options: ProjectSyncOptions,
): Promise<ProjectSyncResult> {
  const { store, client, sanitizer, downloads, ports } = parts
  const { signal, priority, isReconcile, isUserInitiated } = options
  if (isUserInitiated || isReconcile) await requeueMissing(parts, project)
  requeueFailed(parts, project.id, isUserInitiated)
  const call = { priority, signal }
  const flagVanished = watchForVanished(store, ports.logger, project)
  const { list, isPartial } = await readList(call, (whole) => client.listChecklists(project.id, whole))
  await ensureProjectFolder(store, client, sanitizer, ports, project, call)
  const planned = store.transaction(() =>
    recordEntries(store, sanitizer, project.id, list, {
      nowMs: ports.clock.nowMs(),
      isPartial,
      isReconcile,
      isUserInitiated,
    }),
  )
  const changed = planned.some((item) => item.changed)
  const reading = createChecklistReading(parts, project.id, planned, { ...call, isUserInitiated }, options.onFailure)
  // What is not in the checklists any more is not to be downloaded.
  await reading.readChecklists()
  const start = () => downloads.start(project.id, signal, options.onFile)
  const tellPlanned = (queue: ProjectDownloads) => {
    options.onPlanned(store.jobs.countOpen(project.id))
    queue.wake()
  }
  const hooks = (queue: ProjectDownloads) => ({ before: () => queue.room(), after: () => tellPlanned(queue) })
  await withDownloads(parts, project.id, start(), async (queue) => {
    tellPlanned(queue)
    await reading.readMedia(hooks(queue))
    store.transaction(() => {
      reading.settle()
      const at = new Date(ports.clock.nowMs()).toISOString()
      store.projects.recordPolled({ id: project.id, at, changed, reconciled: isReconcile })
    })
    tellPlanned(queue)
    flagVanished()
    options.onRead?.()
  })
  // The schedule asks again at a later poll. Who asked for a pass wants it to end with what is, as far from the first
  // asking as a pass can be.
  const askAgain = isUserInitiated ? reading.secondAsking() : undefined
  if (askAgain !== undefined) await withDownloads(parts, project.id, start(), (queue) => askAgain(hooks(queue)))
  if (isPartial) throw partialList('checklists')
  store.projects.setSynced(project.id, new Date(ports.clock.nowMs()).toISOString())
  return { checklists: planned.length, changed }
}

/**
 * Downloads what waits, and again what failed and is due, asking the service for nothing but links. A project that was
 * read, but whose downloads were interrupted, is worked off with it.
 */
export async function retryProject(
  parts: ProjectSyncDeps,
  projectId: string,
  options: Pick<ProjectSyncOptions, 'signal' | 'onFile' | 'onPlanned'>,
): Promise<ProjectSyncResult> {
  const { store, downloads, ports } = parts
  requeueFailed(parts, projectId, false)
  options.onPlanned(store.jobs.countOpen(projectId))
  const queue = downloads.start(projectId, options.signal, options.onFile)
  await withDownloads(parts, projectId, queue, () => Promise.resolve())
  store.projects.setSyncedIfRead(projectId, new Date(ports.clock.nowMs()).toISOString())
  return { checklists: store.checklists.keysForProject(projectId).length, changed: false }
}

/**
 * Queues what failed again, what is due of it or, for a person, all. Links that led nowhere are given up: a person may know
 * that the file host has moved, and by itself it is found out with calls that others need too.
 */
function requeueFailed({ store, links, ports }: ProjectSyncDeps, projectId: string, isUserInitiated: boolean): void {
  const nowMs = ports.clock.nowMs()
  const latest = new Date(nowMs + maxDelayMs).toISOString()
  const queued = isUserInitiated
    ? store.jobs.requeueFailed(projectId)
    : store.jobs.requeueDue(projectId, new Date(nowMs).toISOString(), latest)
  const givenUp = queued.filter(({ attempts }) => isUserInitiated || attempts >= maxTriesPerLink)
  links.forgetSuspect(givenUp.map(({ assetId }) => assetId))
}

/**
 * Works while the queue is worked off, waits for its end, and records what came of it, whatever that was. Of two errors
 * the first is the one to tell: it may stop everything, and the records are written again by the next pass.
 */
async function withDownloads(
  { folders, store, ports }: ProjectSyncDeps,
  projectId: string,
  queue: ProjectDownloads,
  work: (queue: ProjectDownloads) => Promise<void>,
): Promise<void> {
  const record = async (isWorkedOff: boolean) => {
    const at = new Date(ports.clock.nowMs()).toISOString()
    for (const key of store.checklists.keysForProject(projectId)) recordCompleteness(store, key, { at, isWorkedOff })
    await writeArchiveRecords(folders, store, projectId)
  }
  try {
    await work(queue).finally(() => queue.finish())
  } catch (error) {
    await record(false).catch((thrown: unknown) => {
      const facts = errorFacts(toEngineError(thrown, 'write the records of a project'))
      ports.logger.warn('The records of a project could not be written', { project: projectId, ...facts })
    })
    throw error
  }
  await record(true)
}
