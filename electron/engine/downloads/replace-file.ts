import { posix } from 'node:path'
import type { AppError } from '../../../shared/errors.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { type FileHash, hashFile } from '../lib/fs/hash-file.ts'
import { atPath, existsInside, lstatInside } from '../archive/inside-archive.ts'
import { versionPath } from '../archive/layout.ts'
import { forEachIsolated } from '../lib/engine-error.ts'
import type { Logger } from '../lib/ports.ts'
import type { AssetToDownload } from '../store/assets-store.ts'
import type { Store } from '../store/create-store.ts'
import type { Replacement } from '../store/versions-store.ts'
import { partPath, type FinishedPart } from './part-file.ts'
import { recordDownload } from './record-download.ts'

/**
 * Replaces an archived file, which moves to `.versions/` first. Two renames are not atomic: the intent is written to
 * the database before, so that `recoverReplacements` can finish or undo it.
 */
export async function replaceFile(
  folders: ArchiveFolders,
  store: Store,
  part: FinishedPart,
  nowIso: string,
): Promise<void> {
  const { asset } = part
  const { root } = folders
  const before = store.versions.pending().find(({ assetId }) => assetId === asset.id)
  if (before !== undefined) await resolve(folders, store, before)
  const checklistFolder = store.checklists.get(asset.checklistKey)?.folder ?? posix.dirname(asset.path)
  const replacement: Replacement = {
    assetId: asset.id,
    versionPath: freeVersionPath(root, checklistFolder, asset.path, nowIso),
    replacedAt: nowIso,
    sha256: part.sha256,
    sizeBytes: part.sizeBytes,
  }
  store.versions.begin(replacement)
  try {
    // Another installation on this archive may have stored the new file already: then there is no old one to move.
    const isThere = (await hashIfFile(root, asset.path))?.sha256 === part.sha256
    if (!isThere) await moveOldAway(folders, asset.path, replacement.versionPath)
    await folders.publish(part.partPath, asset.path)
    await complete(folders, store, asset, part.projectId, replacement, part)
  } catch (error) {
    // The old file must not stay without its name until the next start. What cannot be resolved now stays recorded.
    if ((await resolve(folders, store, replacement, part).catch(() => 'open')) !== 'done') throw error
  }
}

interface RecoverOptions {
  /** Default: all projects. */
  readonly projectId?: string
  /** See `forEachIsolated`. */
  readonly canWait?: (error: AppError) => boolean
}

/**
 * Finishes or undoes the replacements of a process that ended. To be run before anything else touches the files. Those
 * that the disk does not allow stay recorded, and so do those whose folder is missing, and those whose error `canWait`
 * accepts. The service may have another file by now: a file that was replaced is queued to be compared.
 */
export async function recoverReplacements(
  folders: ArchiveFolders,
  store: Store,
  logger: Logger,
  { projectId, canWait }: RecoverOptions = {},
): Promise<void> {
  const what = 'finish the replacement of a file'
  const facts = ({ assetId }: Replacement) => ({ asset: assetId })
  const label = ({ assetId, versionPath }: Replacement) => store.assets.get(assetId)?.path ?? versionPath
  const pending = projectId === undefined ? store.versions.pending() : store.versions.pendingOfProject(projectId)
  await forEachIsolated(pending, { folders, logger, what, facts, label, canWait }, async (replacement) => {
    await resolve(folders, store, replacement)
  })
}

/**
 * Finishes a started replacement, so that the new file has the name, or undoes it, so that the old one has. It stays
 * open if the checklist's folder is missing: it may have been renamed, and have the files. Rejects without a change if
 * a folder of the path became a link: it is not known which files are there.
 */
