import type { Gap } from '../../../shared/domain.ts'
import {
  filesOf,
  type PlannedChecklist,
  type PlannedFile,
  type PlannedProject,
  type PlannedQuestion,
} from './plan-export.ts'

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
