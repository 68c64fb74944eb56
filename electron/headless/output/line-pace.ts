/** When the last plain progress line was printed, and how far things were. */
export interface PrintedLine {
  readonly atMs: number
  /** Tenths of the work that were done, 0 to 10. */
  readonly tenths: number
}

/** At least this long between two lines: a log file should not be filled by a pass that is quick anyway. */
const shortestPauseMs = 1_000

/** Something is seen to happen at least this often. */
const longestPauseMs = 5_000

/** Whether a plain progress line is due: after another tenth of the work, or after five seconds. */
export function isLineDue(last: PrintedLine, now: PrintedLine): boolean {
  const pauseMs = now.atMs - last.atMs
  return pauseMs >= longestPauseMs || (pauseMs >= shortestPauseMs && now.tenths > last.tenths)
}