async function resolve(
  folders: ArchiveFolders,
  store: Store,
  replacement: Replacement,
  part?: FinishedPart,
): Promise<'done' | 'undone' | 'open'> {
  const { root } = folders
  const asset = store.assets.get(replacement.assetId)
  const checklist = asset && store.checklists.get(asset.checklistKey)
  const project = checklist && store.projects.get(checklist.projectId)
  if (asset === undefined || project === undefined || project.folder === null) {
    store.versions.end(replacement.assetId)
    return 'undone'
  }
  if (!existsInside(root, checklist?.folder ?? posix.dirname(asset.path))) return 'open'
  const current = asset.path
  const partAt = partPath(project.folder, asset.id, folders.installation)
  const isGone = (await hashIfFile(root, current)) === undefined
  if (isGone && (await hashIfFile(root, partAt))?.sha256 === replacement.sha256) {
    // If that fails, the old file gets its name back below.
    await folders.publish(partAt, current).catch(() => undefined)
  }
  const now = await hashIfFile(root, current)
  if (now?.sha256 === replacement.sha256) {
    await complete(folders, store, asset, project.id, replacement, part)
    return 'done'
  }
  if (now === undefined && (await hashIfFile(root, replacement.versionPath)) !== undefined) {
    await folders.move(replacement.versionPath, current)
    // A rebuild may have recorded the old file where it was.
    store.versions.forget(replacement.versionPath)
  }
  store.versions.end(asset.id)
  return 'undone'
}

async function moveOldAway(folders: ArchiveFolders, path: string, to: string): Promise<void> {
  if ((await lstatInside(folders.root, path))?.isFile() !== true) return
  await folders.move(path, to)
}

async function complete(
  folders: ArchiveFolders,
  store: Store,
  asset: AssetToDownload,
  projectId: string,
  replacement: Replacement,
  /** The download; `undefined` if it is not known any more, as after a crash. */
  part: FinishedPart | undefined,
): Promise<void> {
  const { versionPath: oldPath, replacedAt } = replacement
  await folders.sync()
  // The old file is recorded with its actual bytes, even if a user had edited it.
  const old = await hashIfFile(folders.root, oldPath)
  store.transaction(() => {
    if (old !== undefined) store.versions.insert({ path: oldPath, assetId: asset.id, ...old, replacedAt })
    const of = { projectId, checklistKey: asset.checklistKey, assetId: asset.id }
    const facts = { count: 1, fileKind: asset.kind }
    if (old !== undefined) store.activity.count({ ...of, at: replacedAt, kind: 'files-replaced', facts })
    store.versions.end(asset.id)
    if (part === undefined) recordForCheck(store, asset, projectId, replacement)
    else recordDownload(store, part, replacedAt)
    store.projects.setChecksumsStale(projectId, true)
    store.checklists.markDocumentStale(asset.checklistKey)
  })
}

/**
 * Records a file whose download is not known here: without its URL it has no validators, and it may not be the
 * service's current one. Must be called in a transaction.
 */
export function recordForCheck(
  store: Store,
  { id }: Pick<AssetToDownload, 'id'>,
  projectId: string,
  replacement: Omit<Replacement, 'assetId' | 'versionPath'>,
): void {
  const { sha256, sizeBytes, replacedAt: archivedAt } = replacement
  // Its folder was missing for a while, and it was downloaded again.
  if (store.assets.get(id)?.sha256 === sha256) return
  const unknown = { etag: null, lastModified: null, urlIdentity: null }
  store.assets.markArchived({ id, sha256, sizeBytes, archivedAt, ...unknown }, false)
  // A file that the service no longer lists cannot be downloaded; listed again, it is queued as a new one.
  if (store.assets.get(id)?.present === 1) store.jobs.enqueue(id, projectId, 'refetch')
}

/** Returns a free path. Paths contain the second; of two replacements within one, the later gets the next second. */
function freeVersionPath(root: string, checklistFolder: string, path: string, nowIso: string): string {
  for (let atMs = Date.parse(nowIso); ; atMs += 1000) {
    const candidate = versionPath(checklistFolder, path, new Date(atMs).toISOString())
    if (!existsInside(root, candidate)) return candidate
  }
}

/** Returns undefined if there is no regular file at the path. */
export async function hashIfFile(root: string, path: string): Promise<FileHash | undefined> {
  const found = await lstatInside(root, path)
  return found?.isFile() === true ? atPath(root, path, (absolute) => hashFile(absolute)) : undefined
}
