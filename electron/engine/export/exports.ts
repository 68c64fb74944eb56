import type {
  ExportOptions,
  ExportPreview,
  ExportProgress,
  ExportResult,
  ExportSelection,
} from '../../../shared/export.ts'

export interface ExportRequest {
  readonly selection: ExportSelection
  readonly options: ExportOptions
  /** Absolute path; see `resolveTarget`. */
  readonly to: string
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined
}

/** Exports of an archive, also beside the owner of its data folder. */
export interface Exports {
  /** Returns what an export would have. Throws `not-found` for an unknown selection. */
  preview(selection: ExportSelection, options: ExportOptions): Promise<ExportPreview>
  /** Writes an export; see `writeExport`. */
  write(request: ExportRequest): Promise<ExportResult>
}
