import { EventEmitter } from 'node:events'

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

export interface VerifyProgress {
  readonly filesDone: number
  readonly filesTotal: number
}

interface EventMap {
  'sync-progress': [SyncProgress]
  'verify-progress': [VerifyProgress]
}

/** Typed events of the engine: coalesced, at most five of a name a second. */
export class EngineEvents extends EventEmitter<EventMap> {}
