import { strictUrlIdentityOf, urlIdentityOf } from '../../lib/link-identity.ts'
import type { RemoteMedia } from '../service-types.ts'
import { reportsError } from './error-marks.ts'
import { findList, type ListShape, type RecordList } from './find-list.ts'
import { firstOf, isJsonObject, type JsonObject } from './json-object.ts'
import { readPlace } from './read-geolocation.ts'
import {
  linkOrHolder,
  readLinkOrHolder,
  readOwnId,
  readText,
  relativeLinkReader,
  type LinkReader,
} from './read-scalars.ts'
import { readTime } from './read-time.ts'
import { unreadableAnswer } from './unreadable-answer.ts'

const imageNames = [
  'imgurl',
  'imageurl',
  'fullurl',
  'fullsizeurl',
  'fullimageurl',
  'originalurl',
  'photourl',
  'mediaurl',
  'fileurl',
  'url',
  'src',
  'href',
  'signedurl',
  'downloadurl',
  'uri',
  'link',
  'img',
  'image',
  'full',
  'fullsize',
  'original',
  'photo',
  'file',
  'asset',
]
const thumbnailNames = [
  'thumbnailurl',
  'thumburl',
  'thumbnailimageurl',
  'thumbimgurl',
  'thumbnaillink',
  'thumbnail',
  'thumb',
  'thumbnailsrc',
  'previewurl',
  'preview',
  'smallurl',
  'small',
]
/** Names of objects that may contain both links: `{ urls: { full, thumb } }`. */
const linkHolderNames = ['urls', 'links', 'images', 'sizes', 'files', 'media', 'image', 'file', 'photo']
const filenameNames = ['filename', 'originalfilename', 'originalname', 'imagename', 'imgname', 'photoname', 'name']
const takenNames = [
  'takenat',
  'takenon',
  'capturedat',
  'capturedate',
  'datetaken',
  'takendate',
  'phototakenat',
  'shotat',
  'datetimeoriginal',
  'datetimedigitized',
]
/** In EXIF the time of the photo, elsewhere often that of the upload. */
const createdNames = ['createdate']
const exifNames = ['exif', 'exifdata', 'metadata', 'meta', 'geolocation']

/** Around other lists, these are of the photos of a project or a checklist. */
export const photoTotals = ['totalphotos', 'totalmedia']

const shape: ListShape = {
  subject: 'the photos of a question',
  names: [
    'media',
    'medias',
    'mediafiles',
    'mediarecords',
    'mediaitems',
    'photos',
    'images',
    'pictures',
    'panoramas',
    'videos',
    'audios',
    'recordings',
    'attachments',
    'files',
  ],
  isEntry: (object) => linkIn(object, imageNames) !== null || hasMediaContent(object),
  isSurelyEntry: (object) =>
    firstOf(object, ['imgurl', 'imageurl', 'thumbnailurl', 'thumburl'], readLinkOrHolder) !== null,
  ownNames: [...imageNames, ...thumbnailNames],
  ownTotals: photoTotals,
}

/**
 * Reads `GET media/{projectId}/{categoryId}` (the service's specification, sections 2.5 and 4.4, which do not show the
 * shape around the records). Links without a host are resolved against `baseUrl` if there is no other. An unreadable
 * record stays in the list with all fields `null`: it becomes a visible gap rather than a missing photo.
 */
export function readMediaList(answer: unknown, baseUrl?: string): RecordList<RemoteMedia> {
  const { entries, lacksEntry } = findList(answer, shape)
  const readRelative = relativeLinkReader(baseUrl)
  const media = entries.map(({ object, key }) => readMedia(object, key, (value) => linkOrHolder(value, readRelative)))
  const hasContent = media.some((record) =>
    Object.entries(record).some(([name, value]) => name !== 'raw' && value !== null && value !== false),
  )
  if (entries.length > 0 && !hasContent && entries.some(({ object }) => reportsError(object))) {
    throw unreadableAnswer(shape.subject, 'it reports an error', { entries: entries.length })
  }
  return { list: media, entryCount: new Set(media.map(markOf)).size, lacksEntry }
}

