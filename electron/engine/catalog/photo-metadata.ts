import ExifReader from 'exifreader'
import { toPlace, usablePlace } from '../../../shared/photo-places.ts'

/** A photo's EXIF values (CIPA DC-008 / JEITA CP-3451). A missing or implausible value is null. */
export interface ExifFacts {
  /** Local time of the camera, `YYYY-MM-DDTHH:MM:SS`. */
  readonly takenAt: string | null
  /** Offset of that time from UTC, `+HH:MM`. */
  readonly utcOffset: string | null
  readonly make: string | null
  readonly model: string | null
  readonly lens: string | null
  readonly exposureSeconds: number | null
  readonly fNumber: number | null
  readonly iso: number | null
  readonly focalLengthMm: number | null
  /** 1 to 8. */
  readonly orientation: number | null
  readonly widthPixels: number | null
  readonly heightPixels: number | null
  readonly latitude: number | null
  readonly longitude: number | null
  readonly altitudeMeters: number | null
  /** Direction in which the camera looked, in degrees clockwise from north, below 360. */
  readonly heading: number | null
  /** North that the direction refers to: that of the poles, or that of a compass. */
  readonly headingNorth: 'true' | 'magnetic' | null
}

export interface ImageSize {
  readonly widthPixels: number
  readonly heightPixels: number
}

/**
 * Bytes of an image that hold its EXIF: other segments, of up to 64 KB each, may come first; phones' HEIC take 200 KB.
 */
export const exifHeadBytes = 256 * 1024

/** Cameras write names of some fifty bytes. */
const maxTextLength = 120

/** The tags that are read; the reader skips all others. */
const tagNames = [
  'Make',
  'Model',
  'Orientation',
  'DateTime',
  'ExposureTime',
  'FNumber',
  'ISOSpeedRatings',
  'DateTimeOriginal',
  'DateTimeDigitized',
  'OffsetTime',
  'OffsetTimeOriginal',
  'OffsetTimeDigitized',
  'FocalLength',
  'LensModel',
  'PixelXDimension',
  'PixelYDimension',
  'GPSLatitudeRef',
  'GPSLatitude',
  'GPSLongitudeRef',
  'GPSLongitude',
  'GPSAltitudeRef',
  'GPSAltitude',
  'GPSImgDirectionRef',
  'GPSImgDirection',
] as const
type TagName = (typeof tagNames)[number]

/** Value of a tag: a list of texts, a number, a list of numbers, or null for a division by zero. */
type Tags = Partial<Record<TagName, { readonly computed?: unknown }>>

/**
 * Reads the EXIF in the first bytes of an image of any format: JPEG, HEIC, WebP, and PNG hold the same TIFF block
 * behind a marker of their own, and a TIFF file begins with it. Returns undefined without a block. Never throws; the
 * reader limits its work to a multiple of the bytes that it gets.
 */
export function readExif(head: Buffer): ExifFacts | undefined {
  const start = findTiff(head)
  if (start === undefined) return undefined
  const tags = readTags(head.subarray(start))
  const times = [
    { at: time(tags, 'DateTimeOriginal'), offset: offset(tags, 'OffsetTimeOriginal') },
    { at: time(tags, 'DateTimeDigitized'), offset: offset(tags, 'OffsetTimeDigitized') },
    { at: time(tags, 'DateTime'), offset: offset(tags, 'OffsetTime') },
  ]
  const taken = times.find(({ at }) => at !== null)
  const orientation = numbers(tags, 'Orientation')[0] ?? 0
  const latitude = degrees(numbers(tags, 'GPSLatitude'), text(tags, 'GPSLatitudeRef'), 'S', 90)
  const longitude = degrees(numbers(tags, 'GPSLongitude'), text(tags, 'GPSLongitudeRef'), 'W', 180)
  const altitude = positive(tags, 'GPSAltitude')
  const place = usablePlace(toPlace(latitude, longitude))
  const heading = direction(tags)
  return {
    takenAt: taken?.at ?? null,
    utcOffset: taken?.offset ?? null,
    make: text(tags, 'Make'),
    model: text(tags, 'Model'),
    lens: text(tags, 'LensModel'),
    exposureSeconds: positive(tags, 'ExposureTime'),
    fNumber: positive(tags, 'FNumber'),
    iso: positive(tags, 'ISOSpeedRatings'),
    focalLengthMm: positive(tags, 'FocalLength'),
    orientation: orientation >= 1 && orientation <= 8 ? orientation : null,
    widthPixels: positive(tags, 'PixelXDimension'),
    heightPixels: positive(tags, 'PixelYDimension'),
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
    altitudeMeters: altitude !== null && numbers(tags, 'GPSAltitudeRef')[0] === 1 ? -altitude : altitude,
    heading,
    headingNorth: heading === null ? null : northOf(text(tags, 'GPSImgDirectionRef')),
  }
}

