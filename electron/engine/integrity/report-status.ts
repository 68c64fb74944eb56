import type { ChecklistState, ReportedChecklist, StatusReport } from '../../../shared/domain.ts'
import { permissionErrorOf } from '../lib/fs/disk-error.ts'
import { findMissingOrResized, type MissingFiles } from '../integrity/find-missing.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import {
  checklistRows,
  evaluateChecklist,
  type ChecklistRows,
  type CompletenessRows,
} from '../checklists/completeness.ts'
import { requireKnownArchive } from '../recovery/open-archive.ts'

const nothingLost: MissingFiles = { missing: new Set(), resized: new Set() }

/**
 * The completeness of every checklist of the active projects. Files that are recorded but not on the disk, or have
 * another size there, do not count as archived, and neither do those that may not be looked at or that a verify found damaged.
 * Throws `archive-unavailable` when the folder is not the archive.
 */
export async function reportStatus(store: Store, root: string): Promise<StatusReport> {
  await requireKnownArchive(root, store)
  const projects: StatusReport['projects'] = []
  for (const { id, name, folder } of store.projects.listActive()) {
    const checklists: ReportedChecklist[] = []
    for (const key of store.checklists.keysForProject(id)) {
      const checklist = store.checklists.get(key)
      if (checklist === undefined) continue
      const state = await evaluateOnDisk(store, root, checklist)
      checklists.push({ ...state, gaps: state.gaps.map(({ kind: _, ...reported }) => reported) })
    }
    projects.push({ id, name: name ?? id, folder, checklists })
  }
  return { projects }
}

async function evaluateOnDisk(store: Store, root: string, checklist: ChecklistRow): Promise<ChecklistState> {
  const files = store.assets.archivedFiles(checklist.key)
  const rows = checklistRows(store, checklist)
  const lost = files.length === 0 ? nothingLost : await findMissingOrResized(root, files).catch(refusedOrThrow)
  if (lost === 'refused') return evaluateChecklist(withoutFiles(rows)).state
  const assets = rows.assets.map((asset) => {
    if (lost.missing.has(asset.path)) return { ...asset, damage: 'missing' as const }
    return lost.resized.has(asset.path) ? { ...asset, damage: 'changed' as const } : asset
  })
  return evaluateChecklist({ ...rows, assets }).state
}

function refusedOrThrow(error: unknown): 'refused' {
  if (permissionErrorOf(error) === undefined) throw error
  return 'refused'
}

/** Of all that is recorded it is unknown whether it is there, and the disk is the reason. */
function withoutFiles(rows: ChecklistRows): CompletenessRows {
  const assets = rows.assets.map((asset) =>
    asset.sha256 === null ? asset : { ...asset, sha256: null, present: 1 as const },
  )
  return { ...rows, assets, jobs: assets.map(({ id }) => ({ assetId: id, errorCode: 'disk-error' })) }
}
