import { AppError } from '../../../shared/errors.ts'
import type { SyncFailure } from '../../../shared/domain.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { findLost } from '../archive/find-lost.ts'
import { findMissing } from '../archive/find-missing.ts'
import { checklistDocumentPath, checksumsPath } from '../archive/layout.ts'
import { setAside } from '../archive/set-aside.ts'
import type { DownloadManager, JobOutcome } from '../downloads/download-manager.ts'
import { toEngineError } from '../engine-error.ts'
import type { Ports } from '../ports.ts'
import type { CallOptions, ServiceClient } from '../service/service-types.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import { ensureChecklistFolder, ensureProjectFolder } from './name-folders.ts'
import { writeArchiveRecords } from './archive-records.ts'
import { reckonChecklist } from './ledger.ts'
import type { LinkTable } from './link-table.ts'
import { checklistRows, noteEntries, type PlannedChecklist } from './note-entries.ts'
import { noteReport } from './note-report.ts'
import type { CategoryReader } from './read-category.ts'
import { saveDetail } from './save-detail.ts'
import type { Storable } from './storable.ts'
import { unsettledCategories } from './unsettled-categories.ts'

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

export interface ProjectSyncOptions {
  readonly signal: AbortSignal
  /** Told of every file as it ends. */
  readonly onFile: (outcome: JobOutcome) => void
  /** Told how many files wait, once that is known. */
  readonly onPlanned: (files: number) => void
  readonly onFailure: (failure: SyncFailure) => void
}

/** A checklist of this pass. */
interface Item extends PlannedChecklist {
  reportUrl: string | null
  failed: boolean
}

/**
 * One pass over one project: list, compare, ask for what is new, changed or missing, download, record. Answers the
 * number of checklists. What fails for one checklist is reported and does not keep the others back. Rejects with what
 * concerns all: the list could not be had, the token is refused, the disk fails, the pass was stopped.
 */
export async function syncProject(
  parts: ProjectSyncParts,
  project: ProjectRow,
  options: ProjectSyncOptions,
): Promise<number> {
  const { folders, store, client, downloads, storable, ports } = parts
  const call: CallOptions = { priority: 'user', signal: options.signal }
  await requeueLostFiles(parts, project)
  let isPartial = false
  const onPartial = () => {
    isPartial = true
  }
  const entries = await client.listChecklists(project.id, { ...call, onPartial })
  await ensureProjectFolder(store, client, storable, ports, project, call)
  const planned = store.transaction(() =>
    noteEntries(store, storable, project.id, entries, ports.clock.nowMs(), isPartial),
  )
  const items = planned.map((item): Item => ({ ...item, reportUrl: item.entry.reportUrl, failed: false }))

  /** Runs work for some checklists; its failure is theirs alone unless it concerns all. */
  const attempt = async (concerned: readonly Item[], work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (thrown) {
      const error = toEngineError(thrown, 'record a checklist')
      if (concernsAll(error)) throw error
      for (const item of concerned) noteFailure(parts, project.id, item, error, options.onFailure)
    }
  }
  for (const item of items) await attempt([item], () => readChecklist(parts, item, call))
  await readMedia(parts, project.id, items, call, attempt)
  store.transaction(() => {
    for (const item of items) settleReading(parts, item)
    store.jobs.requeueFailed(project.id)
  })
  options.onPlanned(store.jobs.listForProject(project.id).length)
  try {
    await downloads.drain(project.id, options.signal, options.onFile)
  } finally {
    for (const item of items) markIfArchived(store, requireRow(store, item.key))
    await writeArchiveRecords(folders, store, project.id)
  }
  if (isPartial) throw partialList()
  store.projects.setSynced(project.id, nowIso(ports))
  return items.length
}

/** Errors after which asking about the next checklist makes no sense. */
function concernsAll(error: AppError): boolean {
  return ['token-refused', 'rate-limited', 'cancelled', 'disk-full', 'database-damaged'].includes(error.code)
}

const nowIso = (ports: Ports) => new Date(ports.clock.nowMs()).toISOString()

function requireRow(store: Store, key: number): ChecklistRow {
  const row = store.checklists.get(key)
  if (row === undefined) throw new Error(`The checklist row ${key} is gone`)
  return row
}

/** An archived file that somebody deleted or changed is fetched again: a row that says archived has its file. */
async function requeueLostFiles(parts: ProjectSyncParts, project: ProjectRow): Promise<void> {
  if (project.folder === null) return
  await renewLostRecords(parts, project.id, project.folder)
  const { folders, store, ports } = parts
  const archived = store.assets.archivedFiles(project.id)
  if (archived.length === 0) return
  const { missing, resized } = await findLost(folders.root, archived)
  if (missing.size + resized.size === 0) return
  const files = { missing: missing.size, changed: resized.size }
  ports.logger.warn('Archived files are missing or changed and are downloaded again', { project: project.id, ...files })
  for (const path of resized) await setAside(folders, path, nowIso(ports))
  store.transaction(() => {
    for (const { id, path } of archived) {
      if (!missing.has(path) && !resized.has(path)) continue
      store.assets.markLost(id)
      store.jobs.enqueue(id, project.id, 'fetch')
    }
    store.projects.setChecksumsStale(project.id, true)
  })
}

