import { errorPolicy, isErrorCode, stopsPass } from '../../../shared/error-policy.ts'
import { type GapReason, isOfProject, type SyncFailure, syncReportSchema } from '../../../shared/domain.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import { countOf, formatBytes, formatCount, formatDuration } from '../../../shared/format.ts'
import { plainText } from '../../app/log/plain-text.ts'
import { adviceAfter } from '../../app/token/token-reader.ts'
import type { ArchiveAccess } from '../../app/archive-access.ts'
import type { SyncResult } from '../../engine/engine.ts'
import { systemClock } from '../../engine/lib/system-clock.ts'
import { countedGaps, exitCodeOfSync, type FailOn } from '../exit-code-of-report.ts'
import type { Outcome, Painter } from '../output/console-output.ts'
import { type ChecklistGap, countWaiting, gapsOf, groupGaps, listSome } from '../output/gaps.ts'
import { createSyncLine } from '../output/progress.ts'
import type { Session } from '../session.ts'
import { describeRestored } from './verify.ts'

/** One sync, and the gaps that are left in its checklists. */
interface Pass {
  readonly report: SyncResult
  readonly gaps: readonly ChecklistGap[]
}

/** Syncs the named projects, or all, with progress on the console. */
async function runPass(session: Session<ArchiveAccess>, projectIds: readonly string[] = []): Promise<Pass> {
  const { engine, output, log, signal } = session
  const line = createSyncLine(output, systemClock)
  const syncing = engine
    .sync({
      signal,
      onProgress: (progress) => line.show(progress),
      ...(projectIds.length === 0 ? {} : { projectIds }),
    })
    .finally(() => line.end())
  const reading = readNewFiles(session, syncing)
  const report = await syncing
  const gaps = gapsOf(await engine.status(), projectIds)
  const note = setTimeout(
    () => output.note('Reading the text of new reports ... Ctrl+C leaves it for later.'),
    silentMs,
  )
  await reading
  clearTimeout(note)
  const { failures, ...counts } = report
  log.info('A pass ended', { ...counts, failures: failures.length, gaps: gaps.length })
  return { report, gaps }
}

/** Time after which it is said what the command still does. */
const silentMs = 2_000

/**
 * Time after the sync to read new files: some hundred reports. Scripts wait for its end; the next sync, watch, or start
 * of the app reads the rest.
 */
const maxReadingMs = 3_000

/** Reads what the search finds in new files, beside the sync. Neither a stop nor a failure changes its result. */
async function readNewFiles({ engine, log, signal }: Session<ArchiveAccess>, syncing: Promise<unknown>): Promise<void> {
  try {
    await engine.readNewFiles({ signal, maxMs: maxReadingMs, beside: syncing })
  } catch (thrown) {
    const isSynced = await syncing.then(
      () => true,
      () => false,
    )
    if (isSynced && !signal.aborted) log.warn('New files could not be read', { code: toAppError(thrown).code })
  }
}

export interface FailOnFlags {
  readonly failOn?: FailOn
}

/**
 * `sync [ID...] [--fail-on errors|gaps]`. Throws `wrong-usage` without projects: nothing would be archived, and a cron
 * job would look fine.
 */
export async function syncCommand(
  session: Session<ArchiveAccess>,
  projectIds: readonly string[],
  { failOn = 'gaps' }: FailOnFlags,
  addHint: string,
): Promise<Outcome> {
  const isOfAll = projectIds.length === 0
  if (isOfAll && session.engine.projects.list().length === 0) throw new AppError('wrong-usage', addHint)
  const { report, gaps } = await runPass(session, projectIds)
  const { paint } = session.output
  const projects = session.engine.projects.list()
  const exitCode = exitCodeOfSync(report, gaps, failOn)
  const counted = countedGaps(gaps, failOn)
  // Of the result, the public document has the report's fields only.
  const document = { ...syncReportSchema.parse(report), waiting: countWaiting(gaps) }
  return {
    exitCode,
    document,
    summary: [
      ...describeSync(report, session.settings.archiveFolder, paint),
      ...describeGapsByReason(
        gaps.filter((gap) => !counted.includes(gap)),
        'Waiting for the service or the crew',
        paint,
      ),
    ],
    problems: [
      ...describeRestored(report.renamed, paint),
      ...describeSyncProblems(report, counted, projectNames(projects), paint),
      ...adviceAfter(report.failures, session.tokenAdvice),
    ],
  }
}

/** Returns the name of a project by its ID. */
export type NameOf = (projectId: string) => string

export function projectNames(projects: readonly { readonly id: string; readonly name: string }[]): NameOf {
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  return (projectId) => names.get(projectId) ?? projectId
}

