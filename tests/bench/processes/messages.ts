import type { SampleServiceOptions } from '../../../electron/sample-service/start-sample-service.ts'

/** Messages between the processes of the bench. Each runs alone, so that its memory and event loop are its own. */

/** Sample service that serve-sample.ts started. */
export interface ServedSample {
  readonly url: string
  readonly token: string
  readonly projectIds: readonly string[]
}

/** Task of serve-site.ts: one project. */
export interface SiteTask {
  readonly checklists: number
  readonly photos: number
  readonly photoBytes: number
  /** Previews are pictures of their own, or as large as the photos. */
  readonly previews: 'small' | 'like photos'
  /** Delay of each answer, also of the API. Default: none. */
  readonly delayMs?: number
}

/** Site that serve-site.ts serves. */
export interface ServedSite extends ServedSample {
  readonly filesUrl: string
  /** Every file, relative to `filesUrl`. */
  readonly paths: readonly string[]
}

/** Number of files that serve-site.ts has sent since its start. */
export interface SiteProgress {
  readonly served: number
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

/** Task of serve-sample.ts. */
export interface SampleTask extends SampleServiceOptions {
  /** Delay of each photo and thumbnail. Default: none. */
  readonly fileDelayMs?: number
}

/** Task of a process that runs `status --json` again and again. */
export interface AskTask {
  readonly env: NodeJS.ProcessEnv
  readonly questions: number
  /** Milliseconds from one start to the next, if the first one is done by then. */
  readonly everyMs: number
}

export interface AskFigures {
  /** Answers with an unexpected exit code, or without a document. */
  readonly failures: number
  readonly medianMs: number
  readonly p95Ms: number
}
