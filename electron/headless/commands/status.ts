import type { GapReason, LastSync, ReportedChecklist, StatusReport } from '../../../shared/domain.ts'
import { countOf, formatCount, formatDateTime } from '../../../shared/format.ts'
import { plainText } from '../../app/log/plain-text.ts'
import type { ArchiveReader, FailedFile } from '../../engine/engine.ts'
import { systemClock } from '../../engine/lib/system-clock.ts'
import { countedGaps, exitCodeOfStatus, isUpstream, type FailOn } from '../exit-code-of-report.ts'
import type { ConsoleOutput, Outcome, Painter } from '../output/console-output.ts'
import { JsonList } from '../output/json-list.ts'
import { countWaiting, describeGaps, gapsOf, listSome, statusLabel } from '../output/gaps.ts'
import { formatTable } from '../output/table.ts'
import type { RunningOwner, Session } from '../session.ts'
import type { FailOnFlags } from './sync.ts'

/** `status [ID...] [--fail-on errors|gaps]` */
export async function statusCommand(
  { engine, settings, output, signal, owner }: Session<ArchiveReader>,
  projectIds: readonly string[],
  { failOn = 'gaps' }: FailOnFlags,
  addHint: string,
): Promise<Outcome> {
  const isSyncing = owner?.downloads === true
  const json = output.isJson ? jsonStatus(output, failOn) : undefined
  const report = await engine.status({ signal, projectIds, into: json })
  const isEmpty = report.projects.length + (json?.list.length ?? 0) === 0
  const isAsked = (projectId: string) => projectIds.length === 0 || projectIds.includes(projectId)
  const unsynced = engine.unsynced().filter(({ id }) => isAsked(id))
  const hints = isEmpty ? [addHint] : []
  const keyOf = (projectId: string, checklistId: string) => JSON.stringify([projectId, checklistId])
  const rebuilt = new Set(engine.rebuilt().map(({ projectId, id }) => keyOf(projectId, id)))
  const isRebuilt = (projectId: string, checklistId: string) => rebuilt.has(keyOf(projectId, checklistId))
  // Projects of a rebuilt database have checklists that are counted as not checked yet.
  const archived = new Set(report.projects.flatMap(({ id, checklists }) => (checklists.length > 0 ? [id] : [])))
  const unread = unsynced.filter(({ id, message }) => message !== null || !archived.has(id)).length
  const failedFiles = engine.countFailures(projectIds)
  const [lastSync, lastCheckAt] = [engine.lastSync(), engine.lastCheckAt()]
  const gaps = json?.gaps() ?? countedGaps(gapsOf(report), failOn).length
  const exitCode = exitCodeOfStatus(gaps, { unsynced: unsynced.length, failedFiles }, failOn)
  const problems = [
    ...describeFailedFiles(engine.failures(projectIds), failedFiles, output.paint, systemClock.nowMs()),
    ...describeUnsynced(unsynced),
    ...(unsynced.length === 0 ? hints : []),
  ]
  if (json !== undefined) {
    return {
      exitCode,
      list: { key: 'projects', items: json.list },
      document: { waiting: json.waiting(), unsynced, lastSync, lastCheckAt },
      problems,
    }
  }
  const damaged = report.projects.filter(isDamaged).map(({ id }) => id)
  const renamed = await engine.renamedFolders(damaged, signal)
  return {
    exitCode,
    answer: [
      ...describeStatus(report, settings.archiveFolder, output.paint, {
        isRebuilt,
        unread,
        failedFiles,
        isSyncing,
        renamed,
      }),
      ...(isEmpty ? [] : describeLastSync(lastSync, lastCheckAt, owner)),
    ],
    problems,
  }
}

/** Takes the projects of a status as JSON, with the counts that the rest of the command needs. */
function jsonStatus(output: ConsoleOutput, failOn: FailOn) {
  const list = new JsonList()
  let [gaps, waiting] = [0, 0]
  return {
    list,
    /** Number of gaps that count for the exit code. */
    gaps: () => gaps,
    waiting: () => waiting,
    add(project: ProjectStatus) {
      list.add(output.toListed(project))
      const all = project.checklists.flatMap((checklist) => checklist.gaps)
      gaps += countedGaps(all, failOn).length
      waiting += countWaiting(all)
    },
    clear() {
      list.clear()
      gaps = 0
      waiting = 0
    },
  }
}

/** Returns the projects that no sync has completed, by the reason. */
function describeUnsynced(unsynced: ReturnType<ArchiveReader['unsynced']>): string[] {
  if (unsynced.length === 0) return []
  const lines = [...Map.groupBy(unsynced, ({ message }) => message)].flatMap(([why, projects]) => {
    const names = projects.map(({ name }) => plainText(name))
    const [only = ''] = names
    if (why === null || names.length === 1)
      return names.length === 1 && why !== null ? [`${only}: ${plainText(why)}`] : names
    return [`${countOf(names.length, 'project')}: ${plainText(why)}`, ...names.map((name) => `  ${name}`)]
  })
  return [
    `Not synced yet, or the last sync could not read them (${formatCount(unsynced.length)}):`,
    ...lines.map((line) => `  ${line}`),
  ]
}

