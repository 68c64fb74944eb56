import type { Gap, Place } from '../../../shared/domain.ts'
import { AppError } from '../../../shared/errors.ts'
import { createRedactor } from '../lib/redact.ts'
import { pathBelow } from './layout.ts'

/** A file as the archive holds it. Times are ISO 8601 UTC. */
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
  /** As the service calls the file; null when it does not tell. */
  readonly filename: string | null
  /** Path of the archived thumbnail, relative to the archive root; null when there is none. */
  readonly thumbnailPath: string | null
  readonly takenAt: string | null
  readonly place: Place | null
}

interface DocumentQuestion {
  readonly label: string
  readonly mediaCategoryId: string | null
  /** How many files the question should have. */
  readonly expected: number
  readonly photos: readonly DocumentPhoto[]
  readonly gaps: readonly Gap[]
}

interface DocumentSection {
  readonly label: string
  readonly questions: readonly DocumentQuestion[]
}

/** What `checklist.json` tells. Sections, questions and photos stand in the order in which they are given. */
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
  /** The service's own JSON, already without tokens and links. */
  readonly raw: Readonly<Record<string, unknown>>
  /** From which a lost database is made again. */
  readonly rebuild?: DocumentRebuild
}

/**
 * What the public part does not tell and a lost database needs: how the service's records are recognised as files that
 * are here. Hashes and names, nothing that leads anywhere. Additions to version 1 that scripts can leave alone.
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
  /** Null: it was archived, and is not there any more. */
  readonly sizeBytes: number | null
  /** Position of its question in `questions`; null for the report. */
  readonly question: number | null
  /** Identity of the record at the service, hashed. */
  readonly key: string
  /** Of the place on the file host, hashed. */
  readonly source: string | null
  readonly filename: string | null
  readonly etag: string | null
  readonly lastModified: string | null
  /** Whether it was found to be what the service has, as of the checklist's status and update time above. */
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
 * The text of a checklist's `checklist.json`: a public format for people's scripts, version 1. File paths in it are
 * relative to the checklist's folder. The same input gives the same bytes, in whatever order its keys and those of
 * `raw` come. Throws `internal` when a token is found in it, as a last guard: redacting is the caller's.
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
  // The file host's own words: whatever in them looks like a link or a secret is no validator worth having.
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

/** The service may send its keys in any order: sorted, a document changes only when what it tells changes. */
function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, withSortedKeys(member)]))
}
