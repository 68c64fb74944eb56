import type { SyncSchedule } from '../../../shared/settings.ts'
import { backoffMs } from '../lib/backoff.ts'
import { jitterOf } from '../lib/jitter.ts'
import { dayMs, hourMs, minuteMs, pastTime, weekMs } from '../lib/time.ts'

/**
 * How soon a project is likely to change: `hot` while files arrive or a report is generated, `settled` if everything is
 * completed.
 */
export type PollTier = 'hot' | 'open' | 'settled'

/** A project's state for the schedule. Times are wall-clock milliseconds since 1970 UTC. */
export interface PollState {
  readonly projectId: string
  readonly tier: PollTier
  /** Time of the last poll that the service answered with its list of checklists. */
  readonly polledMs: number | null
  /** Time of the last poll, answered or not. */
  readonly triedMs: number | null
  /** Time of the last known change at the service, or else the time when the project was added. */
  readonly changedMs: number | null
  /** Consecutive failures. */
  readonly pollFailures: number
  /** Time of the last full pass, which also reads unchanged checklists. */
  readonly lastFullPassMs: number | null
}

/** Hot projects and all others have separate lanes, so that a long read in one does not delay the other. */
export type PollLane = 'hot' | 'idle'

/** A project's poll times. All are finite and valid until the project is polled or the clock jumps. */
export interface PollPlan {
  readonly projectId: string
  readonly lane: PollLane
  /** When it was last polled; the time of planning if that is unknown. */
  readonly sinceMs: number
  /** Due from this time on. */
  readonly dueMs: number
  /** If there are too few calls for all due projects, each one's waiting time is proportional to this. */
  readonly patienceMs: number
  /** From this time on it may be polled early, with spare calls. */
  readonly earliestMs: number
  /** From this time on it takes precedence over all others. Never before `dueMs`. */
  readonly pressingMs: number
  /** From this time on it needs a full pass, which also reads unchanged checklists. */
  readonly fullPassMs: number
}

interface Growth {
  readonly minMs: number
  /** Share of the silence: the time without a change as of the last poll. */
  readonly ofSilence: number
  readonly maxMs: number
}

/**
 * Open projects are polled every few minutes, settled ones down to once a day, which is reached after three months
 * without a change (docs/decisions/0012-poll-schedule.md). The numbers are the best of those tried with
 * `npm run bench -- freshness`.
 */
const idleIntervals: Readonly<Record<'open' | 'settled', Growth>> = {
  open: { minMs: 5 * minuteMs, ofSilence: 1 / 16, maxMs: hourMs },
  settled: { minMs: 15 * minuteMs, ofSilence: 1 / 96, maxMs: dayMs },
}

/** Interval while files arrive or a report is in progress: about a minute. */
const hotIntervalMs = minuteMs

/** With too few calls for all, hot projects that have long been silent yield to those that have just changed. */
const hotPatience: Growth = { minMs: minuteMs, ofSilence: 1 / 15, maxMs: 8 * minuteMs }

/** An interval is shortened by up to this share, so that projects polled together drift apart. */
const jitterShare = 0.2

/** Spare calls go to projects that have waited for this share of their interval, and at least this long. */
const early = { share: 1 / 8, minMs: 15 * minuteMs }

/**
 * No project should go unpolled for over 25 hours; this leaves an hour for projects that become pressing together. A
 * poll that failed counts: a project that the service does not answer yields to those that it may answer.
 */
const pressingAfterMs = dayMs

/** The minimum interval of each schedule. With `manual` the times of a plan are not used. */
const minIntervals: Readonly<Record<SyncSchedule, number>> = { automatic: 0, hourly: hourMs, daily: dayMs, manual: 0 }

const hotStatuses: ReadonlySet<string> = new Set(['awaitingMedia', 'pdfProcessing'])

