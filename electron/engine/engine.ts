import type { LastVerify } from './integrity/verify-run.ts'
import type { ActivityPage, ActivityQuery } from '../../shared/activity.ts'
import type { PauseLength, QuietHours, WatchState } from '../../shared/watch.ts'
import type { Project, StatusReport, SyncReport, VerifyReport } from '../../shared/domain.ts'
import type { ErrorCode } from '../../shared/error-policy.ts'
import type { ProjectPreview, ProjectPreviewInput } from '../../shared/project-preview.ts'
import type { ConnectionTest, SyncSchedule } from '../../shared/settings.ts'
import type { ApiBudget, FilesTarget, PhotoFacts } from '../../shared/views.ts'
import type { Location } from './catalog/locate-files.ts'
import type { Catalog } from './catalog/create-catalog.ts'
import type { OpenAsset } from './catalog/open-asset.ts'
import type { EngineEvents } from './lib/events.ts'
import type { ConnectionQuestion } from './service/test-connection.ts'
import type { ModuleNames, Presets } from './orders/presets.ts'
import type { Orders } from './orders/create-orders.ts'
import type { OrderTimings } from './orders/order-deps.ts'
import type { Batches } from './orders/batches.ts'
import type { FailedFile } from './store/jobs-store.ts'

export type { FailedFile, OpenAsset }

/** A project to archive, as a person or a list gives it. */
export interface NewProject {
  readonly id: string
  readonly name?: string | undefined
  readonly address?: string | undefined
}

export interface EngineSettings {
  /** The service's address, with or without a trailing `/` or `/api/v1`. */
  readonly serviceUrl: string
  /** Absolute path of the data folder: database, settings, logs. */
  readonly homeFolder: string
  /** Absolute path of the archive's root. */
  readonly archiveFolder: string
  /** API calls in any 60 seconds; 0 lifts the limit. Default 60. */
  readonly apiCallsPerMinute?: number
  /** Files downloaded at the same time. Default 8. */
  readonly concurrency?: number
  /** How often the watch asks about a project. Default `automatic`. */
  readonly schedule?: SyncSchedule
  /** When the watch rests every day. Default: never. */
  readonly quietHours?: QuietHours
  /** Default: `defaultOrderTimings`. */
  readonly orderTimings?: OrderTimings
}

export type RetryTarget = { readonly assetId: number } | { readonly projectId: string } | 'all'

export interface WatchControl {
  /** Resolves when the signal aborts or the engine is closed. Rejects with `database-damaged`; one at a time. */
  run(signal?: AbortSignal): Promise<void>
  /** Lasts over a restart. */
  pause(length: PauseLength): WatchState
  resume(): WatchState
  /** Rests while the machine runs on its battery; a pass that a person starts runs all the same. */
  pauseOnBattery(isOnBattery: boolean): void
  state(): WatchState
  /** The network came back, a token was typed, the machine woke: what is in the way is looked at at once. */
  recheck(): void
}

/** What a pass did: the public report, and what a person wants to know besides. */
export interface SyncResult extends SyncReport {
  /** Projects of the pass that failed, or that it did not come to because of what failed before. */
  readonly notSynced: number
}

/** What a verify found and did: the public report, and what a person wants to know besides. Paths are archive-relative. */
export interface VerifyResult extends VerifyReport {
  /** When the verify began that was stopped and that this one went on with; null: it began anew. */
  readonly resumedFrom: string | null
  /** Files of `checked` that were read before the stop, and of which only name and size were looked at now. */
  readonly alreadyRead: number
  /** Where changed files are now. */
  readonly setAside: readonly string[]
  /** Why files could not be repaired; empty when nobody asked for it. */
  readonly failures: readonly { readonly path: string; readonly code: ErrorCode; readonly message: string }[]
}

