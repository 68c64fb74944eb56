import type { SyncSchedule } from '../../../shared/settings.ts'
import { backoffMs } from '../downloads/backoff.ts'

/** How soon a project is likely to change: `hot` while files arrive or a report is made, `settled` when all is done. */
export type PollTier = 'hot' | 'open' | 'settled'

/** What is remembered of a project for the schedule. Times are the wall clock's, in milliseconds since 1970 UTC. */
export interface PollState {
  readonly projectId: string
  readonly tier: PollTier
  /** The service last answered with its list of checklists. */
  readonly polledMs: number | null
  /** Last asked about, answered or not. */
  readonly triedMs: number | null
  /** Something of it last changed upstream, as far as was noticed; before that, when it was added. */
  readonly changedMs: number | null
  /** In a row. */
  readonly pollFailures: number
  /** Last read whole, also what looked unchanged. */
  readonly reconciledMs: number | null
}

/** Hot projects and all others are served by lanes of their own, so that a long reading of one does not hold the other. */
export type PollLane = 'hot' | 'idle'

/** When to poll a project next. Every time is finite, and holds until the project was polled or the clock went back. */
export interface PollPlan {
  readonly projectId: string
  readonly lane: PollLane
  /** When it was last polled; the time of planning when that is unknown. */
  readonly sinceMs: number
  /** Not before this, unless calls are left over. */
  readonly dueMs: number
  /** With too few calls for all that is due, everyone waits in proportion to this. */
  readonly patienceMs: number
  /** From here on it may be polled ahead of its time with calls that are left over. */
  readonly earliestMs: number
  /** From here on it goes before everything else. Never before `dueMs`. */
  readonly pressingMs: number
  /** From here on it is to be read whole, also what looks unchanged. */
  readonly reconcileMs: number
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const weekMs = 7 * dayMs

interface Growth {
  readonly shortestMs: number
  /** This share of the silence: how long nothing had changed when the project was last polled. */
  readonly ofSilence: number
  readonly longestMs: number
}

/**
 * Open projects are polled every few minutes, settled ones down to once a day, which is reached after three months
 * without a change (docs/decisions/0012-poll-schedule.md). The numbers are the best of those tried with
 * `npm run bench -- freshness`.
 */
const idleIntervals: Readonly<Record<'open' | 'settled', Growth>> = {
  open: { shortestMs: 5 * minuteMs, ofSilence: 1 / 16, longestMs: hourMs },
  settled: { shortestMs: 15 * minuteMs, ofSilence: 1 / 96, longestMs: dayMs },
}

/** Files arrive, or a report is in progress: about every minute. */
const hotIntervalMs = minuteMs

/** With too few calls for all, hot projects that have long been silent make room for those that have just moved. */
const hotPatience: Growth = { shortestMs: minuteMs, ofSilence: 1 / 15, longestMs: 8 * minuteMs }

/** An interval is shortened by up to this share, so that what was polled together does not stay together. */
const jitterShare = 0.2

/** Left-over calls go to projects that have waited for this share of their interval, and no less than a while. */
const early = { share: 1 / 8, shortestMs: 15 * minuteMs }

/** Nothing is to go unpolled for over 25 hours; this leaves an hour to serve what comes so far together. */
const pressingAfterMs = dayMs

/** What a person chose lengthens intervals and shortens none; under `manual` nobody asks for a plan's times. */
const leastIntervals: Readonly<Record<SyncSchedule, number>> = { automatic: 0, hourly: hourMs, daily: dayMs, manual: 0 }

/** A time ahead of the clock by no more than this comes from the clock being set right, not from a wrong one. */
const clockStepMs = 2 * minuteMs

const hotStatuses: ReadonlySet<string> = new Set(['awaitingMedia', 'pdfProcessing'])

/**
 * The tier of a project with checklists of these statuses, the ones that the service no longer lists left out. A report
 * that failed and a status that nobody knows may still move on.
 */
export function tierOf(statuses: Iterable<string>): PollTier {
  let tier: PollTier = 'settled'
  for (const status of statuses) {
    if (hotStatuses.has(status)) return 'hot'
    if (status !== 'completed') tier = 'open'
  }
  return tier
}

/**
 * Decides when a project is polled next. Times that cannot be (in the future, no numbers) count as unknown. A poll that was
 * not answered is tried again whatever the schedule.
 */
export function planPoll(standing: PollState, nowMs: number, schedule: SyncSchedule = 'automatic'): PollPlan {
  const { projectId, tier } = standing
  const leastMs = leastIntervals[schedule]
  const lane = tier === 'hot' ? 'hot' : 'idle'
  const polledMs = pastTime(standing.polledMs, nowMs)
  const failures = standing.pollFailures >= 1 ? standing.pollFailures : 0
  const jitter = jitterOf(`${projectId}/${polledMs}/${failures}`)
  const triedMs = pastTime(standing.triedMs, nowMs)
  const retryMs = failures === 0 || triedMs === null ? -Infinity : triedMs + backoffMs(failures, jitter)
  const shorter = 1 - jitterShare * jitter
  const silenceMs = polledMs === null ? 0 : silence(standing, polledMs)
  const ownMs = shorter * (tier === 'hot' ? hotIntervalMs : grown(idleIntervals[tier], silenceMs))
  const intervalMs = Math.max(leastMs, ownMs)
  const patienceMs = tier === 'hot' ? shorter * grown(hotPatience, silenceMs) : intervalMs
  const leastTimeMs = Math.max(retryMs, polledMs === null ? -Infinity : polledMs + leastMs)
  const from = (timeMs: number) => Math.max(timeMs, leastTimeMs)
  if (polledMs === null) {
    const dueMs = from(nowMs)
    // The first reading of a project is a whole one anyway; one of unknown age keeps its turn of the week.
    const reconcileMs = standing.polledMs === null ? dueMs : from(reconcileTime(standing, nowMs, nowMs))
    const now = { sinceMs: nowMs, dueMs, earliestMs: dueMs, pressingMs: dueMs }
    return { projectId, lane, patienceMs, ...now, reconcileMs }
  }
  return {
    projectId,
    lane,
    sinceMs: polledMs,
    dueMs: from(polledMs + intervalMs),
    patienceMs,
    earliestMs: from(polledMs + Math.min(intervalMs, Math.max(intervalMs * early.share, early.shortestMs))),
    pressingMs: from(polledMs + pressingAfterMs),
    reconcileMs: from(reconcileTime(standing, polledMs, nowMs)),
  }
}

/** How the service answered. */
export interface PollAnswer {
  readonly tier: PollTier
  /** Anything of the project is not as it was at the last poll. */
  readonly changed: boolean
  /** Everything was read, also what looked unchanged. */
  readonly reconciled: boolean
}

/** The standing after the service answered. Times that the clock has shown wrong are put right. */
export function afterAnswer(standing: PollState, answer: PollAnswer, nowMs: number): PollState {
  const { tier, changed, reconciled } = answer
  return {
    projectId: standing.projectId,
    tier,
    polledMs: nowMs,
    triedMs: nowMs,
    changedMs: changed ? nowMs : (pastTime(standing.changedMs, nowMs) ?? nowMs),
    pollFailures: 0,
    reconciledMs: reconciled ? nowMs : pastTime(standing.reconciledMs, nowMs),
  }
}

/** The standing after the service did not answer for this project, though it does for others. */
export function afterFailure(standing: PollState, nowMs: number): PollState {
  const failures = standing.pollFailures >= 1 ? standing.pollFailures : 0
  return { ...standing, triedMs: nowMs, pollFailures: failures + 1 }
}

const silence = ({ changedMs }: PollState, polledMs: number) => polledMs - (pastTime(changedMs, polledMs) ?? polledMs)

const grown = ({ shortestMs, ofSilence, longestMs }: Growth, silenceMs: number) =>
  Math.min(longestMs, Math.max(shortestMs, silenceMs * ofSilence))

/** Whether a pass that a person starts reads a project whole: once a week also what looks unchanged, as the watch does. */
export function isWholeReadingDue(reconciledMs: number | null, nowMs: number): boolean {
  const knownMs = pastTime(reconciledMs, nowMs)
  return knownMs !== null && nowMs - knownMs >= weekMs
}

/** A project whose last whole reading is unknown has a moment of the week by its id. */
function reconcileTime({ projectId, reconciledMs }: PollState, sinceMs: number, nowMs: number): number {
  const share = jitterOf(projectId)
  const knownMs = pastTime(reconciledMs, nowMs)
  if (knownMs !== null) return knownMs + weekMs * (1 - jitterShare * share)
  const phaseMs = weekMs * share
  return phaseMs + Math.ceil((sinceMs - phaseMs) / weekMs) * weekMs
}

function pastTime(timeMs: number | null, nowMs: number): number | null {
  if (timeMs === null || !Number.isFinite(timeMs) || timeMs < 0 || timeMs > nowMs + clockStepMs) return null
  return Math.min(timeMs, nowMs)
}

/** A number in [0, 1) that depends on every character (FNV-1a): chance that needs no memory and repeats in tests. */
export function jitterOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  // Texts that differ in their last character only differ little without this.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}
