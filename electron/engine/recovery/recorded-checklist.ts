import type { AssetKind, Place } from '../../../shared/domain.ts'

/** Usable content of a `checklist.json`. Paths are syntactically safe; whether the files exist is not checked. */
export interface RecordedChecklist {
  readonly project: { readonly id: string; readonly name: string | null; readonly address: string | null }
  readonly checklist: {
    readonly id: string
    readonly title: string
    readonly status: string
    readonly updatedAt: string | null
  }
  /** The service's own JSON, redacted again. */
  readonly entry: unknown
  readonly detail: unknown
  readonly questions: readonly RecordedQuestion[]
  readonly files: readonly RecordedFile[]
  readonly versions: readonly RecordedVersion[]
  /** Number of entries that could not be read or have an unsafe path. */
  readonly skipped: number
}

export interface RecordedQuestion {
  readonly section: string
  readonly label: string
  readonly mediaCategoryId: string | null
  /** Names of one path component each. */
  readonly sectionFolder: string
  readonly folder: string
  readonly present: boolean
}

export interface RecordedFile {
  /** Relative to the checklist's folder. */
  readonly file: string
  readonly kind: AssetKind
  /** Position in `questions`; `null` for the report. */
  readonly question: number | null
  readonly key: string
  readonly source: string | null
  readonly filename: string | null
  readonly sha256: string
  readonly archivedAt: string
  readonly present: boolean
  readonly etag: string | null
  readonly lastModified: string | null
  readonly confirmed: boolean
  /** The service's own record; `undefined` if there is none. */
  readonly record: unknown
  readonly takenAt: string | null
  readonly place: Place | null
}

export interface RecordedVersion {
  /** Relative to the checklist's folder. */
  readonly file: string
  readonly sha256: string
  readonly sizeBytes: number
  /** ISO 8601 UTC, more exact than the time in the path; undefined if the document does not have it. */
  readonly replacedAt?: string | undefined
}

/** Limit of file systems for one component. */
const maxComponentBytes = 255

/**
 * Returns the components of a path in a document, or undefined for a path that Solarchive never creates: absolute, with
 * `..`, hidden, or with characters that are unsafe on some system. `resolveInside` checks again before a file is
 * touched.
 */
export function parseComponents(path: string): string[] | undefined {
  const components = path.split('/')
  return components.every(isPlain) ? components : undefined
}

/** Returns a file's kind and folders by its path below the checklist's folder; undefined for any other path. */
export function parseRecordedPath(
  file: string,
): { readonly kind: AssetKind; readonly folders: readonly string[] } | undefined {
  const components = parseComponents(file)
  const [top = '', section, question, name, ...more] = components ?? []
  if (components?.length === 1 && /\.pdf$/i.test(top)) return { kind: 'report', folders: [] }
  if (section === undefined || question === undefined || name === undefined || more.length > 0) return undefined
  if (top === 'photos') return { kind: 'photo', folders: [section, question] }
  if (top === 'thumbnails') return { kind: 'thumbnail', folders: [section, question] }
  return undefined
}

/** Returns the time and the original path from `.versions/<UTC time>/<path>`. */
export function parseVersionPath(file: string): { readonly replacedAt: string; readonly file: string } | undefined {
  const [, hour, minutes, replaced = ''] = /^\.versions\/(\d{4}-\d\d-\d\dT\d\d)-(\d\d-\d\d)Z\/(.+)$/s.exec(file) ?? []
  const atMs = Date.parse(`${hour}:${minutes?.replace('-', ':')}Z`)
  if (Number.isNaN(atMs) || parseRecordedPath(replaced) === undefined) return undefined
  return { replacedAt: new Date(atMs).toISOString(), file: replaced }
}

function isPlain(component: string): boolean {
  return (
    component !== '' &&
    !component.startsWith('.') &&
    !/[\p{Cc}\\:]|[. ]$|\.part$/u.test(component) &&
    Buffer.byteLength(component) <= maxComponentBytes
  )
}
