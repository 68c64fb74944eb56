import type { SyncFailure, SyncReport } from '../../../shared/domain.ts'
import { countOf, formatCount } from '../format/count-of.ts'
import { formatBytes } from '../format/format-bytes.ts'
import { formatDuration } from '../format/format-duration.ts'
import type { Painter } from '../output/painter.ts'
import { plainText } from '../format/plain-text.ts'
import { type ChecklistGap, describeGap } from './checklist-gaps.ts'
import { listSome } from './list-some.ts'

/** A pass's failures and gaps are listed up to this many lines each; `status` and `--json` have them all. */
const listedLines = 20

/** What a pass did, in two or three lines. */
export function describeSync(report: SyncReport, archiveFolder: string, paint: Painter): string[] {
  const { projects, checklists, filesDownloaded, filesUnchanged, bytesDownloaded, apiCalls, durationMs } = report
  const nothing = report.failures.length === 0 ? 'Nothing new to download' : 'Nothing downloaded'
  const news =
    filesDownloaded === 0 ? nothing : `${countOf(filesDownloaded, 'file')} downloaded (${formatBytes(bytesDownloaded)})`
  return [
    paint.title(
      `${countOf(projects, 'project')}, ${countOf(checklists, 'checklist')} looked at in ${formatDuration(durationMs)}.`,
    ),
    `${news}, ${formatCount(filesUnchanged)} already archived, ${countOf(apiCalls, 'call')} to the service.`,
    `Archive: ${plainText(archiveFolder)}`,
  ]
}

/** What a pass could not do and what its checklists still lack; empty when all is well. */
export function describeSyncProblems(report: SyncReport, gaps: readonly ChecklistGap[], paint: Painter): string[] {
  const lines: string[] = []
  if (report.failures.length > 0) {
    lines.push(paint.bad(`Failed (${formatCount(report.failures.length)}):`))
    lines.push(...listSome(report.failures.map(describeFailure), listedLines, '--json lists all').map(indent))
  }
  if (gaps.length > 0) {
    lines.push(paint.waiting('Not complete yet:'))
    lines.push(...listSome(gapLines(gaps), listedLines, '"status" lists all').map(indent))
  }
  return lines
}

/** One project, checklist or file that failed, and why. */
export function describeFailure({ projectId, checklistId, path, message }: SyncFailure): string {
  const what = path ?? (checklistId === null ? `project ${projectId}` : `checklist ${checklistId}`)
  return `${plainText(what)}: ${plainText(message)}`
}

/** Each gap on a line of its own, under its project and checklist. */
export function gapLines(gaps: readonly ChecklistGap[]): string[] {
  const lines: string[] = []
  let heading = ''
  for (const gap of gaps) {
    const wanted = `${plainText(gap.projectName)} / ${plainText(gap.checklistTitle)}`
    if (wanted !== heading) lines.push(wanted)
    heading = wanted
    lines.push(indent(describeGap(gap)))
  }
  return lines
}

function indent(line: string): string {
  return `  ${line}`
}
