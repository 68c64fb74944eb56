import type { Fault } from '../../../electron/sample-service/http/faults.ts'
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
  /** Fault of each photo and thumbnail. Default: none. */
  readonly fileFault?: Fault
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

/** Task of make-backlog.ts, and of watch-backlog.ts after it. */
export interface BacklogTask extends ServedSample {
  readonly folder: string
  readonly watchMs: number
}

export interface BacklogMade {
  readonly failedFiles: number
}

/** Sent by watch-backlog.ts at its end. Times are in milliseconds. */
export interface BacklogFigures {
  /** Number of files that were retried meanwhile. */
  readonly triedAgain: number
  /** Delay of the event loop beyond the timer's own resolution. */
  readonly delayMs: { readonly p50: number; readonly p99: number; readonly max: number }
  /** Share of the time that the event loop was busy. */
  readonly busyShare: number
  readonly bridge: readonly { readonly call: string; readonly slowestMs: number }[]
}

/** Task of watch-changing-site.ts. */
export interface SoakTask extends ServedSample {
  readonly folder: string
  /** Speed of the engine's clock, as a multiple of real time. */
  readonly speed: number
}

/** Sent by watch-changing-site.ts every few seconds. */
export interface SoakSample {
  readonly kind: 'sample'
  readonly rssMegabytes: number
  /** Number of failures emitted since the last sample, by code. */
  readonly failures: Readonly<Record<string, number>>
}

/** Sent by watch-changing-site.ts after it was asked to end and had time to recover. */
export interface SoakEnd {
  readonly kind: 'end'
  /** Number of files that still fail, by code. */
  readonly failing: Readonly<Record<string, number>>
  readonly gaps: readonly string[]
  readonly missing: number
  readonly changed: number
  readonly hashes: readonly string[]
}

/** Sent by serve-changing-site.ts when it was asked to end the faults. */
export interface SoakServed {
  readonly faults: Readonly<Record<string, number>>
  readonly changes: number
  readonly apiCalls: number
  readonly fileRequests: number
  /** Hashes of all files that are served now. */
  readonly hashes: readonly string[]
}
