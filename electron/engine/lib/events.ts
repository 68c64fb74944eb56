import { EventEmitter } from 'node:events'
import type { ActivityNews } from '../../../shared/activity.ts'
import type { AssetKind, SyncFailure } from '../../../shared/domain.ts'
import type { AppError } from '../../../shared/errors.ts'
import type { WatchState } from '../../../shared/watch.ts'

/** How far a pass is. Counts are of this pass; bytes are bytes. */
export interface SyncProgress {
  readonly projectsDone: number
  readonly projectsTotal: number
  readonly filesDone: number
  readonly filesFailed: number
  /** Files known so far; grows while projects are still being read. */
  readonly filesTotal: number
  readonly bytesDownloaded: number
  readonly elapsedMs: number
  /** Milliseconds until the rate budget allows the next call; 0 when nothing waits for it. */
  readonly budgetWaitMs: number
}

/** A file that is being downloaded now. Neither its path nor its link. */
export interface DownloadInFlight {
  readonly assetId: number
  readonly kind: AssetKind
  /** As it is called in its folder of the archive. */
  readonly name: string
  readonly projectId: string
  readonly projectName: string | null
  /** So far, those of an earlier try that it goes on from included. */
  readonly bytes: number
  /** Null: the file host has not answered yet, or does not tell. */
  readonly totalBytes: number | null
}

export interface VerifyProgress {
  readonly filesDone: number
  readonly filesTotal: number
}

/** What a poll of the watch brought. Counts are files. */
export interface ProjectSynced {
  readonly projectId: string
  readonly checklists: number
  readonly filesDownloaded: number
  readonly filesFailed: number
}

/** A file that the rolling verify found damaged. `path` is relative to the archive root. */
export interface ScrubFinding {
  readonly projectId: string
  readonly path: string
  readonly state: 'missing' | 'changed'
  /** `queued`: it is fetched again or written anew; else why it was left as it is. */
  readonly outcome: 'queued' | AppError
}

interface EventMap {
  'sync-progress': [SyncProgress]
  /** All files under way, again and again while there are any, at most twice a second; empty once there are none. */
  downloads: [readonly DownloadInFlight[]]
  /** Sticky: whoever comes later asks for the state; `revision` grows with every one. */
  'watch-state': [WatchState & { readonly revision: number }]
  'project-synced': [ProjectSynced]
  /** Of the watch: one project, checklist or file. */
  'sync-failure': [SyncFailure]
  /** The rolling verify found a file that is not as it was archived. */
  finding: [ScrubFinding]
  'verify-progress': [VerifyProgress]
  /** Orders or lists of orders that were made, changed or removed; null: more than one, or none. */
  'orders-changed': [{ readonly orderId: number | null; readonly batchId: number | null }]
  /** Rows that were added or count more than before, once they are committed. At most twice a second. */
  activity: [ActivityNews]
}

/** Typed events of the engine: coalesced, at most five of a name a second. */
export class EngineEvents extends EventEmitter<EventMap> {}
