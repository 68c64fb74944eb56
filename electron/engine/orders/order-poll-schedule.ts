import { jitterOf } from '../scheduler/poll-schedule.ts'

/** What decides when a project's orders are asked for. Times are the wall clock's, in milliseconds since 1970 UTC; null: unknown. */
export interface OrderPollFacts {
  readonly projectId: string
  /** Last asked for, answered or not. */
  readonly askedMs: number | null
  /** After an ask that brought nothing: what is placed not before this. */
  readonly quietUntilMs: number | null
  /** When orders of which it is not known whether they were placed were sent. */
  readonly unconfirmedSentMs: readonly number[]
  /** Orders that the service has, and when their status last changed. */
  readonly placed: readonly { readonly status: string; readonly changedMs: number | null }[]
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const weekMs = 7 * dayMs

/** An answer that got lost is known to the service within minutes; after that only the service's list could change. */
const unconfirmedAfterMs = [1, 2, 5, 15].map((minutes) => minutes * minuteMs)
const unconfirmedIntervalMs = hourMs

/**
 * `ofSilence`: this share of the time since the status last changed. A design takes hours to days: one that was just ordered is
 * asked about every quarter of an hour, one that has stood still for a week every seven hours. What is over changes rarely, and
 * is asked about for revisions: once a week from a month on.
 */
const intervals = {
  open: { shortestMs: 15 * minuteMs, ofSilence: 1 / 24, longestMs: 12 * hourMs },
  over: { shortestMs: 6 * hourMs, ofSilence: 1 / 4, longestMs: weekMs },
} as const

/** An interval is shortened by up to this share, so that what was asked for together does not stay together. */
const jitterShare = 0.2

/** A time ahead of the clock by no more than this comes from the clock being set right. */
const clockStepMs = 2 * minuteMs

/** The statuses beyond `ordered` are not published: words that services use for what is over; all others are open. */
const overWords =
  /^(complete|completed|done|finished|delivered|closed|archived|cancell?ed|rejected|declined|refused|expired|void|voided|withdrawn)$/

/** Whether an order of this status will hardly change any more. */
export function isOver(status: string): boolean {
  return overWords.test(status.toLowerCase().replace(/[^a-z]/g, ''))
}

/**
 * When the service is next asked for a project's orders, in milliseconds since 1970; Infinity where there is nothing to follow.
 * Times that cannot be (in the future, no numbers) count as unknown.
 */
export function nextOrderPollMs(facts: OrderPollFacts, nowMs: number): number {
  const askedMs = pastTime(facts.askedMs, nowMs)
  // A quiet time that lies further ahead than any is of a clock that was wrong.
  const quietMs = facts.quietUntilMs !== null && facts.quietUntilMs <= nowMs + dayMs ? facts.quietUntilMs : -Infinity
  return Math.min(
    ...facts.unconfirmedSentMs.map((sentMs) => nextForUnconfirmed(pastTime(sentMs, nowMs) ?? nowMs, askedMs)),
    ...facts.placed.map((order) => Math.max(quietMs, nextForPlaced(order, facts.projectId, askedMs, nowMs))),
  )
}

function nextForUnconfirmed(sentMs: number, askedMs: number | null): number {
  const marks = unconfirmedAfterMs.map((afterMs) => sentMs + afterMs)
  if (askedMs === null) return marks[0] ?? sentMs
  return marks.find((markMs) => markMs > askedMs) ?? askedMs + unconfirmedIntervalMs
}

function nextForPlaced(
  { status, changedMs }: OrderPollFacts['placed'][number],
  projectId: string,
  askedMs: number | null,
  nowMs: number,
): number {
  const { shortestMs, ofSilence, longestMs } = intervals[isOver(status) ? 'over' : 'open']
  const knownMs = pastTime(changedMs, nowMs)
  // The answer to the order itself told how it stood.
  const toldMs = Math.max(askedMs ?? -Infinity, knownMs ?? -Infinity)
  if (toldMs === -Infinity) return nowMs
  const jitter = jitterOf(`${projectId}/orders/${toldMs}`)
  const silenceMs = toldMs - (knownMs ?? toldMs)
  return toldMs + (1 - jitterShare * jitter) * Math.min(longestMs, Math.max(shortestMs, silenceMs * ofSilence))
}

function pastTime(timeMs: number | null, nowMs: number): number | null {
  if (timeMs === null || !Number.isFinite(timeMs) || timeMs < 0 || timeMs > nowMs + clockStepMs) return null
  return Math.min(timeMs, nowMs)
}
