import type { StatusReport } from '../../../shared/domain.ts'
import type { SyncResult } from '../../engine/engine.ts'
import { countOf, formatCount } from '../format/count-of.ts'
import { formatBytes } from '../format/format-bytes.ts'
import { formatDuration } from '../format/format-duration.ts'
import type { Painter } from '../output/painter.ts'
import { plainText } from '../format/plain-text.ts'
import { type ChecklistGap, isUpstream } from './checklist-gaps.ts'
import { describeSyncProblems, gapLines, projectNames } from './describe-sync.ts'
import { listSome } from './list-some.ts'

export interface FirstSteps {
  readonly report: SyncResult
  readonly status: StatusReport
  readonly gaps: readonly ChecklistGap[]
  readonly archiveFolder: string
  readonly platform: NodeJS.Platform
}

/** The end of `npm start`: what is archived now, what the service still owes, where the files are, what to do next. */
export function describeStart({ report, status, gaps, archiveFolder, platform }: FirstSteps, paint: Painter): string[] {
  const checklists = status.projects.flatMap((project) => project.checklists)
  const archivedFiles = checklists.reduce((sum, checklist) => sum + checklist.archivedFiles, 0)
  const upstream = gaps.filter(isUpstream)
  const problems = describeSyncProblems(
    report,
    gaps.filter((gap) => !isUpstream(gap)),
    projectNames(status.projects),
    paint,
  )
  const news =
    report.filesDownloaded === 0
      ? 'Nothing was new this time'
      : `${countOf(report.filesDownloaded, 'file')} downloaded (${formatBytes(report.bytesDownloaded)})`
  return [
    paint.title(
      `${countOf(status.projects.length, 'project')} with ${countOf(checklists.length, 'checklist')} archived: ` +
        `${formatCount(archivedFiles)} files on your disk.`,
    ),
    `${news}, in ${formatDuration(report.durationMs)} and with ${countOf(report.apiCalls, 'call')} to the service.`,
    ...(problems.length === 0 ? [] : ['', ...problems]),
    ...(upstream.length === 0
      ? []
      : ['', paint.waiting('The service does not have these yet; a later pass fetches them:'), ...waiting(upstream)]),
    '',
    paint.title('The files are here, a folder a project:'),
    `  ${plainText(archiveFolder)}`,
    '',
    paint.title('To archive your own service:'),
    `  ${setVariable(platform)}   (an administrator of the account makes a token)`,
    '  npm run --silent cli -- projects add <project id>    or: projects discover',
    '  npm run --silent cli -- sync',
    'All commands: npm run --silent cli -- --help',
  ]
}

function waiting(gaps: readonly ChecklistGap[]): string[] {
  return listSome(gapLines(gaps), 12, 'and more in the app').map((line) => `  ${line}`)
}

function setVariable(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'set SOLARCHIVE_TOKEN=<token>' : 'export SOLARCHIVE_TOKEN=<token>'
}
