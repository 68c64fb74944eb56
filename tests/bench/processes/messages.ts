/** What the bench's processes tell each other. Each runs alone, so that its memory and event loop are its own. */

/** The sample service, from serve-sample.ts. */
export interface ServedSample {
  readonly url: string
  readonly token: string
  readonly projectIds: readonly string[]
}

/** The order to a process that downloads: from where, into which empty folder. */
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
