import type { Gap } from '../../../shared/domain.ts'
import { findMissingOrResized } from '../downloads/find-missing.ts'
import type { ExportDeps } from './exports.ts'
import { nullIfLost, openPlanned } from './open-planned.ts'
import {
  type ExportPlan,
  filesOf,
  type PlannedChecklist,
  type PlannedFile,
  type PlannedProject,
  type PlannedQuestion,
} from './plan-export.ts'

/**
 * Returns the ids of those files of the plans that are missing in the archive folder or have another size, in their
 * places and among the earlier versions. Files that are copied need no such look: their content is compared. Throws
 * `archive-unavailable`, and `disk-error` for a file of which this is unknown.
 */
export async function findLost(
  { store, root, mayBlock = false }: Pick<ExportDeps, 'store' | 'root' | 'mayBlock'>,
  plans: readonly ExportPlan[],
  { isCopied, signal }: { readonly isCopied: (assetId: number) => boolean; readonly signal: AbortSignal },
): Promise<Set<number>> {
  const planned = plans.flatMap(({ projects }) =>
    projects.flatMap(({ checklists }) => checklists.flatMap((checklist) => [...filesOf(checklist)])),
  )
  const files = planned.filter(({ assetId }) => !isCopied(assetId))
  const { missing, resized } = await findMissingOrResized(root, files, { mayBlock })
  const lost = new Set<number>()
  for (const file of files) {
    if (lost.has(file.assetId) || !(missing.has(file.path) || resized.has(file.path))) continue
    const asset = await openPlanned(store, root, file, signal).catch(nullIfLost)
    if (asset === null) lost.add(file.assetId)
    else await asset.handle.close()
  }
  return lost
}

/**
 * Returns a project as if a verify had found the lost files: they are gaps with the reason `damaged`, and what they
 * belong to is not complete. `lost` has ids of assets that are missing or changed in the archive folder.
 */
export function withoutLost(project: PlannedProject, lost: ReadonlySet<number>): PlannedProject {
  if (lost.size === 0) return project
  return { ...project, checklists: project.checklists.map((checklist) => checklistWithout(checklist, lost)) }
}

/** Returns a checklist without lost files; see `withoutLost`. */
export function checklistWithout(checklist: PlannedChecklist, lost: ReadonlySet<number>): PlannedChecklist {
  const count = [...filesOf(checklist)].filter(({ assetId }) => lost.has(assetId)).length
  if (count === 0) return checklist
  const isReportLost = checklist.report !== null && lost.has(checklist.report.assetId)
  const questions = checklist.questions.map((question) => questionWithout(question, lost))
  const ofQuestions = new Set(checklist.questions.flatMap(({ gaps }) => gaps))
  const others = checklist.gaps.filter((gap) => !ofQuestions.has(gap))
  const reports = others.filter(({ kind }) => kind === 'report')
  return {
    ...checklist,
    complete: false,
    archivedFiles: checklist.archivedFiles - count,
    report: isReportLost ? null : checklist.report,
    questions,
    gaps: [
      ...(isReportLost
        ? [{ kind: 'report' as const, question: 'Report', expected: 1, archived: 0, reason: 'damaged' as const }]
        : reports),
      ...questions.flatMap(({ gaps }) => gaps),
      ...others.filter(({ kind }) => kind !== 'report'),
    ],
  }
}

/** Returns a question without lost files; see `withoutLost`. */
export function questionWithout(question: PlannedQuestion, lost: ReadonlySet<number>): PlannedQuestion {
  const isThere = ({ assetId }: PlannedFile) => !lost.has(assetId)
  const photos = question.photos.filter(isThere)
  const thumbnails = [...question.photos.flatMap(({ thumbnail }) => thumbnail ?? []), ...question.loneThumbnails]
  const gaps = [
    ...damagedGaps(question, 'photos', question.expectedPhotos, question.photos.length - photos.length),
    ...damagedGaps(question, 'thumbnails', thumbnails.length, thumbnails.length - thumbnails.filter(isThere).length),
  ]
  const kept = photos.map((photo) => ({
    ...photo,
    thumbnail: photo.thumbnail !== null && isThere(photo.thumbnail) ? photo.thumbnail : null,
  }))
  return { ...question, photos: kept, loneThumbnails: question.loneThumbnails.filter(isThere), gaps }
}

/** Returns the gap of a question's photos or thumbnails; more damage replaces the reason that was known. */
function damagedGaps({ question, gaps }: PlannedQuestion, kind: Gap['kind'], expected: number, lost: number): Gap[] {
  const known = gaps.filter((gap) => gap.kind === kind)
  if (lost === 0) return known
  const [line = { expected, archived: expected }] = known
  const all = Math.max(line.expected, expected)
  return [
    {
      kind,
      question: kind === 'thumbnails' ? `${question} (thumbnails)` : question,
      expected: all,
      archived: Math.max(0, all - (line.expected - line.archived) - lost),
      reason: 'damaged',
    },
  ]
}