/** Returns what a sync did, in three lines; without those of a sync that one error stopped before it did anything. */
export function describeSync(report: SyncResult, archiveFolder: string, paint: Painter): string[] {
  const archive = `Archive: ${plainText(archiveFolder)}`
  const { notSynced, projects } = report
  if (notSynced >= projects && report.filesDownloaded === 0 && stoppingErrors(report).size > 0) return [archive]
  const { filesDownloaded, filesUnchanged, bytesDownloaded, apiCalls } = report
  const nothing = report.failures.length === 0 ? 'Nothing new to download' : 'Nothing downloaded'
  const news =
    filesDownloaded === 0 ? nothing : `${countOf(filesDownloaded, 'file')} downloaded (${formatBytes(bytesDownloaded)})`
  const before = filesUnchanged === 0 ? '' : `, ${formatCount(filesUnchanged)} already archived`
  return [paint.title(describeReach(report)), `${news}${before}, ${countOf(apiCalls, 'call')} to the service.`, archive]
}

/** Returns which projects and checklists the sync reached. */
function describeReach({ projects, notSynced, checklists, durationMs, filesDownloaded }: SyncResult): string {
  const time = formatDuration(durationMs)
  if (projects === 0) return 'No project was left to sync: they were removed from the list meanwhile.'
  if (notSynced >= projects) {
    const what = filesDownloaded === 0 ? 'be synced' : 'be synced completely'
    return `No project could ${what}; tried for ${time}.`
  }
  const all = countOf(projects, 'project')
  const done = notSynced === 0 ? all : `${formatCount(projects - notSynced)} of ${all}`
  if (checklists === 0) return `${done} checked in ${time}; no checklists yet.`
  return `${done}, ${countOf(checklists, 'checklist')} checked in ${time}.`
}

/** Lines below the heading of a cause: with it, and a line that counts the others, at most ten. */
const maxLocations = 8

/** Causes of failures and of gaps that are listed. */
const maxCauses = 12

/** Returns the failures of a sync and the gaps of its checklists, grouped by cause; empty if there are none. */
export function describeSyncProblems(
  report: SyncResult,
  gaps: readonly ChecklistGap[],
  nameOf: NameOf,
  paint: Painter,
): string[] {
  const outages = new Set(report.outages.map(({ message }) => message))
  const ofAll = stoppingErrors(report)
  const own = distinct(report.failures.filter(({ message }) => !ofAll.has(message) && !outages.has(message)))
  const left = gapsBesides(report, gaps)
  const lines = [
    ...describeOutages(report, paint),
    ...[...ofAll].map((message) => paint.bad(`${plainText(message)} ${sentence(describeLeft(report))}`)),
  ]
  if (own.length > 0) {
    lines.push(
      paint.bad(`Failed (${formatCount(own.length)}):`),
      ...describeCauses(groupFailures(own, nameOf), '--json'),
    )
  }
  return [...lines, ...describeGapsByReason(left, 'Not complete yet', paint)]
}

/** Returns the messages of errors, other than outages, that stopped the sync of all projects. */
function stoppingErrors({ failures, outages }: SyncResult): Set<string> {
  const isOutage = (failure: SyncFailure) => outages.some(({ message }) => message === failure.message)
  const stopping = failures.filter((failure) => isOfProject(failure) && stopsPass(failure.code) && !isOutage(failure))
  return new Set(stopping.map(({ message }) => message))
}

/** Returns gaps by reason under a heading; empty if there are none. */
function describeGapsByReason(gaps: readonly ChecklistGap[], heading: string, paint: Painter): string[] {
  if (gaps.length === 0) return []
  const checklists = new Set(gaps.map(({ checklistId, projectId }) => JSON.stringify([projectId, checklistId]))).size
  const groups = groupGaps(gaps).map(({ cause, locations }) => ({ heading: `${cause}:`, locations }))
  return [
    paint.waiting(`${heading} (${countOf(checklists, 'checklist')}):`),
    ...describeCauses(groups, '"status --json"'),
  ]
}

/** Returns what waits because a host is down, and the reason for each host; empty if none is. */
function describeOutages(report: SyncResult, paint: Painter): string[] {
  const { outages, notSynced, projects, filesDownloaded } = report
  if (outages.length === 0) return []
  const isNetwork = outages.some(({ code }) => errorPolicy[code].scope === 'network')
  const wasReached = notSynced < projects || filesDownloaded > 0
  const noService = notSynced > 0 ? 'Service not available' : 'Download server not available'
  const heading = !isNetwork ? noService : wasReached ? 'Connection lost' : 'No connection'
  return [
    paint.bad(`${heading}: ${describeLeft(report)}. The next sync continues.`),
    ...outages.map(({ message }) => indent(plainText(message))),
  ]
}

