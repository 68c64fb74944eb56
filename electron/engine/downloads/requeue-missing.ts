import type { SyncFailure } from '../../../shared/domain.ts'
import { type ArchiveFolders, quarantine } from '../archive/archive-folders.ts'
import { checkFile } from '../archive/check-file.ts'
import { lstatInside } from '../archive/inside-archive.ts'
import { checklistDocumentPath, checksumsPath } from '../archive/layout.ts'
import { concernsItemAlone, errorFacts, explainError } from '../lib/engine-error.ts'
import { inTurns } from '../lib/in-turns.ts'
import type { Logger, Ports } from '../lib/ports.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { ArchivedAsset } from '../store/archived-files-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import { findMissingOrResized } from './find-missing.ts'

/** Checklists processed in one turn of the event loop, some 5 ms without files. */
const checklistsPerTurn = 100

export interface RequeueMissingDeps {
  readonly folders: ArchiveFolders
  readonly store: Store
  readonly ports: Pick<Ports, 'clock' | 'logger'>
}

/**
 * Checks that a project's archived files exist with their sizes, and queues missing and changed ones again. Changed
 * files are quarantined; one that the disk refuses to move is a failure, and stays in its place as damaged. Missing or
 * changed files that Solarchive writes itself (documents, checksums) become stale. Throws `archive-unavailable` and
 * other disk errors that concern more than one file.
 */
export async function requeueMissing(
  { folders, store, ports }: RequeueMissingDeps,
  project: ProjectRow,
  onFailure: (failure: SyncFailure) => void,
): Promise<void> {
  if (project.folder === null) return
  const nowIso = new Date(ports.clock.nowMs()).toISOString()
  const counts = { missing: 0, changed: 0 }

  async function requeueFiles(checklist: ChecklistRow): Promise<void> {
    const archived = store.assets.archivedFiles(checklist.key)
    if (archived.length === 0) return
    const { missing, resized } = await findMissingOrResized(folders.root, archived)
    if (missing.size + resized.size === 0) return
    // A drive that was unplugged since the start of the pass leaves an empty folder.
    folders.requireSameRoot()
    // Before anything is moved: no row may call a file undamaged that a kill left under another name.
    store.transaction(() => {
      for (const { id, path, sha256 } of archived) {
        if (resized.has(path)) store.assets.markDamaged({ id, sha256, damage: 'changed', at: nowIso })
      }
    })
    const lost = new Set(missing)
    for (const path of resized) if (await tryToQuarantine(checklist, path)) lost.add(path)
    counts.missing += missing.size
    counts.changed += lost.size - missing.size
    if (lost.size === 0) return
    store.transaction(() => {
      for (const { id, path } of archived) {
        if (!lost.has(path)) continue
        store.assets.markLost(id, nowIso)
        recordLossActivity(store, { id, projectId: project.id, checklistKey: checklist.key }, missing.has(path), nowIso)
        // A file that the service no longer lists cannot be downloaded; listed again, it is queued as a new one.
        if (store.assets.get(id)?.present === 1) store.jobs.enqueueAgain(id, project.id, 'fetch')
      }
      store.checklists.markDocumentStale(checklist.key)
      store.projects.setChecksumsStale(project.id, true)
    })
  }

  async function requeueDocument(checklist: ChecklistRow): Promise<void> {
    const { key, folder, documentBytes: sizeBytes } = checklist
    if (folder === null || sizeBytes === null) return
    const path = checklistDocumentPath(folder)
    const { missing, resized } = await findMissingOrResized(folders.root, [{ path, sizeBytes }])
    if (resized.has(path) && !(await tryToQuarantine(checklist, path))) {
      return store.findings.put({ path, projectId: project.id, state: 'changed', at: nowIso })
    }
    if (missing.has(path) || resized.has(path)) store.checklists.markDocumentStale(key)
  }

  /** Returns whether a changed file was moved; one that was not is reported. */
  async function tryToQuarantine({ id: checklistId, title }: ChecklistRow, path: string): Promise<boolean> {
    try {
      await quarantine(folders, path, nowIso)
      return true
    } catch (thrown) {
      const error = await explainError(folders, thrown, 'quarantine a changed file')
      if (!concernsItemAlone(error)) throw error
      const facts = { project: project.id, checklist: checklistId, ...errorFacts(error) }
      ports.logger.warn('A changed file could not be quarantined', facts)
      const { code, message } = error
      onFailure({ projectId: project.id, checklistId, checklistTitle: title, path, code, message })
      return false
    }
  }

  const keys = store.checklists.keysForProject(project.id)
  let hasDocuments = false
  for await (const piece of inTurns(keys, checklistsPerTurn)) {
    for (const key of piece) {
      const row = store.checklists.get(key)
      if (row === undefined) continue
      await requeueFiles(row)
      await requeueDocument(row)
      hasDocuments ||= row.documentBytes !== null
    }
  }
  const checksums = checksumsPath(project.folder)
  if (hasDocuments) {
    const { missing } = await findMissingOrResized(folders.root, [{ path: checksums, sizeBytes: 0 }])
    if (missing.has(checksums)) store.projects.setChecksumsStale(project.id, true)
  }
  if (counts.missing + counts.changed > 0) {
    ports.logger.warn('Archived files are missing or changed and are downloaded again', {
      project: project.id,
      ...counts,
    })
    const files = counts.missing + counts.changed
    ports.logger.showMessage(
      `${project.name ?? project.id}: ${files} archived ${files === 1 ? 'file was' : 'files were'} missing or ` +
        'changed on the disk. What the service still has is downloaded again.',
    )
  }
}

/** Counts a lost file as activity. Must be called in the transaction that records the loss. */
export function recordLossActivity(
  store: Store,
  { id, projectId, checklistKey }: Pick<ArchivedAsset, 'id' | 'projectId' | 'checklistKey'>,
  isMissing: boolean,
  at: string,
): void {
  const kind = isMissing ? 'files-missing' : 'files-set-aside'
  store.activity.count({ at, kind, projectId, checklistKey, assetId: id, facts: { count: 1 } })
}

export interface RestoreDeps {
  readonly folders: Pick<ArchiveFolders, 'root'>
  readonly store: Store
  readonly logger: Logger
}

/**
 * Marks lost files as archived again if they are back with the archived bytes, for example restored from a backup.
 * Rejects with the signal's reason if it aborts.
 */
export async function restoreFound({ folders, store, logger }: RestoreDeps, projectId: string, signal: AbortSignal) {
  let restored = 0
  for (const { id, checklistKey, path, lostSha256 } of store.archivedFiles.lostAssets(projectId)) {
    signal.throwIfAborted()
    if (lostSha256 === null) continue
    const found = await lstatInside(folders.root, path).catch(() => undefined)
    if (found?.isFile() !== true) continue
    const file = { path, sha256: lostSha256, sizeBytes: found.size }
    if ((await checkFile(folders.root, file, { signal })) !== 'ok') continue
    restored += 1
    store.transaction(() => {
      const asset = store.assets.get(id)
      store.assets.adopt({ ...file, id, archivedAt: asset?.verifiedAt ?? found.mtime.toISOString() })
      // The service has no newer file: the queued download is not needed.
      const checklist = store.checklists.get(checklistKey)
      if (asset?.confirmedFingerprint != null && asset.confirmedFingerprint === checklist?.fingerprint)
        store.jobs.finish(id)
      store.checklists.markDocumentStale(checklistKey)
      store.projects.setChecksumsStale(projectId, true)
    })
  }
  if (restored > 0) logger.info('Lost files are in the archive again', { project: projectId, files: restored })
}
