import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { lstatIfThere } from '../lib/fs/lstat-if-exists.ts'
import { hashFile } from '../lib/fs/hash-file.ts'
import { resolveInside } from '../archive/inside-archive.ts'
import { forEachIsolated } from '../lib/for-each-isolated.ts'
import type { Logger } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'
import type { JobRow } from '../store/jobs-store.ts'

/**
 * Records the files that an ended process had given their names, and not recorded. They were whole on the disk before
 * they were renamed. Their jobs stay, so that each is compared with what the service has: by now that can be another
 * file, which replaces this one as any other, or none. To be run while what was under way is still marked as running.
 */
export async function adoptPlaced(folders: ArchiveFolders, store: Store, logger: Logger): Promise<void> {
  const what = 'look at a file of the archive'
  const facts = ({ assetId, projectId }: JobRow) => ({ project: projectId, asset: assetId })
  await forEachIsolated(store.jobs.listRunning(), { folders, logger, what, facts }, async ({ assetId, projectId }) => {
    const asset = store.assets.get(assetId)
    if (asset === undefined || asset.sha256 !== null) return
    const path = resolveInside(folders.root, asset.path)
    const found = await lstatIfThere(path)
    // Where files have one name only, an empty one keeps the name free for a moment: nothing of it was ours yet.
    if (found?.isFile() !== true || found.size === 0) return
    const file = await hashFile(path)
    store.transaction(() => {
      store.assets.adopt({ ...file, id: asset.id, archivedAt: found.mtime.toISOString() })
      store.projects.setChecksumsStale(projectId, true)
      store.checklists.markDocumentStale(asset.checklistKey)
    })
  })
}
