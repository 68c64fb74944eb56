import { lstat } from 'node:fs/promises'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { hashFile } from '../archive/hash-file.ts'
import { resolveInside } from '../archive/inside-archive.ts'
import type { Store } from '../store/create-store.ts'

/**
 * Records the files that an ended process had given their names, and not recorded. They were whole on the disk before
 * they were renamed. Their jobs stay, so that each is compared with what the service has: by now that can be another
 * file, which replaces this one as any other, or none. To be run while what was under way is still marked as running.
 */
export async function adoptPlaced(folders: ArchiveFolders, store: Store): Promise<void> {
  for (const { assetId, projectId } of store.jobs.listRunning()) {
    const asset = store.assets.get(assetId)
    if (asset === undefined || asset.sha256 !== null) continue
    const path = resolveInside(folders.root, asset.path)
    const found = await lstat(path).catch(() => undefined)
    if (found?.isFile() !== true) continue
    const file = await hashFile(path)
    store.transaction(() => {
      store.assets.adopt({ ...file, id: asset.id, archivedAt: found.mtime.toISOString() })
      store.projects.setChecksumsStale(projectId, true)
      store.checklists.markDocumentStale(asset.checklistKey)
    })
  }
}