/** Returns when the last sync that a user started ended, and how, and when the service was asked since. */
function describeLastSync(
  last: LastSync | null,
  lastCheckAt: string | null,
  owner: RunningOwner | undefined,
): string[] {
  const isLater = lastCheckAt !== null && (last === null || lastCheckAt > (last.endedAt ?? last.startedAt))
  return [
    ...(last === null ? [] : [`Last sync: ${describeEnd(last, owner)}`]),
    ...(isLater ? [`The service was last asked: ${formatDateTime(lastCheckAt)}`] : []),
  ]
}

function describeEnd({ startedAt, endedAt, outcome, ...counts }: LastSync, owner: RunningOwner | undefined): string {
  if (endedAt === null) {
    // A later owner took over from one that was killed.
    const now =
      owner !== undefined && owner.since <= startedAt ? 'is running' : 'was interrupted; the next sync resumes it'
    return `started ${formatDateTime(startedAt)}, and ${now}.`
  }
  const { projects, notSynced, filesDownloaded, filesFailed, error } = counts
  const when = formatDateTime(endedAt)
  if (outcome === 'stopped') return `${when}, stopped before it finished.`
  const reason = error === null ? '' : ` ${plainText(error.message)}`
  if (outcome === 'failed') return `${when}, failed.${reason}`
  const results = [
    notSynced === 0
      ? countOf(projects, 'project')
      : `${formatCount(projects - notSynced)} of ${countOf(projects, 'project')}`,
    `${countOf(filesDownloaded, 'file')} downloaded`,
    ...(filesFailed === 0 ? [] : [`${formatCount(filesFailed)} failed or waiting`]),
  ]
  if (outcome === 'done') return `${when}: ${[...results, 'no failures'].join(', ')}.`
  return `${when}, with failures: ${results.join(', ')}.${reason}`
}

type ProjectStatus = StatusReport['projects'][number]

function isDamaged({ checklists }: ProjectStatus): boolean {
  return checklists.some(({ gaps }) => gaps.some(({ reason }) => reason === 'damaged'))
}

/** Returns true if a checklist was rebuilt from the archive folder and not checked since. */
type IsRebuilt = (projectId: string, checklistId: string) => boolean

interface StatusFacts {
  readonly isRebuilt?: IsRebuilt
  /** Projects that were never read, or that the last sync could not read. */
  readonly unread?: number
  readonly failedFiles?: number
  /** Another process syncs meanwhile. */
  readonly isSyncing?: boolean
  /** Folders that somebody renamed: the files in them do not count as archived until they have their names back. */
  readonly renamed?: Awaited<ReturnType<ArchiveReader['renamedFolders']>>
}

/** Returns the completeness of every checklist: a table per project with its gaps, and a summary. */
export function describeStatus(
  report: StatusReport,
  archiveFolder: string,
  paint: Painter,
  { isRebuilt = () => false, unread = 0, failedFiles = 0, isSyncing = false, renamed = [] }: StatusFacts = {},
): string[] {
  if (report.projects.length === 0) return []
  return [
    ...report.projects.flatMap((project) => [
      ...describeProject(project, paint, { isRebuilt, isSyncing, renamed }),
      '',
    ]),
    `Archive: ${plainText(archiveFolder)}`,
    summarize(report, { unread, failedFiles }, paint),
  ]
}

function describeProject(
  project: ProjectStatus,
  paint: Painter,
  { isRebuilt, isSyncing, renamed }: Required<Omit<StatusFacts, 'unread' | 'failedFiles'>>,
): string[] {
  const heading = `${paint.title(plainText(project.name))} ${paint.faint(`(${plainText(project.id)})`)}`
  const renamings = (folder: string | null) => renamed.filter(({ from }) => from === folder).map(describeRenaming)
  const ofProject = renamings(project.folder)
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
    ...ofProject.map((line) => `  ${line}`),
    `  ${paint.faint(header)}`,
    ...project.checklists.flatMap((checklist, i) => {
      const color = checklist.gaps.length === 0 ? paint.good : paint.waiting
      const words = verdict(checklist)
      const line = lines[i] ?? ''
      const ofChecklist = renamings(checklist.folder)
      const isRenamed = ofProject.length + ofChecklist.length > 0
      const gaps = isRenamed ? checklist.gaps.filter(({ reason }) => reason !== 'damaged') : checklist.gaps
      const context = { isRebuilt: isRebuilt(project.id, checklist.id), isSyncing }
      return [
        `  ${words !== '' && line.endsWith(words) ? line.slice(0, -words.length) + color(words) : line}`,
        ...[...ofChecklist, ...describeGaps(gaps, context)].map((text) => `      ${text}`),
      ]
    }),
  ]
}

