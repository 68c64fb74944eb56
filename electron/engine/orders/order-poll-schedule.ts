import { jitterOf } from '../lib/jitter.ts'
import { dayMs, hourMs, minuteMs, pastTime, weekMs } from '../lib/time.ts'

/**
 * Facts that decide when the service is asked for a project's orders. Times are wall-clock milliseconds since 1970 UTC,
 * or null if unknown.
 */
export interface OrderPollFacts {
  readonly projectId: string
  /** Time of the last call, successful or not. */
  readonly askedMs: number | null
  /** After a call without a result: no earlier time for placed orders. */
  readonly quietUntilMs: number | null
  /** Times at which unconfirmed orders were sent. */
  readonly unconfirmedSentMs: readonly number[]
  /** Times at which orders were sent that were given up: the service may record them late. */
  readonly givenUpSentMs: readonly number[]
  /** Placed orders, and when their status last changed. */
  readonly placed: readonly { readonly status: string; readonly changedMs: number | null }[]
}

/**
 * A lost answer shows in the service's list within minutes; after that, only a change of the list itself could help.
 */
const unconfirmedAfterMs = [1, 2, 5, 15].map((minutes) => minutes * minuteMs)
const unconfirmedIntervalMs = hourMs

/** Intervals for an order that was given up: it most likely shows within a day, if ever. */
const givenUpIntervals = { firstDayMs: hourMs, laterMs: 6 * hourMs } as const

/**
 * `shareOfAge`: share of the time since the last status change. A design takes hours to days: an order placed just now
 * is polled every 15 minutes, one unchanged for a week every seven hours. Finished orders change rarely, and are polled
 * for revisions: once a week from a month on.
 */
const intervals = {
  open: { minMs: 15 * minuteMs, shareOfAge: 1 / 24, maxMs: 12 * hourMs },
  finished: { minMs: 6 * hourMs, shareOfAge: 1 / 4, maxMs: weekMs },
} as const

/** An interval is shortened by up to this share, so that polls that started together spread out. */
const jitterShare = 0.2

/**
 * Statuses beyond `ordered` are not documented. These are common words for finished orders; any other status counts as
 * open.
 */
const finishedWords = new RegExp(
  '^(completed?|done|finished|delivered|closed|archived|cancell?ed|rejected|declined|refused|expired|void|voided' +
    '|withdrawn)$',
)

/** Returns whether an order with this status is unlikely to change. */
export function isFinished(status: string): boolean {
  return finishedWords.test(status.toLowerCase().replace(/[^a-z]/g, ''))
}

/**
 * Returns when the service is next asked for a project's orders, in milliseconds since 1970, or Infinity if the project
 * has no order to follow. Impossible times (in the future, not a number) count as unknown.
 */
export function nextOrderPollMs(facts: OrderPollFacts, nowMs: number): number {
  const askedMs = pastTime(facts.askedMs, nowMs)
  // A pause that ends later than any pause can end comes from a wrong clock.
  const quietMs = facts.quietUntilMs !== null && facts.quietUntilMs <= nowMs + dayMs ? facts.quietUntilMs : -Infinity
  return Math.min(
    ...facts.unconfirmedSentMs.map((sentMs) => nextForUnconfirmed(pastTime(sentMs, nowMs), askedMs, nowMs)),
    ...facts.givenUpSentMs.map((sentMs) =>
      Math.max(quietMs, nextForGivenUp(pastTime(sentMs, nowMs) ?? nowMs, askedMs, nowMs)),
    ),
    ...facts.placed.map((order) => Math.max(quietMs, nextForPlaced(order, facts.projectId, askedMs, nowMs))),
  )
}

function nextForUnconfirmed(sentMs: number | null, askedMs: number | null, nowMs: number): number {
  if (sentMs === null) return askedMs === null ? nowMs : askedMs + unconfirmedIntervalMs
  const marks = unconfirmedAfterMs.map((afterMs) => sentMs + afterMs)
  if (askedMs === null) return marks[0] ?? sentMs
  return marks.find((markMs) => markMs > askedMs) ?? askedMs + unconfirmedIntervalMs
}

function nextForGivenUp(sentMs: number, askedMs: number | null, nowMs: number): number {
  if (askedMs === null) return nowMs
  return askedMs + (nowMs - sentMs < dayMs ? givenUpIntervals.firstDayMs : givenUpIntervals.laterMs)
}

function nextForPlaced(
  { status, changedMs }: OrderPollFacts['placed'][number],
  projectId: string,
  askedMs: number | null,
  nowMs: number,
): number {
  const { minMs, shareOfAge, maxMs } = intervals[isFinished(status) ? 'finished' : 'open']
  const knownMs = pastTime(changedMs, nowMs)
  // The answer to the order itself reported its status.
  const knownAtMs = Math.max(askedMs ?? -Infinity, knownMs ?? -Infinity)
  if (knownAtMs === -Infinity) return nowMs
  const jitter = jitterOf(`${projectId}/orders/${knownAtMs}`)
  const ageMs = knownAtMs - (knownMs ?? knownAtMs)
  return knownAtMs + (1 - jitterShare * jitter) * Math.min(maxMs, Math.max(minMs, ageMs * shareOfAge))
}
