import { EventEmitter } from 'node:events'
import type { ActivityNews } from '../../../shared/activity.ts'
import type { Download, EventValue } from '../../../shared/contract/events.ts'
import type { SyncFailure } from '../../../shared/domain.ts'
import type { AppError } from '../../../shared/errors.ts'
import type { EvidenceState } from '../../../shared/evidence.ts'
import type { WatchState } from '../../../shared/watch.ts'

/** Progress is sent at most five times a second: a public promise (docs/json.md, "Events"). */
export const progressIntervalMs = 200

export type SyncProgress = Readonly<EventValue<'sync-progress'>>
export type TimeLeft = Readonly<NonNullable<SyncProgress['timeLeft']>>
/** The wait for a host that is down. */
export type HostWait = Readonly<NonNullable<SyncProgress['hostWait']>>
export type DownloadInFlight = Readonly<Download>
export type VerifyProgress = Readonly<EventValue<'verify-progress'>>
export type ProjectSynced = Readonly<EventValue<'project-synced'>>

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
  /** Orders, batches, or presets that were created, changed, or removed. `null`: several, or none. */
  'orders-changed': [{ readonly orderId: number | null; readonly batchId: number | null }]
  /** Archived files were read: texts of theirs can be found, or hints have changed. At most once a second. */
  'files-read': []
  /** Rows that were added or counted up, once committed. At most twice a second. */
  activity: [ActivityNews]
}

/** Typed events of the engine, throttled to at most five a second per name. */
export class EngineEvents extends EventEmitter<EventMap> {
  /** Adds listeners. Returns a function that removes them. */
  listen(listeners: { readonly [Name in keyof EventMap]?: (...args: EventMap[Name]) => void }): () => void {
    const all = Object.entries(listeners) as [keyof EventMap, () => void][]
    for (const [name, listener] of all) this.on(name, listener)
    return () => {
      for (const [name, listener] of all) this.off(name, listener)
    }
  }
}
