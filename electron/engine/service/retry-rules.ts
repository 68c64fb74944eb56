/** Failed attempts of one call so far. */
export interface CallHistory {
  /** Failed attempts, including timeouts. */
  readonly failures: number
  readonly timeouts: number
  /** `429` answers in a row. */
  readonly refusals: number
}

export const freshHistory: CallHistory = { failures: 0, timeouts: 0, refusals: 0 }

/** Reason for a failed attempt. */
export type Trouble =
  | { readonly kind: 'failed'; readonly isTransient: boolean; readonly isTimeout: boolean }
  | { readonly kind: 'refused'; readonly askedWaitMs: number }

export type NextStep =
  | { readonly kind: 'retry'; readonly delayMs: number; readonly history: CallHistory }
  /** The pause applies to all calls, because the service refuses all of them. */
  | { readonly kind: 'pause'; readonly pauseMs: number; readonly history: CallHistory }
  | { readonly kind: 'fail'; readonly pauseMs: number }

/** Two quick retries bridge a server restart or a lost packet; the job manager handles longer waits. */
const retryDelaysMs = [300, 1_200]

/** Each timeout has already cost up to two minutes. */
const maxTimeoutRetries = 1

/** With the default wait of a minute, about five minutes of refusals; then the caller is informed. */
const maxRefusals = 5

/** Longest wait within a call; beyond it, the caller tries again later. */
export const maxWaitForCallMs = 15 * 60_000

/** Longest pause: a wrong `Retry-After` (such as a date next year) must not stop the archive. */
export const maxPauseMs = 60 * 60_000

/** Returns the step after a failed attempt. A call that must not be repeated fails after the first. */
export function nextStep(history: CallHistory, trouble: Trouble, mayRepeat: boolean): NextStep {
  if (trouble.kind === 'refused') {
    const refusals = history.refusals + 1
    const pauseMs = Math.min(trouble.askedWaitMs, maxPauseMs)
    const isWaitAcceptable = refusals < maxRefusals && trouble.askedWaitMs <= maxWaitForCallMs
    if (!mayRepeat || !isWaitAcceptable) return { kind: 'fail', pauseMs }
    return { kind: 'pause', pauseMs, history: { ...history, refusals } }
  }
  const delayMs = retryDelaysMs[history.failures]
  const timeouts = history.timeouts + (trouble.isTimeout ? 1 : 0)
  if (!mayRepeat || !trouble.isTransient || delayMs === undefined || timeouts > maxTimeoutRetries) {
    return { kind: 'fail', pauseMs: 0 }
  }
  return { kind: 'retry', delayMs, history: { failures: history.failures + 1, timeouts, refusals: 0 } }
}

/** Wait if a `429` has no `Retry-After`. The service documents a limit per minute, so a minute is enough. */
const defaultWaitMs = 60_000

/** Shortest wait, so that a refusal does not become a busy loop. */
const minWaitMs = 1_000

/** Longer than any date or number; the rest of a `Retry-After` is cut off. */
export const maxRetryAfterLength = 64

/**
 * Returns the wait that a `Retry-After` header asks for, in milliseconds: seconds or an HTTP date (RFC 9110, section
 * 10.2.3), at least a second; a minute if the header is absent or unreadable.
 */
export function readRetryAfterMs(header: string | undefined, nowMs: number): number {
  const askedMs = parseRetryAfterMs(header ?? '', nowMs)
  return askedMs === null ? defaultWaitMs : Math.max(minWaitMs, askedMs)
}

/** Returns the milliseconds from now that a `Retry-After` header names, or `null` if it is unreadable. */
export function parseRetryAfterMs(header: string, nowMs: number): number | null {
  const text = header.slice(0, maxRetryAfterLength).trim()
  if (/^\d{1,10}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  const atMs = parseHttpDate(text)
  return atMs === null ? null : Math.ceil(atMs - nowMs)
}

/** Returns the epoch milliseconds of an HTTP date in any of its forms (RFC 9110, section 5.6.7), or `null`. */
export function parseHttpDate(text: string): number | null {
  // A date contains the name of a day or month; Date.parse alone also accepts numbers and nonsense.
  if (!/[a-z]{3}.*\d\d:\d\d/i.test(text)) return null
  // Without a zone, as in the form of asctime, `Thu Jan  1 12:02:00 2026`, it is UTC. A zone follows the time.
  const atMs = Date.parse(/\d +\d\d:\d\d(?::\d\d)?(?: +\d{4})?$/.test(text) ? `${text} GMT` : text)
  return Number.isNaN(atMs) ? null : atMs
}
