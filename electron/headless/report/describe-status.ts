import type { ChecklistState, StatusReport } from '../../../shared/domain.ts'
import { countOf, formatCount } from '../format/count-of.ts'
import { formatTable } from '../format/format-table.ts'
import type { Painter } from '../output/painter.ts'
import { plainText } from '../format/plain-text.ts'
import { describeGap, gapsOf, isUpstream, statusWords } from './checklist-gaps.ts'

type ProjectStatus = StatusReport['projects'][number]

/** The completeness of every checklist: a table a project, with what is missing under each, and one line that sums up. */
export function describeStatus(report: StatusReport, archiveFolder: string, paint: Painter): string[] {
  if (report.projects.length === 0) return []
  return [
    ...report.projects.flatMap((project) => [...describeProject(project, paint), '']),
    `Archive: ${plainText(archiveFolder)}`,
    sumUp(report, paint),
  ]
}

function describeProject(project: ProjectStatus, paint: Painter): string[] {
  const heading = `${paint.title(plainText(project.name))} ${paint.faint(`(${plainText(project.id)})`)}`
  if (project.checklists.length === 0) return [heading, '  No checklists archived yet.']

  const rows = project.checklists.map((checklist) => [
    plainText(checklist.title),
    statusWords(checklist.status),
    `${formatCount(checklist.archivedFiles)} of ${formatCount(checklist.expectedFiles)}`,
    verdict(checklist),
  ])
  const [header = '', ...lines] = formatTable(
    [
      { title: 'Checklist', maxWidth: 44 },
      { title: 'Status', maxWidth: 24 },
      { title: 'Files', align: 'right' },
      { title: '' },
    ],
    rows,
  )
  return [
    heading,
    `  ${paint.faint(header)}`,
    ...project.checklists.flatMap((checklist, i) => {
      const colour = checklist.gaps.length === 0 ? paint.good : paint.waiting
      const words = verdict(checklist)
      const line = lines[i] ?? ''
      return [
        `  ${words !== '' && line.endsWith(words) ? line.slice(0, -words.length) + colour(words) : line}`,
        ...checklist.gaps.map((gap) => `      ${describeGap(gap)}`),
      ]
    }),
  ]
}

function verdict({ complete, expectedFiles, archivedFiles, gaps }: ChecklistState): string {
  if (gaps.length > 0) return `${formatCount(Math.max(1, expectedFiles - archivedFiles))} missing`
  if (expectedFiles === 0) return 'no files yet'
  // All that there is so far; the report, say, is still being made.
  return complete ? 'complete' : 'all so far'
}

function sumUp(report: StatusReport, paint: Painter): string {
  const checklists = report.projects.flatMap((project) => project.checklists)
  const gaps = gapsOf(report)
  if (gaps.length === 0) {
    return paint.good(`${countOf(checklists.length, 'checklist')}: everything that there is to archive is archived.`)
  }
  const open = checklists.filter((checklist) => checklist.gaps.length > 0).length
  const whose = gaps.every(isUpstream) ? ' Solarchive has all that the service offers so far.' : ''
  return paint.waiting(
    `Complete: ${formatCount(checklists.length - open)} of ${countOf(checklists.length, 'checklist')}. ` +
      `Files are missing in ${formatCount(open)}.${whose}`,
  )
}
