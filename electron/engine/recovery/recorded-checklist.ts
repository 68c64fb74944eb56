import type { AssetKind, Place } from '../../../shared/domain.ts'

/** What a checklist's `checklist.json` tells that can be used. Every path was looked at, none was proven on the disk. */
export interface RecordedChecklist extends RecordedBody {
  readonly project: { readonly id: string; readonly name: string | null; readonly address: string | null }
  readonly checklist: {
    readonly id: string
    readonly title: string
    readonly status: string
    readonly updatedAt: string | null
  }
  /** The service's own JSON, cleaned again. */
  readonly entry: unknown
  readonly detail: unknown
}

export interface RecordedBody {
  readonly questions: readonly RecordedQuestion[]
  readonly files: readonly RecordedFile[]
  readonly versions: readonly RecordedVersion[]
  /** Entries that could not be read or lead elsewhere. */
  readonly skipped: number
}

export interface RecordedQuestion {
  readonly section: string
  readonly label: string
  readonly mediaCategoryId: string | null
  /** One component each. */
  readonly sectionFolder: string
  readonly folder: string
  readonly present: boolean
}

export interface RecordedFile {
  /** Relative to the checklist's folder. */
  readonly file: string
  readonly kind: AssetKind
  /** Position in `questions`; null for the report. */
  readonly question: number | null
  readonly key: string
  readonly source: string | null
  readonly filename: string | null
  /** Null when the document does not tell. */
  readonly sha256: string | null
  readonly archivedAt: string | null
  readonly present: boolean
  readonly etag: string | null
  readonly lastModified: string | null
  readonly confirmed: boolean
  /** Undefined when there is none. */
  readonly record: unknown
  readonly takenAt: string | null
  readonly place: Place | null
}

export interface RecordedVersion {
  /** Relative to the checklist's folder. */
  readonly file: string
  readonly sha256: string
  readonly sizeBytes: number
}
