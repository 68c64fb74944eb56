import { type ArchiveFolders, quarantine } from '../archive/archive-folders.ts'
import { checkFile } from '../archive/check-file.ts'
import { insideOrUndefined } from '../archive/inside-archive.ts'
import { checklistDocumentPath, checksumsPath } from '../archive/layout.ts'
import { lstatIfExists } from '../lib/fs/disk-error.ts'
import type { Logger, Ports } from '../lib/ports.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import { findMissingOrResized, findMissing } from './find-missing.ts'
import { recordLossActivity } from './findings.ts'

export interface RequeueMissingDeps {
  readonly folders: ArchiveFolders
  readonly store: Store
  readonly ports: Pick<Ports, 'clock' | 'logger'>
}

/**
 * Looks whether a project's archived files are there with their sizes, and queues again what somebody deleted or
 * changed: a row that says archived has its file. Changed ones are set aside. What Solarchive writes itself, documents
 * and checksums, becomes stale. Throws `archive-unavailable` and other disk errors.
 */
export async function requeueMissing(
  { folders, store, ports }: RequeueMissingDeps,
  project: ProjectRow,
): Promise<void> {
  if (project.folder === null) return
  const nowIso = new Date(ports.clock.nowMs()).toISOString()
  const counts = { missing: 0, changed: 0 }

  async function requeueFiles(checklistKey: number): Promise<void> {
    const archived = store.assets.archivedFiles(checklistKey)
    if (archived.length === 0) return
    const { missing, resized } = await findMissingOrResized(folders.root, archived)
    if (missing.size + resized.size === 0) return
    counts.missing += missing.size
    counts.changed += resized.size
    for (const path of resized) await quarantine(folders, path, nowIso)
    store.transaction(() => {
      for (const { id, path } of archived) {
        if (!missing.has(path) && !resized.has(path)) continue
        store.assets.markLost(id, nowIso)
        recordLossActivity(store, { id, projectId: project.id, checklistKey }, missing.has(path), nowIso)
        // What the service does not list any more cannot be fetched; listed again, it is queued like what is new.
        if (store.assets.get(id)?.present === 1) store.jobs.enqueueAgain(id, project.id, 'fetch')
      }
      store.checklists.markDocumentStale(checklistKey)
      store.projects.setChecksumsStale(project.id, true)
    })
  }

  async function renewDocument({ key, folder, documentBytes: sizeBytes }: ChecklistRow): Promise<void> {
    if (folder === null || sizeBytes === null) return
    const path = checklistDocumentPath(folder)
    const { missing, resized } = await findMissingOrResized(folders.root, [{ path, sizeBytes }])
    if (resized.has(path)) await quarantine(folders, path, nowIso)
    if (missing.has(path) || resized.has(path)) store.checklists.markDocumentStale(key)
  }

  const keys = store.checklists.keysForProject(project.id)
  let hasDocuments = false
  for (const key of keys) {
    const row = store.checklists.get(key)
    if (row === undefined) continue
    await requeueFiles(key)
    await renewDocument(row)
    hasDocuments ||= row.documentBytes !== null
  }
  const checksums = checksumsPath(project.folder)
  if (hasDocuments && (await findMissing(folders.root, [checksums])).size > 0) {
    store.projects.setChecksumsStale(project.id, true)
  }
  if (counts.missing + counts.changed > 0) {
    ports.logger.warn('Archived files are missing or changed and are downloaded again', {
      project: project.id,
      ...counts,
    })
  }
}

export interface RestoreDeps {
  readonly folders: Pick<ArchiveFolders, 'root'>
  readonly store: Store
  readonly logger: Logger
}

/**
 * Lost files that are in their places again with the bytes that were archived, as when a person took them from a backup, are
 * archived from here on. Anything else there is nobody's proof. Rejects with the signal's reason when that aborts.
 */
export async function restoreFound({ folders, store, logger }: RestoreDeps, projectId: string, signal: AbortSignal) {
  let regained = 0
  for (const { id, checklistKey, path, lostSha256 } of store.heldFiles.lostAssets(projectId)) {
    signal.throwIfAborted()
    const absolute = lostSha256 === null ? undefined : insideOrUndefined(folders.root, path)
    if (absolute === undefined || lostSha256 === null) continue
    const there = await lstatIfExists(absolute).catch(() => undefined)
    if (there?.isFile() !== true) continue
    const file = { path, sha256: lostSha256, sizeBytes: there.size }
    if ((await checkFile(folders.root, file, { signal })) !== 'ok') continue
    regained += 1
    store.transaction(() => {
      const asset = store.assets.get(id)
      store.assets.adopt({ ...file, id, archivedAt: asset?.verifiedAt ?? there.mtime.toISOString() })
      // Nothing newer is to come in its place: it need not be fetched any more.
      const checklist = store.checklists.get(checklistKey)
      if (asset?.confirmedFingerprint != null && asset.confirmedFingerprint === checklist?.fingerprint)
        store.jobs.finish(id)
      store.checklists.markDocumentStale(checklistKey)
      store.projects.setChecksumsStale(projectId, true)
    })
  }
  if (regained > 0) logger.info('Lost files are in the archive again', { project: projectId, files: regained })
}