/**
 * Returns the tier of a project with checklists of these statuses; checklists that the service no longer lists are left
 * out. A failed report and an unknown status may still change.
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
 * Returns when to poll a project next. Impossible times (in the future, not a number) count as unknown. A poll without
 * an answer is retried regardless of the schedule.
 */
export function planPoll(state: PollState, nowMs: number, schedule: SyncSchedule = 'automatic'): PollPlan {
  const { projectId, tier } = state
  const minIntervalMs = minIntervals[schedule]
  const lane = tier === 'hot' ? 'hot' : 'idle'
  const polledMs = pastTime(state.polledMs, nowMs)
  const failures = state.pollFailures >= 1 ? state.pollFailures : 0
  const jitter = jitterOf(`${projectId}/${polledMs}/${failures}`)
  const triedMs = pastTime(state.triedMs, nowMs)
  const retryMs = failures === 0 || triedMs === null ? -Infinity : triedMs + backoffMs(failures, jitter)
  const shorter = 1 - jitterShare * jitter
  const silenceMs = polledMs === null ? 0 : silence(state, polledMs)
  const ownMs = shorter * (tier === 'hot' ? hotIntervalMs : grown(idleIntervals[tier], silenceMs))
  const intervalMs = Math.max(minIntervalMs, ownMs)
  const patienceMs = tier === 'hot' ? shorter * grown(hotPatience, silenceMs) : intervalMs
  const minTimeMs = Math.max(retryMs, polledMs === null ? -Infinity : polledMs + minIntervalMs)
  const from = (timeMs: number) => Math.max(timeMs, minTimeMs)
  const failedMs = failures === 0 ? null : triedMs
  if (polledMs === null) {
    const dueMs = from(nowMs)
    // The first pass over a project is a full one anyway; if its age is unknown, its weekly time is kept.
    const fullPassMs = state.polledMs === null ? dueMs : from(fullPassTime(state, nowMs, nowMs))
    const pressingMs = failedMs === null ? dueMs : Math.max(dueMs, failedMs + pressingAfterMs)
    const now = { sinceMs: nowMs, dueMs, earliestMs: dueMs, pressingMs }
    return { projectId, lane, patienceMs, ...now, fullPassMs }
  }
  return {
    projectId,
    lane,
    sinceMs: polledMs,
    dueMs: from(polledMs + intervalMs),
    patienceMs,
    earliestMs: from(polledMs + Math.min(intervalMs, Math.max(intervalMs * early.share, early.minMs))),
    pressingMs: from(Math.max(polledMs, failedMs ?? polledMs) + pressingAfterMs),
    fullPassMs: from(fullPassTime(state, polledMs, nowMs)),
  }
}

const silence = ({ changedMs }: PollState, polledMs: number) => polledMs - (pastTime(changedMs, polledMs) ?? polledMs)

const grown = ({ minMs, ofSilence, maxMs }: Growth, silenceMs: number) =>
  Math.min(maxMs, Math.max(minMs, silenceMs * ofSilence))

/**
 * Returns whether a pass that a user starts is a full one: once a week it also reads unchanged checklists. Of a project
 * that was polled before, an impossible time is corrected by a full pass.
 */
export function isFullPassDue(lastFullPassMs: number | null, nowMs: number): boolean {
  const knownMs = pastTime(lastFullPassMs, nowMs)
  return lastFullPassMs !== null && (knownMs === null || nowMs - knownMs >= weekMs)
}

/**
 * Returns the time of the next full pass. If the last one is unknown, the project's id determines a time of the week.
 */
function fullPassTime({ projectId, lastFullPassMs }: PollState, sinceMs: number, nowMs: number): number {
  const share = jitterOf(projectId)
  const knownMs = pastTime(lastFullPassMs, nowMs)
  if (knownMs !== null) return knownMs + weekMs * (1 - jitterShare * share)
  const phaseMs = weekMs * share
  return phaseMs + Math.ceil((sinceMs - phaseMs) / weekMs) * weekMs
}
