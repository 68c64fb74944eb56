import { stat } from 'node:fs/promises'
import type { StatusReport } from '../../../shared/domain.ts'
import { findMissing } from '../archive/find-missing.ts'
import type { Store } from '../store/create-store.ts'
import { reckonChecklist } from './ledger.ts'
import { checklistRows } from './note-entries.ts'

/**
 * The completeness of every checklist of the active projects. Files that are recorded but not on the disk do not count
 * as archived, unless the archive's root itself is not there (a drive that is not connected).
 */
export async function reportStatus(store: Store, root: string): Promise<StatusReport> {
  const rootIsThere = (await stat(root).catch(() => undefined))?.isDirectory() ?? false
  const projects: StatusReport['projects'] = []
  for (const { id, name, folder } of store.projects.listActive()) {
    const paths = store.assets.archivedPaths(id).map(({ path }) => path)
    const missing = rootIsThere ? await findMissing(root, paths) : new Set<string>()
    const checklists = store.checklists.listForProject(id).map((checklist) => {
      const rows = checklistRows(store, checklist)
      const assets = rows.assets.map((asset) => (missing.has(asset.path) ? { ...asset, sha256: null } : asset))
      return reckonChecklist({ ...rows, assets }).state
    })
    projects.push({ id, name: name ?? id, folder, checklists })
  }
  return { projects }
}
