import type { ChecklistState, ReportedChecklist, StatusReport } from '../../../shared/domain.ts'
import type { StatusQuery } from '../engine.ts'
import { permissionErrorOf } from '../lib/fs/disk-error.ts'
import { findMissingOrResized, type MissingFiles } from '../downloads/find-missing.ts'
import type { Store } from '../store/create-store.ts'
import { evaluateChecklist, type CompletenessRows } from '../checklists/completeness.ts'
import type { AssetForCompleteness } from '../store/assets-store.ts'
import type { ChecklistForCompleteness } from '../store/checklists-store.ts'
import { chosenProjects } from '../projects/project-list.ts'
import { requireKnownArchive } from '../recovery/open-archive.ts'

type IsLost = (assetId: number) => boolean

const nothingLost: MissingFiles = { missing: new Set(), resized: new Set() }

interface StatusOptions extends Pick<StatusQuery, 'into'> {
  /** Default: all active projects. */
  readonly projectIds?: readonly string[] | undefined
  /**
   * Called for each recorded file that is missing on the disk or has another size. Returns whether it counts as lost.
   */
  readonly isLost?: IsLost
  /** True in a process that does nothing else meanwhile; see `findMissingOrResized`. */
  readonly mayBlock?: boolean
}

/**
 * Returns the completeness of every checklist of the active projects, or of those that are named. Throws `not-found`
 * for an unknown project. Recorded files that are missing on the disk, have another size, are inaccessible, or were
 * found damaged by a verify do not count as archived. Throws `archive-unavailable` if the folder is not the archive.
 */
export async function reportStatus(
  store: Store,
  root: string,
  { projectIds, into, isLost = () => true, mayBlock = false }: StatusOptions = {},
): Promise<StatusReport> {
  await requireKnownArchive(root, store)
  const projects: StatusReport['projects'] = []
  let batch: AskedChecklist[] = []
  let begun: StatusReport['projects'] = []
  /** Evaluates the batch. All projects are complete then, except the one that is being read. */
  const evaluateBatch = async (reading?: (typeof projects)[number]) => {
    await evaluateOnDisk(root, readRows(store, batch), { isLost, mayBlock })
    batch = []
    for (const project of begun) {
      if (project === reading) continue
      if (into === undefined) projects.push(project)
      else into.add(project)
    }
    begun = reading === undefined ? [] : [reading]
  }
  const chosen = chosenProjects(store.projects.listActive(), projectIds)
  for (let start = 0; start < chosen.length; start += projectsAtOnce) {
    const some = chosen.slice(start, start + projectsAtOnce)
    const rows = store.checklists.listForCompleteness(some.map(({ id }) => id))
    const ofProject = Map.groupBy(rows, ({ projectId }) => projectId)
    for (const { id, name, folder } of some) {
      const checklists: ReportedChecklist[] = []
      const project = { id, name: name ?? id, folder, checklists }
      begun.push(project)
      const report = ({ gaps, ...state }: ChecklistState) =>
        checklists.push({ ...state, gaps: gaps.map(({ kind: _, ...reported }) => reported) })
      for (const checklist of ofProject.get(id) ?? []) {
        batch.push({ checklist, report })
        if (batch.length >= checklistsAtOnce) await evaluateBatch(project)
      }
    }
  }
  await evaluateBatch()
  return { projects }
}

/** Checklists per batch, with the rows of all their files in memory. One at a time would take a query for each. */
const checklistsAtOnce = 20

/** Projects per batch, with all their checklists in memory. */
const projectsAtOnce = 50

interface AskedChecklist {
  readonly checklist: ChecklistForCompleteness
  /** Called with the result, in the order of the checklists. */
  readonly report: (state: ChecklistState) => void
}

/** A checklist with its rows, as recorded in the database at one moment. */
interface RecordedChecklist extends AskedChecklist, Omit<CompletenessRows, 'checklist'> {
  readonly assets: readonly AssetForCompleteness[]
}

function readRows(store: Store, asked: readonly AskedChecklist[]): RecordedChecklist[] {
  const keys = asked.map(({ checklist }) => checklist.key)
  const ofChecklist = <Of extends { readonly checklistKey: number }>(rows: readonly Of[]) => {
    const groups = Map.groupBy(rows, ({ checklistKey }) => checklistKey)
    return (key: number) => groups.get(key) ?? []
  }
  const questions = ofChecklist(store.questions.listForChecklists(keys))
  const assets = ofChecklist(store.assets.listForCompleteness(keys))
  const jobs = ofChecklist(store.jobs.errorsForChecklists(keys))
  return asked.map((one) => {
    const { key } = one.checklist
    return { ...one, questions: questions(key), assets: assets(key), jobs: jobs(key) }
  })
}

async function evaluateOnDisk(
  root: string,
  recorded: readonly RecordedChecklist[],
  options: Required<Pick<StatusOptions, 'isLost' | 'mayBlock'>>,
): Promise<void> {
  const archived = recorded.flatMap(({ assets }) =>
    assets.flatMap(({ path, sha256, sizeBytes }) =>
      sha256 === null || sizeBytes === null ? [] : [{ path, sizeBytes }],
    ),
  )
  const lost =
    archived.length === 0 ? nothingLost : await findMissingOrResized(root, archived, options).catch(inaccessibleOrThrow)
  if (lost === 'inaccessible' && recorded.length > 1) {
    for (const checklist of recorded) await evaluateOnDisk(root, [checklist], options)
    return
  }
  for (const rows of recorded) {
    const found = lost === 'inaccessible' ? withoutFiles(rows) : withLost(rows, lost, options.isLost)
    rows.report(evaluateChecklist(found).state)
  }
}

function withLost(rows: RecordedChecklist, { missing, resized }: MissingFiles, isLost: IsLost): CompletenessRows {
  if (missing.size + resized.size === 0) return rows
  const assets = rows.assets.map((asset) => {
    const { id, path } = asset
    if (!(missing.has(path) || resized.has(path)) || !isLost(id)) return asset
    return { ...asset, damage: missing.has(path) ? ('missing' as const) : ('changed' as const) }
  })
  return { ...rows, assets }
}

function inaccessibleOrThrow(error: unknown): 'inaccessible' {
  if (permissionErrorOf(error) === undefined) throw error
  return 'inaccessible'
}

/** Returns the rows as if no file were archived, with a disk error as the reason, for a folder that cannot be read. */
function withoutFiles(rows: RecordedChecklist): CompletenessRows {
  const assets = rows.assets.map((asset) =>
    asset.sha256 === null ? asset : { ...asset, sha256: null, present: 1 as const },
  )
  return { ...rows, assets, jobs: assets.map(({ id }) => ({ assetId: id, errorCode: 'disk-error' })) }
}
