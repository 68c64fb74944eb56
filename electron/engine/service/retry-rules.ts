/** Failed attempts of one call so far. */
export interface CallHistory {
  /** Failed attempts, those that ran into a timeout included. */
  readonly failures: number
  readonly timeouts: number
  /** `429` answers in a row. */
  readonly refusals: number
}

export const freshHistory: CallHistory = { failures: 0, timeouts: 0, refusals: 0 }

/** Reason for a failed attempt. */
export type Trouble =
  | { readonly kind: 'failed'; readonly mayPass: boolean; readonly isTimeout: boolean }
  | { readonly kind: 'refused'; readonly askedWaitMs: number }

export type NextStep =
  | { readonly kind: 'retry'; readonly delayMs: number; readonly history: CallHistory }
  /** The pause is everyone's: the service refuses all calls, not this one. */
  | { readonly kind: 'pause'; readonly pauseMs: number; readonly history: CallHistory }
  | { readonly kind: 'give-up'; readonly pauseMs: number }

/** Two quick retries ride out a restarting server or a lost packet; the job manager owns every longer wait. */
const RETRY_DELAYS_MS = [300, 1_200]

/** A timeout has already cost up to two minutes. */
const MAX_TIMEOUT_RETRIES = 1

/** With the default wait of a minute, about five minutes of refusals: then the caller should know. */
const MAX_REFUSALS = 5

/** Longer than this nobody should sit in front of a call that hangs; the caller tries again later. */
const MAX_WAIT_FOR_CALL_MS = 15 * 60_000

/** A wrong `Retry-After` (a date in the next year, say) must not silence the archive for good. */
const MAX_PAUSE_MS = 60 * 60_000

/** Returns the step after a failed attempt. A call that may not be repeated gives up after the first. */
export function nextStep(history: CallHistory, trouble: Trouble, mayRepeat: boolean): NextStep {
  if (trouble.kind === 'refused') {
    const refusals = history.refusals + 1
    const pauseMs = Math.min(trouble.askedWaitMs, MAX_PAUSE_MS)
    const patient = refusals < MAX_REFUSALS && trouble.askedWaitMs <= MAX_WAIT_FOR_CALL_MS
    if (!mayRepeat || !patient) return { kind: 'give-up', pauseMs }
    return { kind: 'pause', pauseMs, history: { ...history, refusals } }
  }
  const delayMs = RETRY_DELAYS_MS[history.failures]
  const timeouts = history.timeouts + (trouble.isTimeout ? 1 : 0)
  if (!mayRepeat || !trouble.mayPass || delayMs === undefined || timeouts > MAX_TIMEOUT_RETRIES) {
    return { kind: 'give-up', pauseMs: 0 }
  }
  return { kind: 'retry', delayMs, history: { failures: history.failures + 1, timeouts, refusals: 0 } }
}

/** The service documents no `Retry-After` with its `429`, but a limit a minute: a minute is enough. */
const DEFAULT_WAIT_MS = 60_000

/** A wait of nothing would turn a refusal into a loop. */
const MIN_WAIT_MS = 1_000

/**
 * Returns the wait that a `Retry-After` header asks for, in milliseconds: seconds or an HTTP date (RFC 9110, section
 * 10.2.3); a minute if the header is absent or unreadable.
 */
export function readRetryAfterMs(header: string | undefined, nowMs: number): number {
  const text = header?.trim() ?? ''
  if (/^\d{1,10}(\.\d+)?$/.test(text)) return Math.max(MIN_WAIT_MS, Math.ceil(Number(text) * 1000))
  // A date has a name of a day or month in it; Date.parse alone takes numbers and nonsense for dates, too.
  const atMs = /[a-z]{3}.*\d\d:\d\d/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(atMs) ? DEFAULT_WAIT_MS : Math.max(MIN_WAIT_MS, Math.ceil(atMs - nowMs))
}
