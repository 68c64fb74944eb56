import type { SyncFailure } from '../../../shared/domain.ts'
import { type ArchiveFolders, quarantine } from '../archive/archive-folders.ts'
import { checkFile, type ManifestFile } from '../archive/check-file.ts'
import { lstatInside } from '../archive/inside-archive.ts'
import { checklistDocumentPath, checksumsPath, pathBelow } from '../archive/layout.ts'
import { concernsItemAlone, errorFacts, explainError } from '../lib/engine-error.ts'
import { undefinedIfUnreadable } from '../lib/fs/disk-error.ts'
import type { FileHash } from '../lib/fs/hash-file.ts'
import { inTurns } from '../lib/in-turns.ts'
import type { Logger, Ports } from '../lib/ports.ts'
import { readChecksums } from '../recovery/find-documents.ts'
import { parseVersionPath } from '../recovery/recorded-checklist.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { ArchivedAsset } from '../store/archived-files-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import type { OldVersion } from '../store/versions-store.ts'
import { findMissingOrResized } from '../downloads/find-missing.ts'
import { hashIfFile, recordForCheck } from '../downloads/replace-file.ts'

/** Checklists processed in one turn of the event loop, some 5 ms without files. */
const checklistsPerTurn = 100

export interface RequeueMissingDeps {
  readonly folders: ArchiveFolders
  readonly store: Store
  readonly ports: Pick<Ports, 'clock' | 'logger'>
}

/**
 * Checks that a project's archived files exist with their sizes, and queues missing and changed ones again. Changed
 * files are quarantined, except those of another installation; one that the disk refuses to move is a failure, and
 * stays in its place as damaged. Missing or changed files that Solarchive writes itself (documents, checksums) become
 * stale. Throws `archive-unavailable` and other disk errors that concern more than one file.
 */
