import type { ChecklistState, StatusReport } from '../../../shared/domain.ts'
import { findLost, type LostFiles } from '../archive/find-lost.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import { reckonChecklist } from './ledger.ts'
import { checklistRows } from './note-entries.ts'
import { requireRightFolder } from './open-archive.ts'

const nothingLost: LostFiles = { missing: new Set(), resized: new Set() }

/**
 * The completeness of every checklist of the active projects. Files that are recorded but not on the disk, or have
 * another size there, do not count as archived. Throws `archive-unavailable` when the folder is not the archive.
 */
export async function reportStatus(store: Store, root: string): Promise<StatusReport> {
  await requireRightFolder(root, store)
  const projects: StatusReport['projects'] = []
  for (const { id, name, folder } of store.projects.listActive()) {
    const checklists: ChecklistState[] = []
    for (const key of store.checklists.keysForProject(id)) {
      const checklist = store.checklists.get(key)
      if (checklist !== undefined) checklists.push(await reckonOnDisk(store, root, checklist))
    }
    projects.push({ id, name: name ?? id, folder, checklists })
  }
  return { projects }
}

async function reckonOnDisk(store: Store, root: string, checklist: ChecklistRow): Promise<ChecklistState> {
  const files = store.assets.archivedFiles(checklist.key)
  const { missing, resized } = files.length === 0 ? nothingLost : await findLost(root, files)
  const isLost = (path: string) => missing.has(path) || resized.has(path)
  const rows = checklistRows(store, checklist)
  const assets = rows.assets.map((asset) => (isLost(asset.path) ? { ...asset, sha256: null } : asset))
  return reckonChecklist({ ...rows, assets }).state
}
