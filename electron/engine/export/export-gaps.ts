import type { Gap } from '../../../shared/domain.ts'
import type { ExportGap } from '../../../shared/export.ts'
import type { ExportPart } from '../../../shared/export-parts.ts'
import type { ExportPlan } from './plan-export.ts'

/** Kinds of gaps that concern each part: of the files that it has, or says something about. */
const kindsOf: Readonly<Record<ExportPart, readonly Gap['kind'][]>> = {
  reports: ['report', 'checklist'],
  photos: ['photos', 'checklist'],
  thumbnails: ['thumbnails', 'checklist'],
  tables: ['report', 'photos', 'checklist'],
  geo: ['photos', 'checklist'],
  xmp: ['photos', 'checklist'],
  'contact-sheet': ['photos', 'checklist'],
  certificate: ['report', 'photos', 'thumbnails', 'checklist'],
}

/**
 * Returns what is missing in an export: what the archive does not have of it, and projects that no sync has completed.
 */
export function gapsOfExport(plan: ExportPlan, include: readonly ExportPart[]): ExportGap[] {
  const kinds = new Set(include.flatMap((part) => kindsOf[part]))
  return plan.projects.flatMap((project) => {
    const names = { projectId: project.id, projectName: project.name }
    const unread: ExportGap[] =
      project.isSynced || !project.isWhole
        ? []
        : [{ ...names, ...noChecklist, question: 'Project', expected: 0, archived: 0, reason: 'not read yet' }]
    const gaps = project.checklists.flatMap((checklist) =>
      checklist.gaps
        .filter(({ kind }) => kinds.has(kind))
        .map(({ question, expected, archived, reason }) => ({
          ...names,
          checklistId: checklist.id,
          checklistTitle: checklist.title,
          question,
          expected,
          archived,
          reason,
        })),
    )
    return [...unread, ...gaps]
  })
}

const noChecklist = { checklistId: null, checklistTitle: null }
