import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { checkFile } from '../archive/check-file.ts'
import { insideOrUndefined } from '../archive/inside-archive.ts'
import { lstatIfThere } from '../lib/fs/lstat-if-exists.ts'
import type { Logger } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'

export interface RegainParts {
  readonly folders: Pick<ArchiveFolders, 'root'>
  readonly store: Store
  readonly logger: Logger
}

/**
 * Lost files that are in their places again with the bytes that were archived, as when a person took them from a backup, are
 * archived from here on. Anything else there is nobody's proof. Rejects with the signal's reason when that aborts.
 */
export async function regainLost({ folders, store, logger }: RegainParts, projectId: string, signal: AbortSignal) {
  let regained = 0
  for (const { id, checklistKey, path, lostSha256 } of store.heldFiles.lostAssets(projectId)) {
    signal.throwIfAborted()
    const absolute = lostSha256 === null ? undefined : insideOrUndefined(folders.root, path)
    if (absolute === undefined || lostSha256 === null) continue
    const there = await lstatIfThere(absolute).catch(() => undefined)
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