/** Returns what a sync left that ended early: "1,981 files wait, and 2 projects were not synced (Maple, Oak)". */
function describeLeft({ filesWaiting, notSynced, projects, failedProjects }: SyncResult): string {
  const names = failedProjects.slice(0, maxNames).map(({ name }) => plainText(name))
  const more =
    failedProjects.length > names.length ? `, and ${formatCount(failedProjects.length - names.length)} more` : ''
  const named = notSynced === projects || names.length === 0 ? '' : ` (${names.join(', ')}${more})`
  return [
    ...(filesWaiting === 0 ? [] : [`${countOf(filesWaiting, 'file')} ${filesWaiting === 1 ? 'waits' : 'wait'}`]),
    ...(notSynced === 0
      ? []
      : [`${countOf(notSynced, 'project')} ${notSynced === 1 ? 'was' : 'were'} not synced${named}`]),
  ].join(', and ')
}

const maxNames = 3

const sentence = (text: string) => (text === '' ? '' : `${text}.`)

/** Returns the gaps that no failure of this sync explains already. */
function gapsBesides({ failures, filesWaiting }: SyncResult, gaps: readonly ChecklistGap[]): ChecklistGap[] {
  const keyOf = (projectId: string, checklistId: string | null, reason: string) =>
    JSON.stringify([projectId, checklistId, reason])
  const explained = new Set<string>()
  for (const { projectId, checklistId, path, code } of failures) {
    if (path !== null && isErrorCode(code)) explained.add(keyOf(projectId, checklistId, errorPolicy[code].gap))
    else if (checklistId !== null) {
      for (const reason of notRead) explained.add(keyOf(projectId, checklistId, reason))
    }
  }
  return gaps.filter(({ projectId, checklistId, reason }) => {
    if (reason === 'not downloaded yet' && filesWaiting > 0) return false
    return !explained.has(keyOf(projectId, checklistId, reason))
  })
}

/** Gaps of a checklist that could not be read. */
const notRead: readonly GapReason[] = ['not read yet', 'not checked yet']

interface Cause {
  readonly heading: string
  readonly locations: readonly string[]
}

function describeCauses(causes: readonly Cause[], whereAll: string): string[] {
  const shown = causes.slice(0, maxCauses)
  const others = causes.slice(maxCauses).reduce((sum, { locations }) => sum + Math.max(1, locations.length), 0)
  return [
    ...shown.flatMap(({ heading, locations }) => [
      indent(heading),
      ...listSome(locations, maxLocations, `${whereAll} lists all`).map((line) => indent(indent(line))),
    ]),
    ...(others === 0 ? [] : [indent(`... and ${formatCount(others)} more (${whereAll} lists all)`)]),
  ]
}

/** Returns each failure once: several questions of a checklist may fail alike. */
function distinct(failures: readonly SyncFailure[]): SyncFailure[] {
  const keyOf = ({ projectId, checklistId, path, message }: SyncFailure) =>
    JSON.stringify([projectId, checklistId, path, message])
  return [...new Map(failures.map((failure) => [keyOf(failure), failure])).values()]
}

/** Returns the failures by cause: one line for a single failure, else the reason once with everything it concerns. */
function groupFailures(failures: readonly SyncFailure[], nameOf: NameOf): Cause[] {
  const groups = Map.groupBy(failures, (failure) => JSON.stringify([kindOf(failure), failure.message]))
  return [...groups.values()].flatMap((concerned) => {
    const [first, ...more] = concerned
    if (first === undefined) return []
    if (more.length === 0) return [{ heading: describeFailure(first, nameOf), locations: [] }]
    return [
      {
        heading: `${countOf(concerned.length, kindOf(first))}: ${plainText(first.message)}`,
        locations: concerned.map((failure) => describeSubject(failure, nameOf)),
      },
    ]
  })
}

function kindOf({ checklistId, path }: SyncFailure): 'file' | 'checklist' | 'project' {
  return path !== null ? 'file' : checklistId !== null ? 'checklist' : 'project'
}

/** Returns a failed project, checklist, or file with the reason. */
export function describeFailure(failure: SyncFailure, nameOf: NameOf): string {
  return `${describeSubject(failure, nameOf)}: ${plainText(failure.message)}`
}

function describeSubject({ projectId, checklistId, checklistTitle, path }: SyncFailure, nameOf: NameOf): string {
  const name = nameOf(projectId)
  if (path !== null) return plainText(path)
  if (checklistId !== null) return plainText(`${name} / ${checklistTitle ?? checklistId}`)
  // To remove a project, its ID is needed.
  return plainText(name === projectId ? projectId : `${name} (${projectId})`)
}

function indent(line: string): string {
  return `  ${line}`
}
