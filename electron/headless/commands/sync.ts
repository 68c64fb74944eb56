import { errorPolicy, stopsPass } from '../../../shared/error-policy.ts'
import { type SyncFailure, syncReportSchema } from '../../../shared/domain.ts'
import { AppError } from '../../../shared/errors.ts'
import { countOf, formatBytes, formatCount, formatDuration } from '../../../shared/format.ts'
import { plainText } from '../../app/log/plain-text.ts'
import { adviceAfter } from '../../app/token/token-reader.ts'
import type { SyncResult } from '../../engine/engine.ts'
import { systemClock } from '../../engine/lib/system-clock.ts'
import { exitCodeOfSync } from '../exit-codes.ts'
import type { Outcome, Painter } from '../output/console-output.ts'
import { type ChecklistGap, describeGap, gapsOf, listSome } from '../output/gaps.ts'
import { followSync } from '../output/progress.ts'
import type { Session } from '../session.ts'

/** One sync, and the gaps that are left in its checklists. */
interface Pass {
  readonly report: SyncResult
  readonly gaps: readonly ChecklistGap[]
}

/** Syncs the named projects, or all, with progress on the console. */
async function runPass(session: Session, projectIds: readonly string[] = []): Promise<Pass> {
  const { engine, output, log, signal } = session
  const stopFollowing = followSync(engine.events, output, systemClock)
  try {
    const report = await engine.sync({ signal, ...(projectIds.length === 0 ? {} : { projectIds }) })
    const gaps = gapsOf(await engine.status(), projectIds)
    const { failures, ...counts } = report
    log.info('A pass ended', { ...counts, failures: failures.length, gaps: gaps.length })
    return { report, gaps }
  } finally {
    stopFollowing()
  }
}

/** `sync [ID...]`. Throws `wrong-usage` without projects: nothing would be archived, and a cron job would look fine. */
export async function syncCommand(session: Session, projectIds: readonly string[], addHint: string): Promise<Outcome> {
  const isOfAll = projectIds.length === 0
  if (isOfAll && session.engine.projects.list().length === 0) throw new AppError('wrong-usage', addHint)
  const { report, gaps } = await runPass(session, projectIds)
  const { paint } = session.output
  const projects = session.engine.projects.list()
  const exitCode = exitCodeOfSync(report, gaps)
  // The public document has the report's fields only.
  const document = syncReportSchema.parse(report)
  return {
    exitCode,
    document,
    summary: describeSync(report, session.settings.archiveFolder, paint),
    problems: [
      ...describeSyncProblems(report, gaps, projectNames(projects), paint),
      ...adviceAfter(report.failures, session.tokenAdvice),
    ],
  }
}

/** Maximum of listed failures and of listed gaps; `status` and `--json` have them all. */
const listedLines = 20

/** Returns the name of a project by its ID. */
export type NameOf = (projectId: string) => string

export function projectNames(projects: readonly { readonly id: string; readonly name: string }[]): NameOf {
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  return (projectId) => names.get(projectId) ?? projectId
}

/** Returns what a sync did, in three lines. */
export function describeSync(report: SyncResult, archiveFolder: string, paint: Painter): string[] {
  const { filesDownloaded, filesUnchanged, bytesDownloaded, apiCalls } = report
  const nothing = report.failures.length === 0 ? 'Nothing new to download' : 'Nothing downloaded'
  const news =
    filesDownloaded === 0 ? nothing : `${countOf(filesDownloaded, 'file')} downloaded (${formatBytes(bytesDownloaded)})`
  const before = filesUnchanged === 0 ? '' : `, ${formatCount(filesUnchanged)} already archived`
  return [
    paint.title(describeReach(report)),
    `${news}${before}, ${countOf(apiCalls, 'call')} to the service.`,
    `Archive: ${plainText(archiveFolder)}`,
  ]
}

/** Returns which projects and checklists the sync reached. */
function describeReach({ projects, notSynced, checklists, durationMs }: SyncResult): string {
  const time = formatDuration(durationMs)
  if (notSynced >= projects) return `No project could be synced; tried for ${time}.`
  const all = countOf(projects, 'project')
  const done = notSynced === 0 ? all : `${formatCount(projects - notSynced)} of ${all}`
  if (checklists === 0) return `${done} checked in ${time}; no checklists yet.`
  return `${done}, ${countOf(checklists, 'checklist')} checked in ${time}.`
}