/** What the hosts see of the engine. Every rejection is an AppError. */
export interface Engine {
  /** Identifies the data folder and the archive that it works on. */
  readonly archiveKey: string
  readonly events: EngineEvents
  readonly projects: {
    /** Adds or completes projects; a known one keeps what is not given again. Answers those named, as they are now. */
    add(projects: readonly NewProject[]): Project[]
    list(): Project[]
    /** Those of `ids` that are in the list, each once. Throws `not-found` where none is. */
    known(ids: readonly string[]): string[]
    /** What adding a list would do; nothing is changed. Throws `wrong-usage` for one that is too long. */
    preview(input: ProjectPreviewInput): ProjectPreview
    /** Stops archiving a project; its files and its records stay. Throws `not-found` when it is not in the list. */
    remove(projectId: string): Project
    /** Adds every project that the service's project call lists. Throws `not-found` when the service has no such call. */
    discover(signal?: AbortSignal): Promise<{ found: number; added: Project[] }>
  }
  /** One pass over all or the named projects, downloads included. */
  sync(options?: { projectIds?: readonly string[]; signal?: AbortSignal }): Promise<SyncResult>
  /**
   * Throws `archive-unavailable` when files are archived and their folders are not there. After the database was lost
   * the first of `sync`, `status` and `verify` reads the archive folder, which takes as long as reading its files.
   */
  status(options?: { signal?: AbortSignal }): Promise<StatusReport>
  /**
   * Projects that no pass has worked off yet, or that the last one could not: nothing certain is known of them. `why`: what kept
   * the last pass from it, for a person; null where none has tried.
   */
  unsynced(): { readonly name: string; readonly why: string | null }[]
  /** Checklists that a rebuild brought back from the archive folder and that no pass has looked at since. */
  rebuilt(): { readonly projectId: string; readonly id: string }[]
  /** Keeps everything archived, by the schedule, until the signal aborts or the engine is closed. */
  readonly watch: WatchControl
  /**
   * Files that could not be archived and wait for their next try, the next ones first; the engine's own limit is 1,000.
   */
  failures(): FailedFile[]
  /** Tries failed files now: one, those of a project, or all. Answers how many were queued again. */
  retry(target: RetryTarget): number
  /**
   * Re-hashes every archived file, or what is left of a verify that was stopped within the last week. `repair` fetches
   * what is missing or changed again. Throws `archive-unavailable` when the folder is not the archive.
   */
  verify(options?: { signal?: AbortSignal; repair?: boolean }): Promise<VerifyResult>
  /** How the last verify that ran to its end ended, also before the last start. */
  lastVerify(): LastVerify | null
  /** What the app shows of the database, a page at a time. */
  readonly catalog: Catalog
  /** What happened, newest first. */
  activity(query: ActivityQuery): ActivityPage
  /** Opens an archived file by its asset's id; see `openAsset` for what it throws. */
  openAsset(assetId: number): Promise<OpenAsset>
  /** What an archived photo's own bytes tell. Throws `not-found`. */
  photoFacts(assetId: number): Promise<PhotoFacts>
  /** Where an archived file or folder is; see `locateFiles` for what it throws. */
  locate(target: FilesTarget): Promise<Location>
  /** Orders of designs: drafts, and what was placed. */
  readonly orders: Orders
  /** Values for new orders. */
  readonly presets: Presets
  /** Lists of orders. */
  readonly batches: Batches
  /** Asks for all orders of a project, those placed elsewhere too; `listed` null: the service has no such list. */
  refreshOrders(projectId: string, signal?: AbortSignal): Promise<{ listed: number | null }>
  /** See `orders.modules` of the contract. */
  moduleNames(signal?: AbortSignal): Promise<ModuleNames>
  apiBudget(): ApiBudget
  /** See `testConnection` of the service; counted in this engine's budget. */
  testConnection(asked: ConnectionQuestion): Promise<ConnectionTest>
  /** The projects' folders in which files are archived, relative to the archive root. */
  archivedFolders(): readonly string[]
  /** The folders of all projects, of those that are no longer synced too, relative to the archive root. */
  projectFolders(): readonly string[]
  /** Every file that the archive holds by its records, `path` relative to its root. */
  recordedFiles(): AsyncIterable<{ readonly path: string; readonly sha256: string; readonly sizeBytes: number }>
  /** Stops what runs, waits for it (at most about a second), and lets go of the data folder. */
  close(): Promise<void>
}
