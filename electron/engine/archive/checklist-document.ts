import type { Gap, Place } from '../../../shared/domain.ts'
import { AppError } from '../../../shared/errors.ts'
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
}

/**
 * The text of a checklist's `checklist.json`: a public format for people's scripts, version 1. File paths in it are
 * relative to the checklist's folder. The same input gives the same bytes, in whatever order its keys and those of
 * `raw` come. Throws `internal` when a token is found in it, as a last guard: redacting is the caller's.
 */
export function checklistDocument(input: ChecklistDocumentInput): string {
  const { folder, project, checklist, report, sections, raw } = input
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

function fileFields(folder: string, { path, sha256, sizeBytes, archivedAt, upstream }: DocumentFile) {
  return { file: pathBelow(folder, path), sha256, sizeBytes, archivedAt, upstream }
}

/** The service may send its keys in any order: sorted, a document changes only when what it tells changes. */
function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, withSortedKeys(member)]))
}
