import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { moveDurably } from '../lib/fs/durable-files.ts'
import { hashFile } from '../lib/fs/hash-file.ts'
import { resolveInside } from '../archive/inside-archive.ts'
import { versionPath } from '../archive/layout.ts'
import { lstatIfExists } from '../lib/fs/disk-error.ts'
import { forEachIsolated } from '../lib/for-each-isolated.ts'
import type { Logger } from '../lib/ports.ts'
import type { AssetRow } from '../store/assets-store.ts'
import type { Store } from '../store/create-store.ts'
import type { Replacement } from '../store/versions-store.ts'
import { partPath, type FinishedPart } from './part-file.ts'

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
    etag: part.etag,
    lastModified: part.lastModified,
  }
  store.versions.begin(replacement)
  try {
    // Another installation on this archive may have stored the new file already: then there is no old one to move.
    const isThere = (await hashOrNull(resolveInside(root, asset.path))) === part.sha256
    if (!isThere) await moveOldAway(folders, asset.path, replacement.versionPath)
    await folders.publish(part.partPath, asset.path)
    await complete(folders, store, asset, part.projectId, replacement, part.urlIdentity)
  } catch (error) {
    // The old file must not stay without its name until the next start. What cannot be resolved now stays recorded.
    if ((await resolve(folders, store, replacement).catch(() => 'open')) !== 'done') throw error
  }
}

/**
 * Finishes or undoes the replacements of a process that ended. To be run before anything else touches the archive.
 * Those that the disk does not allow stay recorded.
 */
export async function recoverReplacements(folders: ArchiveFolders, store: Store, logger: Logger): Promise<void> {
  const what = 'finish the replacement of a file'
  const facts = ({ assetId }: Replacement) => ({ asset: assetId })
  await forEachIsolated(store.versions.pending(), { folders, logger, what, facts }, async (replacement) => {
    await resolve(folders, store, replacement)
  })
}

/** Finishes a started replacement, so that the new file has the name, or undoes it, so that the old one has. */
async function resolve(folders: ArchiveFolders, store: Store, replacement: Replacement): Promise<'done' | 'undone'> {
  const { root } = folders
  const asset = store.assets.get(replacement.assetId)
  const project = asset && store.projects.get(store.checklists.get(asset.checklistKey)?.projectId ?? '')
  if (asset === undefined || project === undefined || project.folder === null) {
    store.versions.end(replacement.assetId)
    return 'undone'
  }
  const current = resolveInside(root, asset.path)
  const old = resolveInside(root, replacement.versionPath)
  const part = resolveInside(root, partPath(project.folder, asset.id, folders.installation))
  if ((await hashOrNull(current)) === null && (await hashOrNull(part)) === replacement.sha256) {
    // If that fails, the old file gets its name back below.
    await folders.publish(part, asset.path).catch(() => undefined)
  }
  const now = await hashOrNull(current)
  if (now === replacement.sha256) {
    await complete(folders, store, asset, project.id, replacement, null)
    return 'done'
  }
  if (now === null && (await hashOrNull(old)) !== null) {
    await moveDurably(old, current)
  }
  store.versions.end(asset.id)
  return 'undone'
}

async function moveOldAway(folders: ArchiveFolders, path: string, to: string): Promise<void> {
  const current = resolveInside(folders.root, path)
  if (!(await isFile(current))) return
  await folders.move(path, to)
}

async function complete(
  folders: ArchiveFolders,
  store: Store,
  asset: AssetRow,
  projectId: string,
  replacement: Replacement,
  /** `null` if it is not known any more. */
  urlIdentity: string | null,
): Promise<void> {
  const { versionPath: oldPath, replacedAt, sha256, sizeBytes, etag, lastModified } = replacement
  await folders.sync()
  const oldFile = resolveInside(folders.root, oldPath)
  // The old file is recorded with its actual bytes, even if a user had edited it.
  const old = (await isFile(oldFile)) ? await hashFile(oldFile) : undefined
  store.transaction(() => {
    if (old !== undefined) store.versions.insert({ path: oldPath, assetId: asset.id, ...old, replacedAt })
    const of = { projectId, checklistKey: asset.checklistKey, assetId: asset.id }
    const facts = { count: 1, fileKind: asset.kind }
    if (old !== undefined) store.activity.count({ ...of, at: replacedAt, kind: 'files-replaced', facts })
    store.versions.end(asset.id)
    store.assets.markArchived({
      id: asset.id,
      sha256,
      sizeBytes,
      etag,
      lastModified,
      archivedAt: replacedAt,
      urlIdentity,
    })
    store.jobs.finish(asset.id)
    store.projects.setChecksumsStale(projectId, true)
    store.checklists.markDocumentStale(asset.checklistKey)
  })
}

/** Returns a free path. Paths contain the second; of two replacements within one, the later gets the next second. */
function freeVersionPath(root: string, checklistFolder: string, path: string, nowIso: string): string {
  for (let atMs = Date.parse(nowIso); ; atMs += 1000) {
    const candidate = versionPath(checklistFolder, path, new Date(atMs).toISOString())
    if (!existsSync(resolveInside(root, candidate))) return candidate
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await lstatIfExists(path))?.isFile() ?? false
}

async function hashOrNull(path: string): Promise<string | null> {
  return (await isFile(path)) ? (await hashFile(path)).sha256 : null
}
