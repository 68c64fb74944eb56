import type { Gap } from '../../../shared/domain.ts'
import type { ExportGap } from '../../../shared/export.ts'
import type { ExportPart } from '../../../shared/export-parts.ts'
import type { ExportPlan, PlannedChecklist } from './plan-export.ts'
import type { ExportedFile } from './name-files.ts'

/** Part of an export that a gap concerns; a checklist's own gap concerns all. */
const partOf: Readonly<Record<Gap['kind'], ExportPart | null>> = {
  photos: 'photos',
  thumbnails: 'thumbnails',
  report: 'reports',
  checklist: null,
}

/**
 * Returns what is missing in an export: what the archive does not have of it, files that could not be read, and projects
 * that no sync has completed. An export of tables alone has the gaps of all parts.
 */
export function gapsOfExport(
  plan: ExportPlan,
  include: readonly ExportPart[],
  exported: readonly ExportedFile[],
): ExportGap[] {
  const hasFiles = Object.values(partOf).some((part) => part !== null && include.includes(part))
  const isMeant = ({ kind }: Gap) => !hasFiles || partOf[kind] === null || include.includes(partOf[kind])
  const lost = Map.groupBy(
    exported.filter(({ isWritten }) => !isWritten),
    ({ checklist }) => checklist,
  )
  return plan.projects.flatMap((project) => {
    const names = { projectId: project.id, projectName: project.name }
    const unread: ExportGap[] =
      project.isSynced || !project.isWhole
        ? []
        : [{ ...names, ...noChecklist, question: 'Project', expected: 0, archived: 0, reason: 'not read yet' }]
    const gaps = project.checklists.flatMap((checklist) =>
      withLost(checklist, lost.get(checklist) ?? [])
        .filter(isMeant)
        .map(({ question, expected, archived, reason }) => ({
          ...names,
          ...{ checklistId: checklist.id, checklistTitle: checklist.title, question, expected, archived, reason },
        })),
    )
    return [...unread, ...gaps]
  })
}

const noChecklist = { checklistId: null, checklistTitle: null }

/** Returns the gaps of a checklist with the files that the archive folder turned out not to have. */
function withLost({ gaps, questions }: PlannedChecklist, lost: readonly ExportedFile[]): Gap[] {
  const all = [...gaps]
  const groups = Map.groupBy(lost, ({ question, file }) => lineOf(file.kind, question?.question))
  for (const [key, files] of groups) {
    const index = all.findIndex((gap) => JSON.stringify([gap.kind, gap.question]) === key)
    const known = all[index]
    if (known !== undefined) {
      all[index] = { ...known, archived: Math.max(0, known.archived - files.length) }
      continue
    }
    const [kind, question] = JSON.parse(key) as [Gap['kind'], string]
    const own = questions.filter((planned) => planned === files[0]?.question).flatMap(({ photos }) => photos)
    const expected =
      kind === 'report'
        ? 1
        : own.filter((photo) => kind === 'photos' || (kind === 'thumbnails' && photo.thumbnail !== null)).length
    all.push({ kind, question, expected, archived: expected - files.length, reason: 'damaged' })
  }
  return all
}

/** Returns the kind and the label of the line that a file counts for; see `completeness.ts`. */
function lineOf(kind: ExportedFile['file']['kind'], question: string | undefined): string {
  if (kind === 'report') return JSON.stringify(['report', 'Report'])
  return JSON.stringify(kind === 'photo' ? ['photos', question] : ['thumbnails', `${question} (thumbnails)`])
}
