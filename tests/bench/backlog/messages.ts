import type { ServedSample } from '../processes/messages.ts'

/** What the backlog bench's processes tell each other. */

/** The order to the processes that make the backlog and then watch over it. */
export interface BacklogTask extends ServedSample {
  readonly folder: string
  readonly watchMs: number
}

export interface BacklogMade {
  readonly failedFiles: number
}

/** From the watching process, at its end. Times are milliseconds. */
export interface BacklogFigures {
  /** Files that were tried again meanwhile. */
  readonly triedAgain: number
  /** How late the event loop was, beyond the timer's own resolution. */
  readonly delayMs: { readonly p50: number; readonly p99: number; readonly max: number }
  /** Share of the time that the event loop was busy. */
  readonly busyShare: number
  readonly bridge: readonly { readonly call: string; readonly slowestMs: number }[]
}
