/** Backoff between tries of a failed download: from 30 s to 6 h (docs/cli.md, "Watch"). */
const firstDelayMs = 30_000
export const maxDelayMs = 6 * 60 * 60_000

/**
 * Tries that failed before a link that led nowhere is given up: a host that is down for a moment costs no call, and one
 * that moved is found after a minute or two.
 */
export const maxTriesPerLink = 2

/**
 * How long a job that failed `attempts` times (1 or more) waits for its next try: doubling, with jitter between half
 * and the whole of the step, so that many jobs that failed together do not come back together.
 * `random` is in [0, 1).
 */
export function backoffMs(attempts: number, random: number): number {
  const step = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(Math.max(attempts, 1) - 1, 30))
  return Math.round(step * (0.5 + random / 2))
}