/** The same for what Solarchive writes itself: the checklists' documents and the checksums. */
async function renewLostRecords({ folders, store, ports }: ProjectSyncParts, projectId: string, folder: string) {
  const documents = store.checklists.listForProject(projectId).flatMap((row) => {
    const { key, folder: checklistFolder, documentBytes: sizeBytes } = row
    return checklistFolder === null || sizeBytes === null
      ? []
      : [{ key, path: checklistDocumentPath(checklistFolder), sizeBytes }]
  })
  if (documents.length === 0) return
  const checksums = checksumsPath(folder)
  const { missing, resized } = await findLost(folders.root, documents)
  for (const path of resized) await setAside(folders, path, nowIso(ports))
  for (const { key, path } of documents) {
    if (missing.has(path) || resized.has(path)) store.checklists.markDocumentStale(key)
  }
  if ((await findMissing(folders.root, [checksums])).size > 0) store.projects.setChecksumsStale(projectId, true)
}

/** Reads sections and questions of a new or changed checklist; of a finished one also for a report link that lacks. */
async function readChecklist(
  { store, client, storable, ports }: ProjectSyncParts,
  item: Item,
  call: CallOptions,
): Promise<void> {
  const row = requireRow(store, item.key)
  const lacksReport = item.plan === 'media' && row.status === 'completed' && item.reportUrl === null
  if (item.plan !== 'read' && !(lacksReport && !hasReport(store, row))) return
  const detail = await client.getChecklist(row.projectId, row.id, call)
  item.reportUrl ??= detail.reportUrl
  if (item.plan !== 'read') return
  if (detail.sections.every(({ questions }) => questions.length === 0) && hasQuestions(store, row)) throw noQuestions()
  store.transaction(() => {
    ensureChecklistFolder(store, row)
    saveDetail(store, storable, row, detail, nowIso(ports))
  })
}

function hasQuestions(store: Store, row: ChecklistRow): boolean {
  return store.questions.listForChecklist(row.key).some((question) => question.present === 1)
}

function noQuestions(): AppError {
  return new AppError(
    'unreadable-answer',
    'The service sent a checklist without the questions that it had before. Nothing archived was changed; it is read ' +
      'again with the next sync.',
  )
}

function partialList(): AppError {
  return new AppError(
    'unreadable-answer',
    'The service said that it listed only a part of the checklists. Those are archived; the others are missing. ' +
      "Ask the service's support how to get the whole list.",
  )
}

function hasReport(store: Store, row: ChecklistRow): boolean {
  return store.assets.listForChecklist(row.key).some((asset) => asset.kind === 'report' && asset.sha256 !== null)
}

/** Asks once for every media category that any of the checklists needs. */
async function readMedia(
  { store, links, readCategory, ports }: ProjectSyncParts,
  projectId: string,
  items: readonly Item[],
  call: CallOptions,
  attempt: (concerned: readonly Item[], work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const wanted = new Map<string, Item[]>()
  for (const item of items) {
    if (item.plan === 'nothing' || item.failed) continue
    const rows = checklistRows(store, requireRow(store, item.key))
    for (const category of unsettledCategories(rows, (assetId) => links.get(assetId) !== undefined)) {
      wanted.set(category, [...(wanted.get(category) ?? []), item])
    }
    store.checklists.markLooked(item.key, nowIso(ports))
  }
  for (const [category, concerned] of wanted) {
    await attempt(concerned, () => readCategory(projectId, category, call))
  }
}

/** Queues the report and marks the checklist as read when nothing of it failed. */
function settleReading({ store, links }: ProjectSyncParts, item: Item): void {
  const row = requireRow(store, item.key)
  noteReport(store, links, row, item.reportUrl)
  if (item.plan === 'nothing' || item.failed) return
  store.checklists.setError(row.key, null)
  if (row.detailFingerprint === row.fingerprint) store.checklists.markRead(row.key, row.fingerprint)
}

function noteFailure(
  { store, ports }: ProjectSyncParts,
  projectId: string,
  item: Item,
  error: AppError,
  onFailure: (failure: SyncFailure) => void,
): void {
  item.failed = true
  const { code, message } = error
  store.checklists.setError(item.key, { code, message })
  ports.logger.warn('A checklist could not be read', { project: projectId, checklist: item.entry.id, code })
  onFailure({ projectId, checklistId: item.entry.id, path: null, code, message })
}

/** Nothing missing, nothing waiting: the archive holds the checklist as the service has it now. */
function markIfArchived(store: Store, row: ChecklistRow): void {
  if (reckonChecklist(checklistRows(store, row)).state.complete) {
    store.checklists.markArchived(row.key, row.fingerprint)
  }
}
