/** Backoff between tries of what failed, such as downloads and polls: steps from 30 s to 6 h (docs/cli.md, "Watch"). */
const firstDelayMs = 30_000
export const maxDelayMs = 6 * 60 * 60_000

/**
 * Failed tries after which a link is dropped: a host that is down for a moment costs no call, and one that moved is
 * found after a minute or two.
 */
export const maxTriesPerLink = 2

/**
 * Returns the delay before the next try of a job that failed `attempts` times (1 or more). It doubles with each
 * failure; jitter between half and the whole of the step keeps jobs that failed together from being tried together.
 * `random` is in [0, 1).
 */
export function backoffMs(attempts: number, random: number): number {
  const step = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(Math.max(attempts, 1) - 1, 30))
  return Math.round(step * (0.5 + random / 2))
}