function describeNotSynced(notSynced: number): string {
  return `${countOf(notSynced, 'project')} ${notSynced === 1 ? 'was' : 'were'} not synced.`
}

/** Returns what waits because a host is down, and the reason for each host; empty if none is. */
function describeOutages(report: SyncResult, paint: Painter): string[] {
  const { outages, filesWaiting, notSynced, projects, filesDownloaded } = report
  if (outages.length === 0) return []
  const isNetwork = outages.some(({ code }) => errorPolicy[code].scope === 'network')
  const wasReached = notSynced < projects || filesDownloaded > 0
  const heading = !isNetwork ? 'Service not available' : wasReached ? 'Connection lost' : 'No connection'
  const left = [
    ...(filesWaiting === 0 ? [] : [`${countOf(filesWaiting, 'file')} ${filesWaiting === 1 ? 'waits' : 'wait'}`]),
    ...(notSynced === 0 ? [] : [describeNotSynced(notSynced).replace(/\.$/, '')]),
  ]
  return [
    paint.bad(`${heading}: ${left.join(', and ')}. The next sync continues.`),
    ...outages.map(({ message }) => indent(plainText(message))),
  ]
}

/** Returns the failures of a sync and the gaps of its checklists; empty if there are none. */
export function describeSyncProblems(
  report: SyncResult,
  gaps: readonly ChecklistGap[],
  nameOf: NameOf,
  paint: Painter,
): string[] {
  const outages = new Set(report.outages.map(({ message }) => message))
  const isOfProject = ({ path, checklistId }: SyncFailure) => path === null && checklistId === null
  const isOfAll = (failure: SyncFailure) =>
    isOfProject(failure) && !outages.has(failure.message) && stopsPass(failure.code)
  const ofAll = new Set(report.failures.filter(isOfAll).map(({ message }) => message))
  const own = report.failures.filter(({ message }) => !ofAll.has(message) && !outages.has(message))
  const lines = [
    ...describeOutages(report, paint),
    ...[...ofAll].map((message) => paint.bad(`${plainText(message)} ${describeNotSynced(report.notSynced)}`)),
  ]
  if (own.length > 0) {
    lines.push(paint.bad(`Failed (${formatCount(own.length)}):`))
    lines.push(...listSome(failureLines(own, nameOf), listedLines, '--json lists all').map(indent))
  }
  if (gaps.length > 0) {
    const checklists = new Set(gaps.map(headingOf)).size
    lines.push(paint.waiting(`Not complete yet (${countOf(checklists, 'checklist')}):`))
    lines.push(...listSome(gapLines(gaps), listedLines, '"status" lists all').map(indent))
  }
  return lines
}

/** Returns one line for all projects that failed for the same reason, and one for each file and checklist. */
function failureLines(failures: readonly SyncFailure[], nameOf: NameOf): string[] {
  const ofProjects = failures.filter(({ checklistId, path }) => checklistId === null && path === null)
  const others = failures.filter((failure) => !ofProjects.includes(failure))
  const reasons = [...Map.groupBy(ofProjects, ({ message }) => message)]
  return [
    ...reasons.map(([message, [first, ...more]]) =>
      first === undefined || more.length > 0
        ? `${countOf(more.length + 1, 'project')}: ${plainText(message)}`
        : describeFailure(first, nameOf),
    ),
    ...others.map((failure) => describeFailure(failure, nameOf)),
  ]
}

/** Returns a failed project, checklist, or file with the reason. */
export function describeFailure({ projectId, checklistId, path, message }: SyncFailure, nameOf: NameOf): string {
  const project = nameOf(projectId)
  const what = path ?? (checklistId === null ? project : `${project}, checklist ${checklistId}`)
  return `${plainText(what)}: ${plainText(message)}`
}

/** Returns each gap on its own line, under its project and checklist. */
function gapLines(gaps: readonly ChecklistGap[]): string[] {
  const lines: string[] = []
  let heading = ''
  for (const gap of gaps) {
    const wanted = headingOf(gap)
    if (wanted !== heading) lines.push(wanted)
    heading = wanted
    lines.push(indent(describeGap(gap)))
  }
  return lines
}

function headingOf({ projectName, checklistTitle }: ChecklistGap): string {
  return `${plainText(projectName)} / ${plainText(checklistTitle)}`
}

function indent(line: string): string {
  return `  ${line}`
}
