import type { CallOutput } from './contract/calls.ts'
import type { EventValue } from './contract/events.ts'
import type { Gap, GapReason } from './domain.ts'
import type { ErrorCode } from './error-policy.ts'
import {
  capitalized,
  countOf,
  countOfTotal,
  formatBytes,
  formatClock,
  formatCount,
  formatEstimate,
  formatUntil,
} from './format.ts'
import type { Meter } from './progress-meter.ts'
import type { BlockerKind, PauseLength, WatchState } from './watch.ts'

/** Labels of every menu that offers a sync. */
export const syncLabels = { run: 'Sync everything now', stop: 'Stop this sync', resume: 'Resume syncing' } as const

/** Labels of every menu that offers a pause. */
export const pauseLabels: Readonly<Record<PauseLength, string>> = {
  hour: 'Pause for an hour',
  tomorrow: 'Pause until tomorrow',
  resumed: 'Pause until I resume',
}

const blockerTitles: Readonly<Record<BlockerKind, string>> = {
  offline: 'Offline',
  service: 'Service not responding',
  token: 'Access token problem',
  disk: 'Archive folder problem',
}

/** Returns the title of what blocks every sync. Of the codes of a token problem, only one is a missing token. */
export function blockerTitle({ obstacle, code }: { obstacle: BlockerKind; code?: ErrorCode | undefined }): string {
  if (obstacle !== 'token' || code === undefined) return blockerTitles[obstacle]
  return code === 'token-missing' ? 'No access token' : 'Access token refused'
}

const checklistStatuses: Readonly<Record<string, string>> = {
  draft: 'Draft',
  formSubmitted: 'Form submitted',
  awaitingMedia: 'Awaiting photos',
  pdfProcessing: 'Creating report',
  pdfProcessingFailed: 'Report failed',
  completed: 'Completed',
}

/** Returns the label of a checklist status of the service; an unknown status unchanged. */
export function checklistStatus(status: string): string {
  return checklistStatuses[status] ?? status
}

/** Returns "2 checklists are not completed yet: photos and reports may follow". */
export function unfinishedText(checklists: number): string {
  const are = checklists === 1 ? 'is' : 'are'
  return `${countOf(checklists, 'checklist')} ${are} not completed yet: photos and reports may follow`
}

/** Returns "2 projects with no known checklists yet". */
export function emptyProjectsText(projects: number): string {
  return `${countOf(projects, 'project')} with no known checklists yet`
}

/** Returns what a time stamp does not prove about files that checks found missing or changed. */
export function stampedDamageText(files: number): string {
  const are = files === 1 ? 'is' : 'are'
  return (
    `${countOf(files, 'archived file')} ${are} missing or changed on the disk: the time stamp proves only what ` +
    'the checksums say.'
  )
}

/** Returns the label of an order status of the service: "inProgress" → "In progress"; other text unchanged. */
export function orderStatus(status: string): string {
  if (!/^[a-z]+(?:[A-Z][a-z]+)*$/.test(status)) return status
  const words = status.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return capitalized(words)
}

/** Returns "Order in progress"; a status that is not a known kind of word follows a colon, unchanged. */
export function orderStatusSentence(status: string): string {
  const label = orderStatus(status)
  return label === status ? `Order: ${status}` : `Order ${label.toLowerCase()}`
}

/**
 * Why files are missing. `short` follows a count ("13 files not uploaded yet"), `long` a colon or a full stop.
 * `listed` replaces `long` after a count, which only the command line prints.
 */
const gapTexts: Readonly<
  Record<GapReason, { readonly short: string; readonly long: string; readonly listed?: string }>
