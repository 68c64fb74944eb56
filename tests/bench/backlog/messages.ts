import type { ServedSample } from '../processes/messages.ts'

/** Messages between the processes of the backlog bench. */

/** Task of the process that creates the backlog and of the process that then watches it. */
export interface BacklogTask extends ServedSample {
  readonly folder: string
  readonly watchMs: number
}

export interface BacklogMade {
  readonly failedFiles: number
}

/** Sent by the watching process at its end. Times are in milliseconds. */
export interface BacklogFigures {
  /** Number of files that were retried meanwhile. */
  readonly triedAgain: number
  /** Delay of the event loop beyond the timer's own resolution. */
  readonly delayMs: { readonly p50: number; readonly p99: number; readonly max: number }
  /** Share of the time that the event loop was busy. */
  readonly busyShare: number
  readonly bridge: readonly { readonly call: string; readonly slowestMs: number }[]
}
