import type { LastVerify } from './integrity/verify-run.ts'
import type { ActivityPage, ActivityQuery, UserAction } from '../../shared/activity.ts'
import type { AttentionCause } from '../../shared/attention.ts'
import type { PauseLength, QuietHours, WatchState } from '../../shared/watch.ts'
import type { DownloadCounts, LastSync, Project, StatusReport, SyncReport, VerifyReport } from '../../shared/domain.ts'
import type { ErrorCode } from '../../shared/error-policy.ts'
import type { ListSource } from '../../shared/csv.ts'
import type { ProjectPreview } from '../../shared/project-list.ts'
import type { FoundWord, PhotoWordsQuery, SearchPage, SearchQuery } from '../../shared/search.ts'
import type { ConnectionTest, SyncSchedule } from '../../shared/settings.ts'
import type {
  ApiBudget,
  FilesTarget,
  FileVersion,
  PhotoFacts,
  PhotoPlaces,
  PhotoPlacesQuery,
} from '../../shared/views.ts'
import type { Location } from './catalog/locate-files.ts'
import type { RenamedFolder } from './checklists/find-misplaced.ts'
import type { Catalog } from './catalog/create-catalog.ts'
import type { Copies, SavedCopies } from './catalog/copies.ts'
import type { OpenAsset } from './catalog/open-asset.ts'
import type { EvidenceState, StampedEvidence } from '../../shared/evidence.ts'
import type { DeliveryPage, DeliveryQuery } from '../../shared/hooks.ts'
import type { HookOutbox, HookSubscription } from './hooks/create-hook-outbox.ts'
import type { EvidenceSettings } from './evidence/evidence.ts'
import type { Exports } from './export/exports.ts'
import type { Packets } from './export/packets.ts'
import type { EngineEvents, SyncProgress, VerifyProgress } from './lib/events.ts'
import type { NetworkSettings } from './service/proxy-route.ts'
import type { ConnectionQuestion } from './service/test-connection.ts'
import type { ModuleNames, ModuleQuery, Presets } from './orders/presets.ts'
import type { Orders } from './orders/create-orders.ts'
import type { WriteMode } from './downloads/group-writer.ts'
import type { OrderTimings } from './orders/order-deps.ts'
import type { Batches } from './orders/batches.ts'
import type { FailedFile } from './store/jobs-store.ts'

export type { Copies, FailedFile, OpenAsset }

/** A project to archive, entered by a user or read from a list. */
export interface NewProject {
  readonly id: string
  readonly name?: string | undefined
  readonly address?: string | undefined
}

/** Service whose projects a data folder holds: the embedded sample, with the ids of its projects, or a real one. */
export type DataFor = { readonly kind: 'service' } | { readonly kind: 'sample'; readonly projectIds: readonly string[] }

export interface EngineSettings {
  /** The service's address, with or without a trailing `/` or `/api/v1`. */
  readonly serviceUrl: string
  /** Absolute path of the data folder: database, settings, logs. */
  readonly homeFolder: string
  /** Absolute path of the archive's root. */
  readonly archiveFolder: string
  /** API calls in any 60 seconds; 0 removes the limit. Default 60. */
  readonly apiCallsPerMinute?: number
  /** Files downloaded at the same time. Default 8. */
  readonly concurrency?: number
  /** Poll frequency of the watch per project. Default `automatic`. */
  readonly schedule?: SyncSchedule
  /** Daily time in which the watch rests. Default: none. */
  readonly quietHours?: QuietHours
  /** Look for codes and print on photos. Default: no. */
  readonly readPhotos?: boolean
  /** Proxies and certificates for calls and files. Default: direct connections. */
  readonly network?: NetworkSettings
  /** Hooks that events are recorded for. Default: none. */
  readonly hooks?: readonly HookSubscription[]
  /** Trusted time stamps. Default: none daily, and no authority. */
  readonly evidence?: EvidenceSettings
  /** Default: `defaultOrderTimings`. */
  readonly orderTimings?: OrderTimings
  /** Default: a thread. */
  readonly writeMode?: WriteMode
  /** Whose projects may be in the data folder and the archive. Default: not checked. */
  readonly dataFor?: DataFor
}