> = {
  'not uploaded yet': {
    short: 'not uploaded yet',
    long: 'not uploaded from the phone yet',
  },
  'not downloaded yet': {
    short: 'waiting to be downloaded',
    long: 'not downloaded yet; the next sync does it',
  },
  'not read yet': {
    // It could not be read, it changed, or the database was rebuilt.
    short: 'not checked yet',
    long: 'current state not read from the service yet; the next sync asks for it',
  },
  'not checked yet': {
    short: 'not checked yet',
    long: 'archived, but not checked for changes yet; the next sync does it',
  },
  'no photos listed yet': {
    short: 'no photos listed yet, checking once more',
    long: 'the service lists no photos for it; the next sync confirms this',
  },
  'no questions found': {
    short: 'no questions sent by the service',
    long: 'the service sends no questions for it, so missing photos cannot be detected',
  },
  'link refused': {
    short: 'refused by the download server',
    long: 'link refused by the download server; the next sync asks for a fresh one',
  },
  'file invalid': {
    short: 'invalid when downloaded',
    long: 'invalid when downloaded; the next sync tries again',
  },
  'too large': {
    short: 'too large for the free space',
    long: 'larger than the disk has room for, or than Solarchive accepts; free some space and sync again',
  },
  gone: { short: 'gone from the service', long: 'no longer at the service' },
  damaged: {
    short: 'missing or changed on the disk',
    long: 'missing or changed on the disk; “Verify and repair” downloads it again',
    listed: 'missing or changed on the disk; verify with repair downloads it again',
  },
  'report failed': { short: 'report could not be created', long: 'the service could not create the PDF report' },
  // Also the reason if the host answered, but with an error.
  unreachable: {
    short: 'not delivered by the download server',
    long: 'not delivered by the download server; the next sync tries again',
  },
  disk: { short: 'could not be written to your disk', long: 'could not be written to the disk' },
}

/** Returns why files are missing in a few words, which follow "13 files". */
export function gapShort(reason: GapReason): string {
  return gapTexts[reason].short
}

/** Nouns for the files of a gap, by its kind. */
export const gapNouns = { photos: 'photo', thumbnails: 'thumbnail', report: 'report', checklist: 'file' } as const

/** Returns false for reasons about the whole checklist or report, which do not follow a count. */
export const followsCount = (reason: GapReason) => reason !== 'report failed' && reason !== 'no questions found'

/** Returns a gap in a few words: "1 of 4 photos missing or changed on the disk". `noun`: what is counted. */
export function gapText({ expected, archived, reason }: Pick<Gap, 'expected' | 'archived' | 'reason'>, noun: string) {
  const isCounted = archived < expected && followsCount(reason)
  return isCounted ? `${countOfTotal(expected - archived, expected, noun)} ${gapShort(reason)}` : gapShort(reason)
}

/** Returns why `files` files are missing, and what resolves it, to follow "2 of 5 files". */
export function gapListed(reason: GapReason, files: number): string {
  const { long, listed = long } = gapTexts[reason]
  if (reason !== 'damaged') return `missing, ${listed}`
  return files === 1 ? listed : listed.replace(' it ', ' them ')
}

function ofSeveral(text: string): string {
  return text
    .replace('downloads it again', 'downloads them again')
    .replace(/^link refused/, 'links refused')
    .replace('a fresh one', 'fresh ones')
}

/** Returns why a question is not complete although no file is known to be missing, and what resolves it. */
export function gapUncounted(reason: GapReason): string {
  return gapTexts[reason].long
}

/** Like `gapListed`, as sentences about `files` files. */
export function gapSentence(reason: GapReason, files = 1): string {
  const { long } = gapTexts[reason]
  const sentences = (files > 1 ? ofSeveral(long) : long).split('; ')
  return sentences.map((text) => `${capitalized(text)}.`).join(' ')
}

/**
 * Returns the number of files, projects, and checklists that need attention. Pages count photos and reports: previews
 * count only if nothing else has a problem.
 */
export function attentionCount({ counts, damagedFiles }: CallOutput<'overview'>): number {
  const others = counts.filesFailed + counts.projectsWithProblem + counts.troubledChecklists + damagedFiles
  return others > 0 ? others : counts.previewsFailed
}

/** Text of a state: a short title, and a detail to put below or after it. */
export interface StatusText {
  readonly title: string
  readonly detail: string
}

/** Numbers of projects and checklists that could not be read at the last check. */
export interface FailedChecks {
  readonly projects: number
  readonly checklists: number
}

/** Returns the projects and checklists that the service did not answer for. */
export function failedChecks({ counts }: Pick<CallOutput<'overview'>, 'counts'>): FailedChecks {
  return { projects: counts.projectsRetrying + counts.projectsWithProblem, checklists: counts.checklistsRetrying }
}

const noFailedChecks: FailedChecks = { projects: 0, checklists: 0 }

function failedChecksTitle({ projects, checklists }: FailedChecks): string | undefined {
  if (projects > 0) return `${countOf(projects, 'project')} could not be checked`
  return checklists > 0 ? `${countOf(checklists, 'checklist')} could not be checked` : undefined
}

/** Queued files start at most this long after they were queued: a poll that is due goes first. */
const startMs = 60_000

/** A check that is this close is imminent; see `formatUntil`. */
const soonMs = 45_000

