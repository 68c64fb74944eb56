import type { Gap } from '../../../shared/domain.ts'
import type { ExportGap } from '../../../shared/export.ts'
import type { ExportPart } from '../../../shared/export-parts.ts'
import type { ExportPlan } from './plan-export.ts'

/** Part of an export that a gap concerns; a checklist's own gap concerns all. */
const partOf: Readonly<Record<Gap['kind'], ExportPart | null>> = {
  photos: 'photos',
  thumbnails: 'thumbnails',
  report: 'reports',
  checklist: null,
}

/**
 * Returns what is missing in an export: what the archive does not have of it, and projects that no sync has completed.
 * An export of tables alone has the gaps of all parts.
 */
export function gapsOfExport(plan: ExportPlan, include: readonly ExportPart[]): ExportGap[] {
  const hasFiles = Object.values(partOf).some((part) => part !== null && include.includes(part))
  const isMeant = ({ kind }: Gap) => !hasFiles || partOf[kind] === null || include.includes(partOf[kind])
  return plan.projects.flatMap((project) => {
    const names = { projectId: project.id, projectName: project.name }
    const unread: ExportGap[] =
      project.isSynced || !project.isWhole
        ? []
        : [{ ...names, ...noChecklist, question: 'Project', expected: 0, archived: 0, reason: 'not read yet' }]
    const gaps = project.checklists.flatMap((checklist) =>
      checklist.gaps.filter(isMeant).map(({ question, expected, archived, reason }) => ({
        ...names,
        ...{ checklistId: checklist.id, checklistTitle: checklist.title, question, expected, archived, reason },
      })),
    )
    return [...unread, ...gaps]
  })
}

const noChecklist = { checklistId: null, checklistTitle: null }