/** Finds the TIFF block. JPEG and HEIC mark it with `Exif\0\0`, PNG with `eXIf`, WebP with `EXIF` and a length. */
function findTiff(head: Buffer): number | undefined {
  if (isTiff(head, 0)) return 0
  for (const [marker, skip] of [
    ['Exif\0\0', 6],
    ['eXIf', 4],
    ['EXIF', 8],
  ] as const) {
    for (let at = head.indexOf(marker, 0, 'latin1'); at >= 0; at = head.indexOf(marker, at + 1, 'latin1')) {
      if (isTiff(head, at + skip)) return at + skip
    }
  }
  return undefined
}

function isTiff(bytes: Buffer, at: number): boolean {
  return ['II*\0', 'MM\0*'].includes(bytes.toString('latin1', at, at + 4))
}

function readTags(tiff: Buffer): Tags {
  try {
    return ExifReader.load(tiff, { expanded: true, computed: true, includeTags: { exif: [...tagNames] } }).exif ?? {}
  } catch {
    return {}
  }
}

function numbers(tags: Tags, name: TagName): (number | null)[] {
  const value: unknown = tags[name]?.computed
  return (Array.isArray(value) ? value : [value]).map((item: unknown) => (typeof item === 'number' ? item : null))
}

function positive(tags: Tags, name: TagName): number | null {
  const [value = null] = numbers(tags, name)
  return value !== null && Number.isFinite(value) && value > 0 ? value : null
}

/** Control characters, and characters that change how a text reads. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/** Returns the text up to the first NUL. The standard says ASCII; the reader also decodes UTF-8 and Latin-1. */
function text(tags: Tags, name: TagName): string | null {
  const value: unknown = tags[name]?.computed
  const first: unknown = Array.isArray(value) ? value[0] : value
  if (typeof first !== 'string' || first === faultyValue) return null
  const clean = first
    .slice(0, 4 * maxTextLength)
    .replace(unsafe, ' ')
    .replace(/\s+/g, ' ')
    .normalize('NFC')
    .trim()
  return [...clean].slice(0, maxTextLength).join('').trim() || null
}

/** The reader's text for a value outside of the file. */
const faultyValue = '<faulty value>'

function time(tags: Tags, name: TagName): string | null {
  const match = /^(\d{4})[:-](\d\d)[:-](\d\d)[ T](\d\d):(\d\d):(\d\d)/.exec(text(tags, name) ?? '')
  if (match === null) return null
  const [, year, month, day, hour, minute, second] = match
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  // A date that does not exist becomes another one, or none at all.
  const date = new Date(`${local}Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(local) && year !== '0000' ? local : null
}

function offset(tags: Tags, name: TagName): string | null {
  return /^[+-](?:0\d|1[0-4]):[0-5]\d$/.exec(text(tags, name) ?? '')?.[0] ?? null
}

function degrees(
  [whole = null, minutes = 0, seconds = 0]: readonly (number | null)[],
  reference: string | null,
  negative: 'S' | 'W',
  max: number,
): number | null {
  // A division by zero in any part: the rest alone may be a hundred kilometers off.
  if (whole === null || minutes === null || seconds === null) return null
  const value = whole + minutes / 60 + seconds / 3600
  if (!Number.isFinite(value) || value < 0 || value > max) return null
  return reference?.toUpperCase().startsWith(negative) === true ? -value : value
}

/** The standard says 0.00 to 359.99; some cameras write 360. */
function direction(tags: Tags): number | null {
  const [value = null] = numbers(tags, 'GPSImgDirection')
  return value !== null && value >= 0 && value <= 360 ? value % 360 : null
}

function northOf(reference: string | null): ExifFacts['headingNorth'] {
  const letter = reference?.toUpperCase()
  return letter === 'T' ? 'true' : letter === 'M' ? 'magnetic' : null
}

/** JPEG's frame headers (ITU T.81, table B.1): SOF0 to SOF15 without DHT, JPG, and DAC. */
const isFrameHeader = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Returns the size from the first bytes of a JPEG or PNG, undefined if they do not contain it. */
export function readImageSize(head: Buffer): ImageSize | undefined {
  if (head.toString('latin1', 1, 4) === 'PNG' && head.length >= 24)
    return size(head.readUInt32BE(16), head.readUInt32BE(20))
  if (head[0] !== 0xff || head[1] !== 0xd8) return undefined
  for (let at = 2; at + 9 <= head.length && head[at] === 0xff;) {
    const marker = head[at + 1] ?? 0
    if (isFrameHeader(marker)) return size(head.readUInt16BE(at + 7), head.readUInt16BE(at + 5))
    // Fill bytes may precede a marker; every segment has at least its own length.
    at += marker === 0xff ? 1 : 2 + Math.max(2, head.readUInt16BE(at + 2))
  }
  return undefined
}

function size(widthPixels: number, heightPixels: number): ImageSize | undefined {
  return widthPixels > 0 && heightPixels > 0 ? { widthPixels, heightPixels } : undefined
}
