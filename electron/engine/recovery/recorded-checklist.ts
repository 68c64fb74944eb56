import { z } from 'zod'
import type { AssetKind, Place } from '../../../shared/domain.ts'
import { isPathSegment } from '../service/base-url.ts'

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

/** The fields of which a `checklist.json` is made. */

/** Longer texts are none that a checklist has. */
export const text = z.string().max(10_000)
/** An id that the service could not be asked for would fail every pass. */
export const id = z.string().min(1).max(500).refine(isPathSegment)
export const time = text.refine((value) => !Number.isNaN(Date.parse(value)))
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
export const upstream = z.enum(['present', 'gone'])

/** What file systems allow of one component. */
const maxComponentBytes = 255

/**
 * The components of a path that a document names, or undefined for one that Solarchive would not have given: absolute,
 * with `..`, hidden, or with characters that lead astray on some system. `resolveInside` looks again before a file is
 * touched.
 */
export function parseComponents(path: string): string[] | undefined {
  const components = path.split('/')
  return components.every(isPlain) ? components : undefined
}

/** What a file is by its place below its checklist's folder; undefined for a place at which none belongs. */
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

/** `.versions/<UTC time>/<path>`: the time, and the path of the file that was replaced. */
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
