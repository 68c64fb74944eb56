import type { ChecklistState, ReportedChecklist, StatusReport } from '../../../shared/domain.ts'
import { permissionErrorOf } from '../lib/fs/disk-error.ts'
import { findMissingOrResized, type MissingFiles } from '../downloads/find-missing.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import {
  checklistRows,
  evaluateChecklist,
  type ChecklistRows,
  type CompletenessRows,
} from '../checklists/completeness.ts'
import { chosenProjects } from '../projects/project-list.ts'
import { requireKnownArchive } from '../recovery/open-archive.ts'

type IsLost = (assetId: number) => boolean

const nothingLost: MissingFiles = { missing: new Set(), resized: new Set() }

interface StatusOptions {
  /** Default: all active projects. */
  readonly projectIds?: readonly string[] | undefined
  /**
   * Called for each recorded file that is missing on the disk or has another size. Returns whether it counts as lost.
   */
  readonly isLost?: IsLost
}

/**
 * Returns the completeness of every checklist of the active projects, or of those that are named. Throws `not-found`
 * for an unknown project. Recorded files that are missing on the disk, have another size, are inaccessible, or were
 * found damaged by a verify do not count as archived. Throws `archive-unavailable` if the folder is not the archive.
 */
export async function reportStatus(
  store: Store,
  root: string,
  { projectIds, isLost = () => true }: StatusOptions = {},
): Promise<StatusReport> {
  await requireKnownArchive(root, store)
  const projects: StatusReport['projects'] = []
  for (const { id, name, folder } of chosenProjects(store.projects.listActive(), projectIds)) {
    const checklists: ReportedChecklist[] = []
    for (const key of store.checklists.keysForProject(id)) {
      const checklist = store.checklists.get(key)
      if (checklist === undefined) continue
      const state = await evaluateOnDisk(store, root, checklist, isLost)
      checklists.push({ ...state, gaps: state.gaps.map(({ kind: _, ...reported }) => reported) })
    }
    projects.push({ id, name: name ?? id, folder, checklists })
  }
  return { projects }
}

async function evaluateOnDisk(
  store: Store,
  root: string,
  checklist: ChecklistRow,
  isLost: IsLost,
): Promise<ChecklistState> {
  const files = store.assets.archivedFiles(checklist.key)
  const rows = checklistRows(store, checklist)
  const lost = files.length === 0 ? nothingLost : await findMissingOrResized(root, files).catch(inaccessibleOrThrow)
  if (lost === 'inaccessible') return evaluateChecklist(withoutFiles(rows)).state
  const assets = rows.assets.map((asset) => {
    const { id, path } = asset
    if (!(lost.missing.has(path) || lost.resized.has(path)) || !isLost(id)) return asset
    return { ...asset, damage: lost.missing.has(path) ? ('missing' as const) : ('changed' as const) }
  })
  return evaluateChecklist({ ...rows, assets }).state
}

function inaccessibleOrThrow(error: unknown): 'inaccessible' {
  if (permissionErrorOf(error) === undefined) throw error
  return 'inaccessible'
}

/** Returns the rows as if no file were archived, with a disk error as the reason, for a folder that cannot be read. */
function withoutFiles(rows: ChecklistRows): CompletenessRows {
  const assets = rows.assets.map((asset) =>
    asset.sha256 === null ? asset : { ...asset, sha256: null, present: 1 as const },
  )
  return { ...rows, assets, jobs: assets.map(({ id }) => ({ assetId: id, errorCode: 'disk-error' })) }
}
