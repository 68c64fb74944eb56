import type { Gap, Place } from '../../../shared/domain.ts'
import { AppError } from '../../../shared/errors.ts'
import { createRedactor } from '../lib/redact.ts'
import { pathBelow } from './layout.ts'

/** An archived file. Times are ISO 8601 UTC. */
export interface DocumentFile {
  /** Relative to the archive root, below the checklist's folder. */
  readonly path: string
  readonly sha256: string
  readonly sizeBytes: number
  readonly archivedAt: string
  /** `gone`: the service does not list it any more; the archive keeps it. */
  readonly upstream: 'present' | 'gone'
}

export interface DocumentPhoto extends DocumentFile {
  /** The service's file name; `null` if it did not send one. */
  readonly filename: string | null
  /** Path of the archived thumbnail, relative to the archive root; `null` if there is none. */
  readonly thumbnailPath: string | null
  readonly takenAt: string | null
  readonly place: Place | null
}

interface DocumentQuestion {
  readonly label: string
  readonly mediaCategoryId: string | null
  /** Number of files that the question should have. */
  readonly expected: number
  readonly photos: readonly DocumentPhoto[]
  readonly gaps: readonly Gap[]
}

interface DocumentSection {
  readonly label: string
  readonly questions: readonly DocumentQuestion[]
}

/** Content of `checklist.json`. Sections, questions, and photos keep their order. */
export interface ChecklistDocumentInput {
  /** The checklist's folder, relative to the archive root. */
  readonly folder: string
  readonly project: { readonly id: string; readonly name: string; readonly address: string | null }
  readonly checklist: {
    readonly id: string
    readonly title: string
    readonly status: string
    readonly updatedAt: string | null
  }
  readonly report: DocumentFile | null
  readonly sections: readonly DocumentSection[]
  /** The service's own JSON, already redacted. */
  readonly raw: Readonly<Record<string, unknown>>
  /** Data from which a lost database is rebuilt. */
  readonly rebuild?: DocumentRebuild
}

/**
 * Data beyond the public part that a rebuild needs to match the service's records with archived files: hashes and
 * names, no URLs. Additions to version 1 that scripts can ignore.
 */
export interface DocumentRebuild {
  readonly questions: readonly RebuildQuestion[]
  readonly files: readonly RebuildFile[]
  readonly versions: readonly RebuildVersion[]
}

export interface RebuildQuestion {
  readonly section: string
  readonly label: string
  readonly mediaCategoryId: string | null
  /** `<section's folder>/<question's folder>`, as below `photos`. */
  readonly folder: string
  /** `gone`: it is no longer in the checklist. */
  readonly upstream: 'present' | 'gone'
}

export interface RebuildFile extends Omit<DocumentFile, 'sizeBytes'> {
  /** `null` if it was archived and is missing now. */
  readonly sizeBytes: number | null
  /** Position of its question in `questions`; null for the report. */
  readonly question: number | null
  /** Identity of the record at the service, hashed. */
  readonly key: string
  /** Hash of the file's URL identity. */
  readonly source: string | null
  readonly filename: string | null
  readonly etag: string | null
  readonly lastModified: string | null
  /** True if it was confirmed as the service's current file, as of the checklist's status and update time above. */
  readonly confirmed: boolean
  /** Position of its record in `raw.media`. */
  readonly record: number | null
  readonly takenAt: string | null
  readonly place: Place | null
}

export interface RebuildVersion {
  /** Relative to the archive root, below the checklist's `.versions`. */
  readonly path: string
  readonly sha256: string
  readonly sizeBytes: number
  readonly replacedAt: string
}

/**
 * Returns the text of a checklist's `checklist.json`: a public format for users' scripts, version 1. File paths in it
 * are relative to the checklist's folder. The same input produces the same bytes, regardless of the order of the keys
 * in `raw`. Throws `internal` if it contains a token, as a last guard: the caller redacts.
 */
export function checklistDocument(input: ChecklistDocumentInput): string {
  const { folder, project, checklist, report, sections, raw, rebuild } = input
  const document = {
    format: 'solarchive-checklist',
    version: 1,
    project: { id: project.id, name: project.name, address: project.address },
    checklist: {
      id: checklist.id,
      title: checklist.title,
      status: checklist.status,
      updatedAt: checklist.updatedAt,
    },
    report: report && fileFields(folder, report),
    sections: sections.map(({ label, questions }) => ({
      label,
      questions: questions.map((question) => questionFields(folder, question)),
    })),
    raw: withSortedKeys(raw),
    ...(rebuild && { rebuild: rebuildFields(folder, rebuild) }),
  }
  const text = `${JSON.stringify(document, null, 2)}\n`
  if (/access_token(?:=|%3D)/i.test(text)) {
    const message = 'The checklist was not written to its folder because it would have shown the access token.'
    throw new AppError('internal', message, { details: { checklistId: checklist.id } })
  }
  return text
}

function questionFields(folder: string, question: DocumentQuestion) {
  return {
    label: question.label,
    mediaCategoryId: question.mediaCategoryId,
    expected: question.expected,
    photos: question.photos.map((photo) => photoFields(folder, photo)),
    gaps: question.gaps.map(({ expected, archived, reason }) => ({ expected, archived, reason })),
  }
}

function photoFields(folder: string, photo: DocumentPhoto) {
  const { file, sha256, sizeBytes, archivedAt, upstream } = fileFields(folder, photo)
  return {
    file,
    thumbnail: photo.thumbnailPath === null ? null : pathBelow(folder, photo.thumbnailPath),
    filename: photo.filename,
    sha256,
    sizeBytes,
    takenAt: photo.takenAt,
    place: photo.place && { latitude: photo.place.latitude, longitude: photo.place.longitude },
    archivedAt,
    upstream,
  }
}

function fileFields(folder: string, { path, sha256, sizeBytes, archivedAt, upstream }: DocumentFile | RebuildFile) {
  return { file: pathBelow(folder, path), sha256, sizeBytes, archivedAt, upstream }
}

function rebuildFields(folder: string, { questions, files, versions }: DocumentRebuild) {
  const redactor = createRedactor()
  // Validators come from the file host: one that looks like a link or a secret is dropped.
  const withoutSecrets = (text: string | null) => (text !== null && redactor.redactText(text) === text ? text : null)
  return {
    questions: questions.map(({ section, label, mediaCategoryId, folder: name, upstream }) => ({
      section,
      label,
      mediaCategoryId,
      folder: name,
      upstream,
    })),
    files: files.map((file) => ({
      ...fileFields(folder, file),
      question: file.question,
      key: file.key,
      source: file.source,
      filename: file.filename,
      etag: withoutSecrets(file.etag),
      lastModified: withoutSecrets(file.lastModified),
      confirmed: file.confirmed,
      record: file.record,
      takenAt: file.takenAt,
      place: file.place && { latitude: file.place.latitude, longitude: file.place.longitude },
    })),
    versions: versions.map(({ path, sha256, sizeBytes, replacedAt }) => ({
      file: pathBelow(folder, path),
      sha256,
      sizeBytes,
      replacedAt,
    })),
  }
}

/** Sorts all keys: the service may send them in any order, and a document changes only if its content does. */
function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, withSortedKeys(member)]))
}
