import type { ReportedChecklist, StatusReport } from '../../../shared/domain.ts'
import { countOf, formatCount } from '../format/count-of.ts'
import { formatTable } from '../format/format-table.ts'
import type { Painter } from '../output/painter.ts'
import { plainText } from '../../app/log/plain-text.ts'
import { describeGap, gapsOf, isUpstream, statusWords } from './checklist-gaps.ts'

type ProjectStatus = StatusReport['projects'][number]

/** Whether a checklist came back from the archive folder and was not looked at since. */
type IsRebuilt = (projectId: string, checklistId: string) => boolean

/** The completeness of every checklist: a table a project, with what is missing under each, and one line that sums up. */
export function describeStatus(
  report: StatusReport,
  archiveFolder: string,
  paint: Painter,
  isRebuilt: IsRebuilt = () => false,
): string[] {
  if (report.projects.length === 0) return []
  return [
    ...report.projects.flatMap((project) => [...describeProject(project, paint, isRebuilt), '']),
    `Archive: ${plainText(archiveFolder)}`,
    sumUp(report, paint),
  ]
}

function describeProject(project: ProjectStatus, paint: Painter, isRebuilt: IsRebuilt): string[] {
  const heading = `${paint.title(plainText(project.name))} ${paint.faint(`(${plainText(project.id)})`)}`
  if (project.checklists.length === 0) return [heading, '  No checklists archived yet.']

  const rows = project.checklists.map((checklist) => [
    plainText(checklist.title),
    statusWords(checklist.status),
    checklist.expectedFiles === 0
      ? '0'
      : `${formatCount(checklist.archivedFiles)} of ${formatCount(checklist.expectedFiles)}`,
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
        ...checklist.gaps.map((gap) => `      ${describeGap(gap, isRebuilt(project.id, checklist.id))}`),
      ]
    }),
  ]
}

function verdict({ complete, expectedFiles, archivedFiles, gaps }: ReportedChecklist): string {
  if (gaps.length > 0) {
    const missing = expectedFiles - archivedFiles
    return missing > 0 ? `${formatCount(missing)} missing` : 'uncertain'
  }
  if (expectedFiles === 0) return 'no files yet'
  // All that there is so far; the report, say, is still being made.
  return complete ? 'complete' : 'all so far'
}

function sumUp(report: StatusReport, paint: Painter): string {
  const checklists = report.projects.flatMap((project) => project.checklists)
  if (checklists.length === 0) return paint.waiting('Nothing is archived yet; "sync" does it.')
  const gaps = gapsOf(report)
  const complete = checklists.filter((checklist) => checklist.complete).length
  if (gaps.length === 0) {
    const inProgress = checklists.length - complete
    const rest =
      inProgress === 0 ? '' : ` ${formatCount(inProgress)} in progress at the service, archived as far as possible.`
    return paint.good(`${formatCount(complete)} of ${countOf(checklists.length, 'checklist')} complete.${rest}`)
  }
  const open = checklists.filter((checklist) => checklist.gaps.length > 0).length
  const whose = gaps.every(isUpstream) ? ' Solarchive has all that the service offers so far.' : ''
  return paint.waiting(
    `${formatCount(complete)} of ${countOf(checklists.length, 'checklist')} complete, ` +
      `${formatCount(open)} with something missing.${whose}`,
  )
}
