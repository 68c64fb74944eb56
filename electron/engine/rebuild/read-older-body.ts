import { z } from 'zod'
import { placeSchema } from '../../../shared/domain.ts'
import type { RemoteMedia } from '../service/service-types.ts'
import { readMediaList } from '../service/readers/read-media.ts'
import { remoteKey } from '../sync/assign-media.ts'
import { sha256, text, time, upstream } from './document-fields.ts'
import type { RecordedBody, RecordedFile, RecordedQuestion } from './recorded-checklist.ts'
import { placeOf } from './recorded-path.ts'

/** What the public part tells of a photo or report. */
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

/** A document without `rebuild`: folders are told by the photos in them, identities by the service's own records. */
export function readOlderBody({ report, sections, raw }: OlderDocument): RecordedBody {
  const questions: RecordedQuestion[] = []
  const files: RecordedFile[] = []
  let skipped = 0
  const base = { etag: null, lastModified: null, source: null, confirmed: false, record: undefined }
  const parsedReport = olderFileSchema.safeParse(report)
  if (parsedReport.success && placeOf(parsedReport.data.file)?.kind === 'report') {
    const { file, sha256: hash, archivedAt, upstream: at } = parsedReport.data
    const facts = { filename: null, takenAt: null, place: null, question: null, key: 'report' }
    files.push({ ...base, ...facts, kind: 'report', file, sha256: hash, archivedAt, present: at === 'present' })
  }
  const keyOf = identify(raw.media)
  for (const value of sections) {
    const section = olderSectionSchema.safeParse(value)
    if (!section.success) {
      skipped += 1
      continue
    }
    for (const { label, mediaCategoryId, photos } of section.data.questions) {
      let folders: readonly string[] | undefined
      for (const photo of photos) {
        const parsed = olderFileSchema.safeParse(photo)
        const place = parsed.success ? placeOf(parsed.data.file) : undefined
        const identity = parsed.success ? keyOf(parsed.data, files.length) : undefined
        if (!parsed.success || identity === undefined || place?.kind !== 'photo') {
          skipped += 1
          continue
        }
        if (folders === undefined) {
          folders = place.folders
          const [sectionFolder = '', folder = ''] = folders
          questions.push({ section: section.data.label, label, mediaCategoryId, sectionFolder, folder, present: true })
        }
        if (place.folders.join('/') !== folders.join('/')) {
          skipped += 1
          continue
        }
        const { file, thumbnail, filename, archivedAt, upstream: at, takenAt, place: where } = parsed.data
        const { key, record } = identity
        const question = questions.length - 1
        const facts = {
          ...base,
          question,
          key,
          record,
          filename,
          archivedAt,
          present: at === 'present',
          takenAt,
          place: where,
        }
        files.push({ ...facts, kind: 'photo', file, sha256: parsed.data.sha256 })
        if (thumbnail !== null && placeOf(thumbnail)?.kind === 'thumbnail') {
          files.push({ ...facts, kind: 'thumbnail', file: thumbnail, sha256: null })
        }
      }
    }
  }
  return { questions, files, versions: [], skipped }
}

interface Identity {
  readonly key: string
  readonly record: unknown
}

/**
 * Finds for a photo of an older document the record among the service's own, and by it the photo's identity. Undefined
 * when several fit or none does: a photo under a wrong identity would be taken for another. Records without an id of
 * their own are told by file name later, in the order in which they stand.
 */
function identify(media: readonly unknown[]): (photo: OlderFile, position: number) => Identity | undefined {
  const records = readRecords(media)
  const haveIds = records.some(({ id }) => id !== null)
  return (photo, position) => {
    const fitting = records.filter((record) => isOf(record, photo))
    const [record] = fitting
    if (fitting.length === 1 && record !== undefined && record.id !== null) {
      return { key: remoteKey(record), record: record.raw }
    }
    return haveIds ? undefined : { key: `file:unknown${position}`, record: record?.raw }
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
