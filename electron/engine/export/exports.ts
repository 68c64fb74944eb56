import type {
  ExportOptions,
  ExportOutline,
  ExportPreview,
  ExportProgress,
  ExportResult,
  ExportSelection,
} from '../../../shared/export.ts'
import type { Clock } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'

export interface ExportDeps {
  readonly store: Store
  /** Root of the archive. */
  readonly root: string
  readonly homeFolder: string
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>
  /** True in a process that does nothing else meanwhile. */
  readonly mayBlock?: boolean | undefined
  /**
   * Restores the database from the archive folder if a rebuild is due: until then it may lack checklists. Throws
   * `data-folder-locked` for a reader, which waits for no owner that does so, and like `rebuildDatabase`.
   */
  readonly requireRebuilt: (signal: AbortSignal | undefined) => void | Promise<void>
  /** Waits until a search finds everything; a reader waits for the owner, for a few seconds. */
  readonly completeIndex: (signal: AbortSignal) => Promise<void>
  /**
   * Checks and records files that are not in the archive folder as planned; undefined for a reader, which may not
   * write. Throws `archive-unavailable` if the folder is not the archive.
   */
  readonly recordLost?: ((assetIds: ReadonlySet<number>, signal: AbortSignal) => Promise<unknown>) | undefined
}

export interface ExportRequest {
  readonly selection: ExportSelection
  readonly options: ExportOptions
  /** Absolute path; see `resolveTarget`. */
  readonly to: string
  readonly signal?: AbortSignal | undefined
  /** Called once. */
  readonly onPlanned?: ((outline: ExportOutline) => void) | undefined
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined
  /** Called once nothing more is read from the archive. The export ends with its error, under no name. */
  readonly onRead?: (() => Promise<void>) | undefined
}

/** Exports of an archive, also beside the owner of its data folder. */
export interface Exports {
  /** Returns what an export would have. Throws `not-found` for an unknown selection. */
  preview(selection: ExportSelection, options: ExportOptions): Promise<ExportPreview>
  /** Writes an export; see `writeExport`. */
  write(request: ExportRequest): Promise<ExportResult>
}