export async function requeueMissing(
  { folders, store, ports }: RequeueMissingDeps,
  project: ProjectRow,
  onFailure: (failure: SyncFailure) => void,
): Promise<void> {
  if (project.folder === null) return
  const nowIso = new Date(ports.clock.nowMs()).toISOString()
  const counts = { missing: 0, changed: 0 }
  const listed = new ListedChecksums(folders.root, project.folder)

  async function requeueFiles(checklist: ChecklistRow): Promise<void> {
    const archived = store.assets.archivedFiles(checklist.key)
    if (archived.length === 0) return
    const { missing, resized } = await findMissingOrResized(folders.root, archived)
    if (missing.size + resized.size === 0) return
    // A drive that was unplugged since the start of the pass leaves an empty folder.
    folders.requireSameRoot()
    const changed = new Set<string>()
    const of = { projectId: project.id, checklistKey: checklist.key }
    for (const file of archived) {
      if (!resized.has(file.path)) continue
      if (!(await adoptReplaced(store, listed, { ...file, ...of }, nowIso))) changed.add(file.path)
    }
    // Before anything is moved: no row may call a file undamaged that a kill left under another name.
    store.transaction(() => {
      for (const { id, path, sha256 } of archived) {
        if (changed.has(path)) store.assets.markDamaged({ id, sha256, damage: 'changed', at: nowIso })
      }
    })
    const lost = new Set(missing)
    for (const path of changed) if (await tryToQuarantine(checklist, path)) lost.add(path)
    counts.missing += missing.size
    counts.changed += lost.size - missing.size
    if (lost.size === 0) return
    store.transaction(() => {
      for (const { id, path } of archived) {
        if (!lost.has(path)) continue
        store.assets.markLost(id, nowIso)
        recordLossActivity(store, { id, ...of }, missing.has(path), nowIso)
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
    if (resized.has(path) && (await listed.hash(path)) === undefined && !(await tryToQuarantine(checklist, path))) {
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
    const facts = { project: project.id, ...counts }
    ports.logger.warn('Archived files are missing or changed and are downloaded again', facts)
    const files = counts.missing + counts.changed
    ports.logger.showMessage(
      `${project.name ?? project.id}: ${files} archived ${files === 1 ? 'file was' : 'files were'} missing or ` +
        'changed on the disk. What the service still has is downloaded again.',
    )
  }
}

/** The SHA256SUMS of a project on the disk, which another installation may have written. */
export class ListedChecksums {
  readonly #root: string
  readonly #projectFolder: string
  /** Hashes by path relative to the archive root. */
  #hashes: ReadonlyMap<string, string> | undefined
  /** All listed hashes. */
  #known: ReadonlySet<string> | undefined

  constructor(root: string, projectFolder: string) {
    this.#root = root
    this.#projectFolder = projectFolder
  }

  get isEmpty(): boolean {
    return this.#read().size === 0
  }

  /** Returns whether a file is listed with other bytes than the recorded ones, and those under another path. */
  mayBeReplaced({ path, sha256 }: Pick<ManifestFile, 'path' | 'sha256'>): boolean {
    const hashes = this.#read()
    const listed = hashes.get(path)
    if (listed === undefined || listed === sha256) return false
    this.#known ??= new Set(hashes.values())
    return this.#known.has(sha256)
  }

  /** Returns the hash of the file on the disk if it is the listed one. */
  async hash(path: string): Promise<FileHash | undefined> {
    const listed = this.#read().get(path)
    if (listed === undefined) return undefined
    // Quarantining an unreadable file says why that is not possible.
    const hash = await hashIfFile(this.#root, path).catch(undefinedIfUnreadable)
    return hash?.sha256 === listed ? hash : undefined
  }

  /** Returns the listed old version that has these bytes of a file, if it is on the disk. */
  async findVersion(checklistFolder: string, file: ManifestFile): Promise<Omit<OldVersion, 'assetId'> | undefined> {
    const { sha256, sizeBytes } = file
    for (const [path, listed] of this.#read()) {
      if (listed !== sha256 || !path.startsWith(`${checklistFolder}/`)) continue
      const version = parseVersionPath(pathBelow(checklistFolder, path))
      if (version === undefined || `${checklistFolder}/${version.file}` !== file.path) continue
      const found = { path, sha256, sizeBytes }
      if ((await checkFile(this.#root, found)) === 'ok') return { ...found, replacedAt: version.replacedAt }
    }
    return undefined
  }

  /** Without a readable list, nothing is known of other installations. */
  #read(): ReadonlyMap<string, string> {
    try {
      this.#hashes ??= readChecksums(this.#root, this.#projectFolder)
    } catch (error) {
      undefinedIfUnreadable(error)
      this.#hashes = new Map()
    }
    return this.#hashes
  }
}

/** Checklists whose files are compared with the list in one turn of the event loop. */
const comparedPerTurn = 10

/**
 * Records all files of a project that another installation has replaced. Must be called before its SHA256SUMS is
 * written from the rows or moved away: without that list, such a file counts as one that somebody changed. The project
 * must be locked. `at` is the time of the discovery, ISO 8601 UTC. Rejects with the signal's reason if it aborts.
 */
export async function adoptListed(
  { root }: Pick<ArchiveFolders, 'root'>,
  store: Store,
  projectId: string,
  at: string,
  signal?: AbortSignal,
): Promise<void> {
  const folder = store.projects.get(projectId)?.folder
  if (folder == null) return
  const listed = new ListedChecksums(root, folder)
  if (listed.isEmpty) return
  for await (const keys of inTurns(store.checklists.keysForProject(projectId), comparedPerTurn)) {
    for (const checklistKey of keys) {
      const files = store.assets.archivedFiles(checklistKey).filter((file) => listed.mayBeReplaced(file))
      for (const file of files) {
        signal?.throwIfAborted()
        await adoptReplaced(store, listed, { ...file, projectId, checklistKey }, at)
      }
    }
  }
}

/**
 * Records a changed file that another installation has replaced, and queues it to be compared with the service's.
 * Returns false if it was changed in another way: only a replacement keeps the recorded bytes as an old version, which
 * an archive restored from an older backup does not have. `at` is the time of the discovery, ISO 8601 UTC.
 */
async function adoptReplaced(
  store: Store,
  listed: ListedChecksums,
  file: Omit<ArchivedAsset, 'kind' | 'verifiedAt' | 'foundAt'>,
  at: string,
): Promise<boolean> {
  const { id, path, projectId, checklistKey } = file
  const hash = await listed.hash(path)
  const folder = store.checklists.get(checklistKey)?.folder ?? null
  if (hash === undefined || folder === null) return false
  const version = await listed.findVersion(folder, file)
  if (version === undefined) return false
  store.transaction(() => {
    store.versions.insert({ ...version, assetId: id })
    recordForCheck(store, { id }, projectId, { ...hash, replacedAt: at })
    store.checklists.markDocumentStale(checklistKey)
    store.projects.setChecksumsStale(projectId, true)
  })
  return true
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
    const found = await lstatInside(folders.root, path).catch(undefinedIfUnreadable)
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
