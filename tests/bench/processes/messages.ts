/** Messages between the processes of the bench. Each runs alone, so that its memory and event loop are its own. */

/** Sample service that serve-sample.ts started. */
export interface ServedSample {
  readonly url: string
  readonly token: string
  readonly projectIds: readonly string[]
}

/** Task of a process that downloads everything into an empty folder. */
export interface DownloadTask extends ServedSample {
  readonly folder: string
  readonly concurrency: number
}

export interface DownloadFigures {
  readonly wallMs: number
  readonly files: number
  readonly bytes: number
  readonly peakMegabytes: number
  /** 99th percentile of the event loop's delay, beyond the timer's own resolution. */
  readonly loopDelayP99Ms: number
}
