import type { ReportedChecklist, StatusReport } from '../../../shared/domain.ts'
import { countOf, formatCount, formatDateTime } from '../../../shared/format.ts'
import { plainText } from '../../app/log/plain-text.ts'
import type { ArchiveReader, FailedFile } from '../../engine/engine.ts'
import { exitCodeOfStatus } from '../exit-codes.ts'
import type { Outcome, Painter } from '../output/console-output.ts'
import { describeGap, gapsOf, isUpstream, listSome, statusLabel } from '../output/gaps.ts'
import { formatTable } from '../output/table.ts'
import type { Session } from '../session.ts'

/** `status` */
export async function statusCommand(
  { engine, settings, output, signal }: Session<ArchiveReader>,
  addHint: string,
): Promise<Outcome> {
  const report = await engine.status({ signal })
  const unsynced = engine.unsynced().map(({ name, why }) => `  ${plainText(why === null ? name : `${name}: ${why}`)}`)
  const hints = report.projects.length === 0 ? [addHint] : []
  const keyOf = (projectId: string, checklistId: string) => JSON.stringify([projectId, checklistId])
  const rebuilt = new Set(engine.rebuilt().map(({ projectId, id }) => keyOf(projectId, id)))
  const isRebuilt = (projectId: string, checklistId: string) => rebuilt.has(keyOf(projectId, checklistId))
  const failed = describeFailedFiles(engine.failures(), output.paint)
  return {
    exitCode: exitCodeOfStatus(report, unsynced.length),
    document: report,
    answer: describeStatus(report, settings.archiveFolder, output.paint, isRebuilt),
    problems: [
      ...failed,
      ...(unsynced.length === 0
        ? hints
        : [`Not synced yet, or the last sync could not read them (${formatCount(unsynced.length)}):`, ...unsynced]),
    ],
  }
}

type ProjectStatus = StatusReport['projects'][number]

/** Returns true if a checklist was rebuilt from the archive folder and not checked since. */
type IsRebuilt = (projectId: string, checklistId: string) => boolean

/** Returns the completeness of every checklist: a table per project with its gaps, and a summary. */
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
    summarize(report, paint),
  ]
}

function describeProject(project: ProjectStatus, paint: Painter, isRebuilt: IsRebuilt): string[] {
  const heading = `${paint.title(plainText(project.name))} ${paint.faint(`(${plainText(project.id)})`)}`
  if (project.checklists.length === 0) return [heading, '  No checklists archived yet.']

  const rows = project.checklists.map((checklist) => [
    plainText(checklist.title),
    statusLabel(checklist.status),
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
      const color = checklist.gaps.length === 0 ? paint.good : paint.waiting
      const words = verdict(checklist)
      const line = lines[i] ?? ''
      return [
        `  ${words !== '' && line.endsWith(words) ? line.slice(0, -words.length) + color(words) : line}`,
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
  // Everything so far: the report, for example, is still being created.
  return complete ? 'complete' : 'all so far'
}

function summarize(report: StatusReport, paint: Painter): string {
  const checklists = report.projects.flatMap((project) => project.checklists)
  if (checklists.length === 0) return paint.waiting('Nothing is archived yet; run "sync".')
  const gaps = gapsOf(report)
  const complete = checklists.filter((checklist) => checklist.complete).length
  if (gaps.length === 0) {
    const inProgress = checklists.length - complete
    const rest =
      inProgress === 0 ? '' : ` ${formatCount(inProgress)} in progress at the service, archived as far as possible.`
    return paint.good(`${formatCount(complete)} of ${countOf(checklists.length, 'checklist')} complete.${rest}`)
  }
  const open = checklists.filter((checklist) => checklist.gaps.length > 0).length
  const whose = gaps.every(isUpstream) ? ' Solarchive has everything that the service offers so far.' : ''
  return paint.waiting(
    `${formatCount(complete)} of ${countOf(checklists.length, 'checklist')} complete, ` +
      `${formatCount(open)} with something missing.${whose}`,
  )
}

/** Maximum of listed files; the others are listed once these are fixed. */
const listedLines = 20

/** Returns the failed files, the reasons, and when `watch` retries them; empty if there are none. */
export function describeFailedFiles(files: readonly FailedFile[], paint: Painter): string[] {
  if (files.length === 0) return []
  const lines = files.map(({ path, message, nextTryAt }) => {
    const next = nextTryAt === null ? '' : ` "watch" retries at ${formatDateTime(nextTryAt)}.`
    return `  ${plainText(path)}: ${plainText(message)}${next}`
  })
  return [
    paint.bad(`Failed files (${formatCount(files.length)}); "sync" retries all of them now:`),
    ...listSome(lines, listedLines, 'listed once these are fixed'),
  ]
}
