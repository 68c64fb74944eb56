import { z } from 'zod'
import { placeSchema } from '../../../shared/domain.ts'
import type { RemoteMedia } from '../service/service-types.ts'
import { readMediaList } from '../service/readers/read-media.ts'
import { remoteKey } from '../sync/match-media.ts'
import {
  parseRecordedPath,
  type RecordedBody,
  type RecordedFile,
  type RecordedQuestion,
  sha256,
  text,
  time,
  upstream,
} from './recorded-checklist.ts'

/** A photo or report in the public part of the document. */
const olderFileSchema = z.object({
  file: text,
  thumbnail: text.nullable().default(null),
  filename: text.nullable().default(null),
  sha256,
  archivedAt: time,
  upstream,
  takenAt: text.nullable().default(null),
  place: placeSchema.nullable().catch(null).default(null),
})
type OlderFile = z.infer<typeof olderFileSchema>

const olderSectionSchema = z.object({
  label: text,
  questions: z.array(
    z.object({ label: text, mediaCategoryId: text.nullable(), photos: z.array(z.unknown()).catch([]) }),
  ),
})

interface OlderDocument {
  readonly report?: unknown
  readonly sections: readonly unknown[]
  readonly raw: { readonly media: readonly unknown[] }
}

/** Reads a document without `rebuild`: folders follow from photo paths, identities from the service's own records. */
export function readOlderBody({ report, sections, raw }: OlderDocument): RecordedBody {
  const questions: RecordedQuestion[] = []
  const files: RecordedFile[] = readReport(report)
  let skipped = 0
  const keyOf = identify(raw.media)
  for (const value of sections) {
    const section = olderSectionSchema.safeParse(value)
    if (!section.success) skipped += 1
    for (const { label, mediaCategoryId, photos } of section.data?.questions ?? []) {
      const own = photos.map((photo) => readPhoto(photo, questions.length, keyOf))
      const [sectionFolder, folder] = own.find((photo) => photo !== undefined)?.folders ?? []
      if (sectionFolder !== undefined && folder !== undefined) {
        questions.push({
          section: section.data?.label ?? '',
          label,
          mediaCategoryId,
          sectionFolder,
          folder,
          present: true,
        })
      }
      for (const photo of own) {
        const isInFolder = photo?.folders[0] === sectionFolder && photo?.folders[1] === folder
        if (photo !== undefined && isInFolder) files.push(...photo.files)
        else skipped += 1
      }
    }
  }
  return { questions, files, versions: [], skipped }
}

/** Fields that older documents do not have. */
const missingFields = { etag: null, lastModified: null, source: null, confirmed: false, record: undefined }

function readReport(value: unknown): RecordedFile[] {
  const parsed = olderFileSchema.safeParse(value)
  if (!parsed.success || parseRecordedPath(parsed.data.file)?.kind !== 'report') return []
  const { file, sha256: hash, archivedAt, upstream: at } = parsed.data
  const facts = { filename: null, takenAt: null, place: null, question: null, key: 'report' }
  return [{ ...missingFields, ...facts, kind: 'report', file, sha256: hash, archivedAt, present: at === 'present' }]
}

/** Reads a photo and its thumbnail, whose hash is unknown; returns undefined for an unusable entry. */
function readPhoto(
  value: unknown,
  question: number,
  keyOf: (photo: OlderFile) => Identity | undefined,
): { readonly folders: readonly string[]; readonly files: readonly RecordedFile[] } | undefined {
  const parsed = olderFileSchema.safeParse(value)
  const recordedPath = parsed.success ? parseRecordedPath(parsed.data.file) : undefined
  const identity = parsed.success ? keyOf(parsed.data) : undefined
  if (!parsed.success || identity === undefined || recordedPath?.kind !== 'photo') return undefined
  const { file, thumbnail, filename, sha256: hash, archivedAt, upstream: at, takenAt, place } = parsed.data
  const facts = {
    ...missingFields,
    ...identity,
    question,
    filename,
    archivedAt,
    present: at === 'present',
    takenAt,
    place,
  }
  const hasThumbnail = thumbnail !== null && parseRecordedPath(thumbnail)?.kind === 'thumbnail'
  return {
    folders: recordedPath.folders,
    files: [
      { ...facts, kind: 'photo', file, sha256: hash },
      ...(hasThumbnail ? [{ ...facts, kind: 'thumbnail' as const, file: thumbnail, sha256: null }] : []),
    ],
  }
}

interface Identity {
  readonly key: string
  readonly record: unknown
}

/**
 * Returns a function that finds the service's own record of a photo, and with it the photo's identity. It returns
 * undefined unless exactly one record matches: a wrong identity would mix up photos. Records without an id are matched
 * by file name later, in their order.
 */
function identify(media: readonly unknown[]): (photo: OlderFile) => Identity | undefined {
  const records = readRecords(media)
  const haveIds = records.some(({ id }) => id !== null)
  let unknown = 0
  return (photo) => {
    const fitting = records.filter((record) => isOf(record, photo))
    const [record] = fitting
    if (fitting.length === 1 && record !== undefined && record.id !== null) {
      return { key: remoteKey(record), record: record.raw }
    }
    if (haveIds) return undefined
    unknown += 1
    return { key: `file:unknown${unknown}`, record: record?.raw }
  }
}

function readRecords(media: readonly unknown[]): readonly RemoteMedia[] {
  try {
    return readMediaList(media)
  } catch {
    return []
  }
}

function isOf(record: RemoteMedia, photo: OlderFile): boolean {
  return (
    record.filename === photo.filename &&
    record.takenAt === photo.takenAt &&
    record.place?.latitude === photo.place?.latitude &&
    record.place?.longitude === photo.place?.longitude
  )
}