export type RetryTarget =
  | { readonly assetId: number }
  | { readonly projectId: string }
  | { readonly cause: AttentionCause }
  | 'all'

export interface WatchControl {
  /** Resolves when the signal aborts or the engine is closed. Rejects with `database-damaged`; one at a time. */
  run(signal?: AbortSignal): Promise<void>
  /** Pauses the watch, also across a restart. */
  pause(length: PauseLength): WatchState
  resume(): WatchState
  /** Rests while the machine runs on its battery; a pass that a user starts runs anyway. */
  pauseOnBattery(isOnBattery: boolean): void
  state(): WatchState
  /** Checks the blocker at once: the network came back, a token was entered, or the machine woke up. */
  recheck(): void
}

/** The result of a pass: the public report, and more for people. */
export interface SyncResult extends SyncReport {
  /** The number of projects that failed, or that the pass did not reach because of an earlier failure. */
  readonly notSynced: number
  /**
   * The number of files that are still queued, for which no try was counted: their host or the service is down, or the
   * pass ended before their turn.
   */
  readonly filesWaiting: number
  readonly downloads: DownloadCounts
  /** The hosts that were given up, as messages for people. */
  readonly outages: readonly { readonly code: ErrorCode; readonly message: string }[]
}

/** The result of a verify: the public report, and more for people. Paths are relative to the archive. */
export interface VerifyResult extends VerifyReport {
  /** When the stopped verify started that this one resumed; `null` if it started from the beginning. */
  readonly resumedFrom: string | null
  /** The number of files in `checked` that were read before the stop; only their names and sizes were checked now. */
  readonly alreadyRead: number
  /** The paths of changed files in quarantine. */
  readonly quarantined: readonly string[]
  /** The files that could not be repaired, and why; empty without a repair. */
  readonly failures: readonly { readonly path: string; readonly code: ErrorCode; readonly message: string }[]
}

export interface VerifyQuery {
  /** Default: all. */
  readonly projectIds?: readonly string[] | undefined
  readonly signal?: AbortSignal
  readonly repair?: boolean
  readonly onProgress?: (progress: VerifyProgress) => void
}

/** The projects of a status; default: all. */
export interface StatusQuery {
  readonly projectIds?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
  /** Takes the projects one by one. The report then has none, so that memory does not grow with the archive. */
  readonly into?: StatusSink | undefined
}

export interface StatusSink {
  add(project: StatusReport['projects'][number]): void
  /** Called if the status starts over: projects that were added before do not count. */
  clear(): void
}

/**
 * Everything that can be read of an archive: all that a process can do beside the owner of the data folder. Every
 * rejection is an AppError.
 */
