import type { SyncFailure } from '../../../shared/domain.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { longestDelayMs } from '../downloads/backoff.ts'
import type { DownloadManager, JobOutcome, ProjectDownloads } from '../downloads/download-manager.ts'
import type { Ports } from '../ports.ts'
import type { CallPriority, ServiceClient } from '../service/service-types.ts'
import type { Store } from '../store/create-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import { writeArchiveRecords } from './archive-records.ts'
import { reckonChecklist } from './ledger.ts'
import type { LinkTable } from './link-table.ts'
import { ensureProjectFolder } from './name-folders.ts'
import { checklistRows, noteEntries } from './note-entries.ts'
import type { CategoryReader } from './read-category.ts'
import { createChecklistReading } from './read-checklists.ts'
import { partialList, readList } from './read-list.ts'
import { requeueLost } from './requeue-lost.ts'
import type { Storable } from './storable.ts'

export interface ProjectSyncParts {
  readonly folders: ArchiveFolders
  readonly store: Store
  readonly client: ServiceClient
  readonly links: LinkTable
  readonly readCategory: CategoryReader
  readonly storable: Storable
  readonly downloads: DownloadManager
  readonly ports: Ports
}

/** How thorough a pass over a project is, and how urgent. */
interface ProjectSyncDepth {
  readonly priority: CallPriority
  /** Read everything anew, also what looks unchanged, and look at the archived files on the disk. */
  readonly isReconcile: boolean
  /** Files that failed: `all` tries them now, `due` those alone whose next try has come. */
  readonly retry: 'all' | 'due'
  /** Whether archived files are still there is looked at, too. */
  readonly checkDisk: boolean
}

/** What a person asks for: now, with everything that failed, and with a look at the disk. */
export const personsPass: ProjectSyncDepth = { priority: 'user', isReconcile: false, retry: 'all', checkDisk: true }

export interface ProjectSyncOptions extends ProjectSyncDepth {
  readonly signal: AbortSignal
  /** Told of every file as it ends. */
  readonly onFile: (outcome: JobOutcome) => void
  /** Told how many files wait or are under way, whenever more have become known. */
  readonly onPlanned: (openFiles: number) => void
  readonly onFailure: (failure: SyncFailure) => void
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
  parts: ProjectSyncParts,
  project: ProjectRow,
  options: ProjectSyncOptions,
): Promise<ProjectSyncResult> {
  const { store, client, storable, downloads, ports } = parts
  const { signal, priority, isReconcile } = options
  if (options.checkDisk || isReconcile) await requeueLost(parts, project)
  requeueFailed(parts, project.id, options.retry)
  const call = { priority, signal }
  const { list, isPartial } = await readList(call, (whole) => client.listChecklists(project.id, whole))
  await ensureProjectFolder(store, client, storable, ports, project, call)
  const planned = store.transaction(() =>
    noteEntries(store, storable, project.id, list, ports.clock.nowMs(), isPartial, isReconcile),
  )
  const reading = createChecklistReading(parts, project.id, planned, call, options.onFailure)
  await withDownloads(parts, project.id, downloads.start(project.id, signal, options.onFile), async (queue) => {
    const tellPlanned = () => {
      options.onPlanned(store.jobs.countOpen(project.id))
      queue.wake()
    }
    tellPlanned()
    await reading.readChecklists()
    await reading.readMedia({ before: () => queue.room(), after: tellPlanned })
    store.transaction(() => reading.settle())
    tellPlanned()
  })
  if (isPartial) throw partialList('checklists')
  store.projects.setSynced(project.id, new Date(ports.clock.nowMs()).toISOString())
  return { checklists: planned.length, changed: planned.some(({ changed }) => changed) }
}

function requeueFailed({ store, ports }: ProjectSyncParts, projectId: string, retry: 'all' | 'due'): void {
  const nowMs = ports.clock.nowMs()
  if (retry === 'all') store.jobs.requeueFailed(projectId)
  else store.jobs.requeueDue(projectId, new Date(nowMs).toISOString(), new Date(nowMs + longestDelayMs).toISOString())
}

/** Works while the queue is worked off, waits for its end, and records what came of it, whatever that was. */
async function withDownloads(
  { folders, store }: ProjectSyncParts,
  projectId: string,
  queue: ProjectDownloads,
  work: (queue: ProjectDownloads) => Promise<void>,
): Promise<void> {
  try {
    await work(queue).finally(() => queue.finish())
  } finally {
    for (const key of store.checklists.keysForProject(projectId)) markIfArchived(store, key)
    await writeArchiveRecords(folders, store, projectId)
  }
}

/** Nothing missing, nothing waiting: the archive holds the checklist as the service has it now. */
function markIfArchived(store: Store, key: number): void {
  const row = store.checklists.get(key)
  if (row === undefined || row.archivedFingerprint === row.fingerprint) return
  if (reckonChecklist(checklistRows(store, row)).state.complete) {
    store.checklists.markArchived(row.key, row.fingerprint)
  }
}