function describeRenaming({ from, to }: Required<StatusFacts>['renamed'][number]): string {
  const change = `"${plainText(from)}" is now "${plainText(to)}"`
  return `Folder renamed: ${change}. "sync" or "verify --repair" restores its name.`
}

/** Reasons of gaps that the next sync closes by reading what the service has now; no file is known to be missing. */
const awaitsCheck: ReadonlySet<GapReason> = new Set(['not read yet', 'not checked yet'])

function verdict({ complete, expectedFiles, archivedFiles, gaps }: ReportedChecklist): string {
  if (gaps.length > 0) {
    const missing = expectedFiles - archivedFiles
    if (missing > 0) return `${formatCount(missing)} missing`
    if (gaps.some(({ reason }) => reason === 'report failed')) return 'report failed'
    return gaps.every(({ reason }) => awaitsCheck.has(reason)) ? 'not checked yet' : 'uncertain'
  }
  if (expectedFiles === 0) return 'no files yet'
  // Everything so far: the report, for example, is still being created.
  return complete ? 'complete' : 'all so far'
}

function summarize(
  report: StatusReport,
  { unread, failedFiles }: Required<Pick<StatusFacts, 'unread' | 'failedFiles'>>,
  paint: Painter,
): string {
  const checklists = report.projects.flatMap((project) => project.checklists)
  if (checklists.length === 0) return paint.waiting('Nothing is archived yet; run "sync".')
  const notRead = unread === 0 ? [] : [`${countOf(unread, 'project')} not synced yet or not readable`]
  const gaps = gapsOf(report)
  const complete = checklists.filter((checklist) => checklist.complete).length
  if (gaps.length === 0) {
    const inProgress = checklists.length - complete
    const rest =
      inProgress === 0 ? '' : ` ${formatCount(inProgress)} in progress at the service, archived as far as possible.`
    const counts = [`${formatCount(complete)} of ${countOf(checklists.length, 'checklist')} complete`, ...notRead]
    return (unread === 0 ? paint.good : paint.waiting)(`${counts.join(', ')}.${rest}`)
  }
  const open = checklists.filter((checklist) => checklist.gaps.length > 0)
  const unchecked = open.filter((checklist) => verdict(checklist) === 'not checked yet').length
  const incomplete = open.length - unchecked
  const whose =
    unread + failedFiles === 0 && gaps.every(isUpstream)
      ? ' Solarchive has everything that the service offered when it was last asked.'
      : ''
  const inProgress = checklists.length - complete - open.length
  const left = [
    ...(inProgress === 0 ? [] : [`${formatCount(inProgress)} in progress`]),
    ...(incomplete === 0 ? [] : [`${formatCount(incomplete)} with something missing`]),
    ...(unchecked === 0 ? [] : [`${formatCount(unchecked)} not checked yet (run "sync")`]),
    ...notRead,
  ]
  return paint.waiting(
    `${formatCount(complete)} of ${countOf(checklists.length, 'checklist')} complete, ${left.join(', ')}.${whose}`,
  )
}

/** Listed files of a cause; the others are listed once these are fixed. */
const listedFiles = 8
const listedLater = 'listed once these are fixed'

/** Returns the first failed files of `total` by reason, and when `watch` retries them; empty if there are none. */
export function describeFailedFiles(
  files: readonly FailedFile[],
  total: number,
  paint: Painter,
  nowMs: number,
): string[] {
  if (files.length === 0) return []
  const causes = [...Map.groupBy(files, ({ message }) => message)].flatMap(([message, concerned]) => {
    const times = concerned.flatMap(({ nextTryAt }) => nextTryAt ?? []).sort()
    const isDue = (time: string) => Date.parse(time) <= nowMs
    const start = times.some(isDue) ? 'now' : formatDateTime(times[0] ?? '')
    const when = times.every(isDue) ? 'at once' : `from ${start} on`
    const retry = times.length === 0 ? '' : ` "watch" retries ${when}.`
    const paths = concerned.map(({ path }) => plainText(path))
    if (concerned.length === 1) return [`  ${paths[0]}: ${plainText(message)}${retry.replace(/from (.*) on/, 'at $1')}`]
    return [
      `  ${countOf(concerned.length, 'file')}: ${plainText(message)}${retry}`,
      ...listSome(paths, listedFiles, listedLater).map((line) => `    ${line}`),
    ]
  })
  const more = total - files.length
  return [
    paint.bad(`Failed files (${formatCount(total)}); "sync" retries all of them now:`),
    ...causes,
    ...(more > 0 ? [`  ... and ${countOf(more, 'more file')} (${listedLater})`] : []),
  ]
}