export interface ArchiveReader {
  /** Identifies the data folder and the archive that it works on. */
  readonly archiveKey: string
  readonly projects: {
    list(): Project[]
    /** Returns the `ids` that are in the list, each once. Throws `not-found` if none is. */
    known(ids: readonly string[]): string[]
  }
  /**
   * Completeness of all projects, or of the named ones. Throws `not-found` for an unknown project, and
   * `archive-unavailable` if files are archived and their folders are missing. After the database was lost, the
   * first of `sync`, `status`, and `verify` reads the archive folder, which takes as long as reading all its files.
   */
  status(options?: StatusQuery): Promise<StatusReport>
  /**
   * Returns the projects that no pass has completed: nothing certain is known about them. `code` and `message`
   * are the reason; `null` if no pass has failed.
   */
  unsynced(): {
    readonly id: string
    readonly name: string
    readonly code: ErrorCode | null
    readonly message: string | null
  }[]
  /** Returns the checklists that a rebuild restored from the archive folder, and that no pass has checked since. */
  rebuilt(): { readonly projectId: string; readonly id: string }[]
  /**
   * Returns the files of all or the named projects that failed and wait for their next try, the next one first; at most
   * 1,000.
   */
  failures(projectIds?: readonly string[]): FailedFile[]
  /** Returns the number of all such files. */
  countFailures(projectIds?: readonly string[]): number
  /** Returns the last pass that a user started; `null` if there was none. */
  lastSync(): LastSync | null
  /** Returns when the service last listed the checklists of a project, for a pass or the watch; `null` if never. */
  lastCheckAt(): string | null
  /**
   * Hashes every archived file again, or those of the named projects. Beside an owner nothing is recorded, and nothing
   * resumed. Throws `not-found` for an unknown project, and `archive-unavailable` if the folder is not the archive.
   */
  verify(options?: Omit<VerifyQuery, 'repair'>): Promise<VerifyResult>
  /** Returns the result of the last complete verify, also from before the last start. */
  lastVerify(): LastVerify | null
  /** The pages' queries, a page of rows at a time. */
  readonly catalog: Catalog
  /** Finds texts anywhere in the archive. Throws `wrong-usage` for an invalid cursor. */
  search(query: SearchQuery): SearchPage
  /** Resolves once everything can be found by `search`; at once beside an owner, which is what indexes. */
  completeIndex(signal?: AbortSignal): Promise<void>
  /** Returns the activity, newest first. */
  activity(query: ActivityQuery): ActivityPage
  /** Opens an archived file by its asset's id, or an earlier version; see `openAsset` for what it throws. */
  openAsset(assetId: number, version?: string): Promise<OpenAsset>
  /** Returns the files that an archived one replaced, the latest first. */
  versions(assetId: number): FileVersion[]
  /** Returns the names of copies of archived files; see `listCopies` for what it throws. */
  copies(assetIds: readonly number[]): Promise<Copies>
  /** Copies archived files into a folder; see `saveCopies` for what it throws. */
  saveCopies(assetIds: readonly number[], folder: string): Promise<SavedCopies>
  /** Copies an archived file to a path; see `saveCopy` for what it throws. */
  saveCopy(assetId: number, path: string): Promise<void>
  /** Hands over copies of what is archived, with tables about it. */
  readonly exports: Exports
  /** Packets from templates. */
  readonly packets: Pick<Packets, 'templates' | 'template' | 'preview' | 'previewNames' | 'write'>
  /** Returns the metadata in an archived photo. Throws `not-found`. */
  photoFacts(assetId: number): Promise<PhotoFacts>
  /** Returns the archived photos of a project or checklist with where and when they were taken. Throws `not-found`. */
  photoPlaces(query: PhotoPlacesQuery): Promise<PhotoPlaces>
  /** Returns the words and codes on an archived photo that contain one of the texts. */
  photoWords(query: PhotoWordsQuery): FoundWord[]
  /** Returns the path of an archived file or folder; see `locateFiles` for what it throws. */
  locate(target: FilesTarget): Promise<Location>
  /** Design orders: drafts and placed orders. */
  readonly orders: Pick<Orders, 'list' | 'get'>
  /** Values for new orders. */
  readonly presets: Pick<Presets, 'list'>
  /** Lists of orders. */
  readonly batches: Pick<Batches, 'list' | 'get' | 'result'>
  /** Returns what was sent to hooks and will be, the newest first. */
  hookDeliveries(query: DeliveryQuery): DeliveryPage
  /**
   * Returns the given hooks whose last finished delivery failed, or whose waiting delivery has been failing for about
   * an hour.
   */
  failingHooks(hookIds: readonly string[]): string[]
  /** Returns the state of trusted time stamps. */
  evidenceState(): EvidenceState
  /** Returns the folders of these projects that somebody renamed in the archive. */
  renamedFolders(projectIds: readonly string[], signal?: AbortSignal): Promise<RenamedFolder[]>
  /** Returns the project folders with archived files, relative to the archive root. */
  archivedFolders(): readonly string[]
  /** Returns the folders of all projects, also of those no longer synced, relative to the archive root. */
  projectFolders(): readonly string[]
  /** Returns the number of archived files and their size. */
  archiveSize(): Promise<{ readonly files: number; readonly bytes: number }>
  /** Yields every recorded file of the archive; `path` is relative to its root. */
  recordedFiles(): AsyncIterable<{ readonly path: string; readonly sha256: string; readonly sizeBytes: number }>
  close(): Promise<void>
}