/**
 * Returns a text that is the same for a photo that is listed twice, also if its link was only signed again. With an id,
 * another token is no other photo: one too few is a visible gap, one too many hides a missing photo.
 */
function markOf({ id, filename, imgUrl, thumbnailUrl, place, takenAt }: RemoteMedia, index: number): string {
  const url = imgUrl ?? thumbnailUrl
  if (id !== null) return JSON.stringify([id, urlIdentityOf(url)])
  const link = strictUrlIdentityOf(url)
  return JSON.stringify(link === null ? [index] : [filename, link, place, takenAt])
}

function readMedia(record: JsonObject, key: string | null, readRelative: LinkReader): RemoteMedia {
  return {
    id: readOwnId(record, ['mediaid', 'clientrefid'], key),
    filename: findIn(record, filenameNames, readText),
    imgUrl: linkIn(record, imageNames) ?? linkIn(record, imageNames, readRelative),
    thumbnailUrl: linkIn(record, thumbnailNames) ?? linkIn(record, thumbnailNames, readRelative),
    hasThumbnail: hasThumbnail(record),
    place: readPlace(record),
    takenAt: readTakenAt(record),
    raw: record,
  }
}

function hasMediaContent(object: JsonObject): boolean {
  return linkIn(object, thumbnailNames) !== null || firstOf(object, filenameNames.slice(0, -1), readText) !== null
}

/** Returns whether a record has a thumbnail, also if its link is only a path, which cannot be read. */
function hasThumbnail(record: JsonObject): boolean {
  return linkIn(record, thumbnailNames) !== null || linkIn(record, thumbnailNames, readHolderOrPath) !== null
}

/** The names are also those of sizes, flags, and captions: what is no link has to look like the path of a file. */
const readPath: LinkReader = (value) => (typeof value === 'string' && isPath.test(value.trim()) ? value : null)
const isPath = /^(?!data:)\S*(?:\/\S|\.(?:jpe?g|png|webp|gif|heic)$)/i
const readHolderOrPath: LinkReader = (value) => linkOrHolder(value, readPath)

function linkIn(record: JsonObject, names: readonly string[], read: LinkReader = readLinkOrHolder): string | null {
  return findIn(record, names, read)
}

/** Like `firstOf`, in the record or else in an object of its links. */
function findIn<T>(record: JsonObject, names: readonly string[], read: (value: unknown) => T | null): T | null {
  const inHolder = (holder: unknown) => (isJsonObject(holder) ? firstOf(holder, names, read) : null)
  return firstOf(record, names, read) ?? firstOf(record, linkHolderNames, inHolder)
}

/**
 * Reads the time of a photo, from its record or the EXIF in it. EXIF stores the local time without its zone, and the
 * zone separately: a photo of which only a local time is known has no time, rather than that of its upload.
 */
function readTakenAt(record: JsonObject): string | null {
  const inRecordOrExif = <T>(names: readonly string[], read: (value: unknown, holder: JsonObject) => T | null) => {
    const inHolder = (holder: JsonObject) => firstOf(holder, names, (value) => read(value, holder))
    return inHolder(record) ?? firstOf(record, exifNames, (exif) => (isJsonObject(exif) ? inHolder(exif) : null))
  }
  const taken = inRecordOrExif(takenNames, readMoment)
  if (taken !== null) return taken
  const local = inRecordOrExif([...takenNames, ...createdNames], (value, holder) =>
    readMoment(value, holder) === null ? readLocalTime(value) : null,
  )
  return local === null ? inRecordOrExif(createdNames, readMoment) : null
}

/** Reads a time whose zone is known, from itself or from the offset in its `holder`. */
function readMoment(value: unknown, holder: JsonObject): string | null {
  const offset = firstOf(holder, ['offsettimeoriginal', 'offsettime'], readText)
  const withZone = offset === null || typeof value !== 'string' ? null : readTime(value.trim() + offset)
  return withZone ?? (readLocalTime(value) === null ? readTime(value) : null)
}

function readLocalTime(value: unknown): string | null {
  return typeof value === 'string' && exifLocalTime.test(value.trim()) ? readTime(value) : null
}

/** A time as in EXIF, without a zone. */
const exifLocalTime = /^\d{4}:[\d:.,\sT]*$/
