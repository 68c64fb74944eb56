/** The service documents no `Retry-After` with its `429`, but a limit a minute: a minute is enough. */
const DEFAULT_WAIT_MS = 60_000

/** A wait of nothing would turn a refusal into a loop. */
const MIN_WAIT_MS = 1_000

/**
 * How long a `Retry-After` header asks to wait, in milliseconds: seconds or an HTTP date (RFC 9110, section 10.2.3).
 * Without a readable one: a minute.
 */
export function readRetryAfterMs(header: string | undefined, nowMs: number): number {
  const text = header?.trim() ?? ''
  if (/^\d{1,10}(\.\d+)?$/.test(text)) return Math.max(MIN_WAIT_MS, Math.ceil(Number(text) * 1000))
  // A date has a name of a day or month in it; Date.parse alone takes numbers and nonsense for dates, too.
  const atMs = /[a-z]{3}.*\d\d:\d\d/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(atMs) ? DEFAULT_WAIT_MS : Math.max(MIN_WAIT_MS, Math.ceil(atMs - nowMs))
}