export interface ReadingOptions {
  readonly signal?: AbortSignal
  /** Time after which no file is begun. Default: 30 seconds. */
  readonly maxMs?: number
  /** Work that archives files: they are read while it runs, and `maxMs` counts from its end. */
  readonly beside?: Promise<unknown>
}

/** The engine, for the app and the hosts: the owner of a data folder. Every rejection is an AppError. */
export interface Engine extends ArchiveReader {
  /** True if the data folder had no database of this archive, and the list of projects was read from the archive. */
  readonly isMadeFromArchive: boolean
  readonly events: EngineEvents
  readonly projects: ArchiveReader['projects'] & {
    /** Adds or updates projects; fields that are left out keep their values. Returns the named projects. */
    add(projects: readonly NewProject[]): Project[]
    /** Returns what adding a list would do, and changes nothing. Throws `wrong-usage` for a list that is too long. */
    preview(list: ListSource): Promise<ProjectPreview>
    /** Stops archiving a project; its files and its records stay. Throws `not-found` if it is not in the list. */
    remove(projectId: string): Project
    /**
     * Adds every project that the service lists. `isPartial` if the service says that there are more. Throws
     * `not-found` if the service has no such call.
     */
    discover(signal?: AbortSignal): Promise<{ found: number; added: Project[]; isPartial: boolean }>
  }
  /**
   * One pass over all or the named projects, downloads included. `onProgress` is called with the progress of this pass
   * only, as often as the event.
   */
  sync(options?: {
    projectIds?: readonly string[]
    signal?: AbortSignal
    onProgress?: (progress: SyncProgress) => void
  }): Promise<SyncResult>
  /** Keeps everything archived, by the schedule, until the signal aborts or the engine is closed. */
  readonly watch: WatchControl
  /**
   * Reads the text of new reports, and of photos if that is set; the watch does so by itself. Returns at once where
   * nothing can be read.
   */
  readNewFiles(options?: ReadingOptions): Promise<void>
  /** Retries failed files now: one, those of a project or a cause, or all. Returns how many were queued. */
  retry(target: RetryTarget): number
  /**
   * Hashes every archived file again, or resumes a verify that was stopped within the last week. `repair` downloads
   * missing and changed files again. A verify of named projects reads all their files, and neither resumes a stopped
   * one nor counts as the last one. Throws `not-found` for an unknown project, and `archive-unavailable` if the folder
   * is not the archive.
   */
  verify(options?: VerifyQuery): Promise<VerifyResult>
  /**
   * Writes evidence of the archive and has it stamped now, by the authorities of the settings or by `authority`; see
   * `Evidence` for what it throws.
   */
  stampEvidence(options?: {
    readonly authority?: string | undefined
    readonly signal?: AbortSignal | undefined
  }): Promise<StampedEvidence>
  /** Events for hooks, and their deliveries. */
  readonly hooks: HookOutbox
  readonly orders: Orders
  readonly presets: Presets
  readonly packets: Packets
  readonly batches: Batches
  /**
   * Asks the service for all orders of a project, also those placed elsewhere. `listed` is `null` if the service has no
   * such list.
   */
  refreshOrders(projectId: string): Promise<{ listed: number | null }>
  /** See `orders.modules` of the contract. */
  moduleNames(query: ModuleQuery): Promise<ModuleNames>
  /** Lists in the activity what a user did to the settings, the token, or the archive folder. */
  recordAction(action: UserAction): void
  apiBudget(): ApiBudget
  /** See `testConnection` of the service; counted in this engine's budget. Throws `cancelled` if the engine closes. */
  testConnection(asked: ConnectionQuestion): Promise<ConnectionTest>
  /** Stops all work, waits for it (at most about a second), and releases the data folder. */
  close(): Promise<void>
}