/**
 * Returns the state of the continuous sync as text. `waitingFiles` is the length of the download queue: between two
 * projects the watch is idle although its files start at once. While the service answers with errors, `failed` replaces
 * the title of an idle watch, which sounds as if all were well.
 */
export function watchText(
  state: WatchState,
  nowMs: number,
  waitingFiles = 0,
  failed: FailedChecks = noFailedChecks,
): StatusText {
  switch (state.kind) {
    case 'stopped':
      return { title: 'Not syncing', detail: 'Continuous sync is not running' }
    case 'idle': {
      if (isStarting(state, nowMs, waitingFiles))
        return { title: 'Syncing', detail: `${countOf(waitingFiles, 'file')} waiting` }
      const title = failedChecksTitle(failed)
      if (state.onlyWhenAsked === true) return { title: title ?? 'Ready', detail: 'Syncs only when you ask' }
      // Not "up to date": files may have failed and wait for their retry.
      return { title: title ?? 'Watching for changes', detail: nextCheck(state.nextPollAt, nowMs) }
    }
    case 'syncing':
      return { title: 'Syncing', detail: countOf(state.projects, 'project') }
    case 'paused':
      return { title: 'Paused', detail: state.until === null ? 'Until you resume' : until(state.until, nowMs) }
    case 'quiet':
      return { title: 'Quiet hours', detail: until(state.until, nowMs) }
    case 'battery':
      return { title: 'Paused on battery', detail: 'Resumes when plugged in' }
    case 'blocked':
      return { title: blockerTitle(state), detail: `Since ${formatClock(state.since, nowMs)}` }
  }
}

/** Returns true if queued files are about to be downloaded, so that the idle watch is in fact syncing. */
export function isStarting(state: WatchState, nowMs: number, waitingFiles: number): boolean {
  if (state.kind !== 'idle' || waitingFiles === 0) return false
  return state.nextPollAt === null || Date.parse(state.nextPollAt) - nowMs < startMs
}

function nextCheck(at: string | null, nowMs: number): string {
  if (at === null) return 'No projects to check'
  return `Next check: ${Date.parse(at) - nowMs < soonMs ? 'soon' : formatUntil(at, nowMs)}`
}

function until(iso: string, nowMs: number): string {
  return `Until ${formatClock(iso, nowMs)}`
}

/** Returns the parts of a running sync's progress line, the most important first. */
export function syncProgressParts(
  progress: EventValue<'sync-progress'>,
  { bytesPerSecond }: Pick<Meter, 'bytesPerSecond'>,
  isRateLimited = progress.budgetWaitMs > 0,
): string[] {
  const { projectsRead, projectsTotal, filesDone, filesFailed, filesTotal } = progress
  const { bytesDownloaded, timeLeft, hostWait } = progress
  const isReading = projectsRead < projectsTotal
  // As long as projects are read, nobody knows how many files there are.
  const parts = isReading
    ? [`Reading projects: ${formatCount(projectsRead)} of ${formatCount(projectsTotal)}`]
    : [countOfTotal(filesDone, filesTotal, 'file')]
  const isEstimated = timeLeft !== null && (isReading || filesDone + filesFailed < filesTotal)
  if (hostWait !== undefined) parts.push(hostWaitText(hostWait))
  else if (isEstimated) parts.push(timeLeftText(timeLeft))
  if (isReading && filesDone > 0) parts.push(countOf(filesDone, 'file'))
  if (filesFailed > 0) parts.push(`${formatCount(filesFailed)} failed`)
  if (!isReading || bytesDownloaded > 0) parts.push(formatBytes(bytesDownloaded))
  const isMoving = hostWait === undefined && !isRateLimited
  if (bytesPerSecond > 0 && isMoving) parts.push(`${formatBytes(bytesPerSecond)}/s`)
  return parts
}

/** Returns what a sync waits for while a host is down. */
export function hostWaitText({ host, waitedMs }: NonNullable<EventValue<'sync-progress'>['hostWait']>): string {
  return `waiting for ${host ?? 'the service'} to come back, ${Math.floor(waitedMs / 1000)} s`
}

/** Returns "about 9 h left at 60 calls a minute"; the limit is named only if it determines the time. */
export function timeLeftText({ leftMs, callsPerMinute }: NonNullable<EventValue<'sync-progress'>['timeLeft']>): string {
  const left = `${formatEstimate(leftMs)} left`
  return callsPerMinute === null ? left : `${left} at ${countOf(callsPerMinute, 'call')} a minute`
}
