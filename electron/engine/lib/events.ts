import { EventEmitter } from 'node:events'
import type { ActivityNews } from '../../../shared/activity.ts'
import type { AssetKind, SyncFailure } from '../../../shared/domain.ts'
import type { AppError } from '../../../shared/errors.ts'
import type { EvidenceState } from '../../../shared/evidence.ts'
import type { WatchState } from '../../../shared/watch.ts'

/** Progress is sent at most five times a second: a public promise (docs/json.md, "Events"). */
export const progressIntervalMs = 200

export interface TimeLeft {
  readonly leftMs: number
  /** The service's limit of calls, if it determines the time left; otherwise `null`. */
  readonly callsPerMinute: number | null
}

/** Progress of a pass. Counts are of this pass. */
export interface SyncProgress {
  readonly projectsDone: number
  /** Projects of which everything was read; their files may still be downloaded. */
  readonly projectsRead: number
  readonly projectsTotal: number
  readonly filesDone: number
  readonly filesFailed: number
  /** Files known so far; grows while projects are still being read. */
  readonly filesTotal: number
  readonly bytesDownloaded: number
  readonly elapsedMs: number
  /** Milliseconds until the rate budget allows the next call; 0 if no call is waiting. */
  readonly budgetWaitMs: number
  /** Time left; `null` if it is not known well enough. */
  readonly timeLeft: TimeLeft | null
  /** Set while files or calls wait for a host that is down. */
  readonly hostWait?: HostWait | undefined
}

/** The wait for a host that is down. */
export interface HostWait {
  /** Name of the file host; `null` for the service. */
  readonly host: string | null
  readonly waitedMs: number
}

/** A download in flight, without its path and link. */
export interface DownloadInFlight {
  readonly assetId: number
  readonly kind: AssetKind
  /** The file's name in its folder of the archive. */
  readonly name: string
  readonly projectId: string
  readonly projectName: string | null
  /** Bytes on disk, including those of an earlier try that it resumes. */
  readonly bytes: number
  /** `null` if the file host has not answered yet, or does not announce the size. */
  readonly totalBytes: number | null
}

export interface VerifyProgress {
  readonly filesDone: number
  readonly filesTotal: number
}

/** Result of a poll of the watch. Counts are files. */
export interface ProjectSynced {
  readonly projectId: string
  readonly checklists: number
  readonly filesDownloaded: number
  readonly filesFailed: number
}

/** A damaged file that the scrub found. `path` is relative to the archive root. */
export interface ScrubFinding {
  readonly projectId: string
  readonly path: string
  readonly state: 'missing' | 'changed'
  /** `queued` if it will be downloaded or written again; otherwise the error that prevented it. */
  readonly outcome: 'queued' | AppError
}

interface EventMap {
  'sync-progress': [SyncProgress]
  /** All files being downloaded, at most twice a second; empty after the last one. */
  downloads: [readonly DownloadInFlight[]]
  /** State of the watch. Listeners that start later query it; `revision` grows with each change. */
  'watch-state': [WatchState & { readonly revision: number }]
  'project-synced': [ProjectSynced]
  /** One project, checklist, or file that failed in the watch. */
  'sync-failure': [SyncFailure]
  /** The scrub found a damaged file. */
  finding: [ScrubFinding]
  'verify-progress': [VerifyProgress]
  'evidence-state': [EvidenceState]
  /** Orders or batches that were created, changed, or removed. `null`: several, or none. */
  'orders-changed': [{ readonly orderId: number | null; readonly batchId: number | null }]
  /** Archived files were read: texts of theirs can be found, or hints have changed. At most once a second. */
  'files-read': []
  /** Rows that were added or counted up, once committed. At most twice a second. */
  activity: [ActivityNews]
}

/** Typed events of the engine, throttled to at most five a second per name. */
export class EngineEvents extends EventEmitter<EventMap> {}
