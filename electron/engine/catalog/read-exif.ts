/** What a photo's EXIF tells (CIPA DC-008 / JEITA CP-3451). What is not there, or makes no sense, is null. */
export interface ExifFacts {
  /** Local time of the camera, `YYYY-MM-DDTHH:MM:SS`. */
  readonly takenAt: string | null
  /** Of that time from UTC, `+HH:MM`, where the camera tells it. */
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
}

/** Real cameras write some fifty entries into a directory, and a lens's name in some fifty bytes. */
const mostEntries = 512
const mostNumbers = 4
const mostTextBytes = 512
const longestText = 120

/** Bytes of each value by its type; see TIFF 6.0, section 2. */
const typeBytes: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8 }

const tags = {
  make: 0x010f,
  model: 0x0110,
  orientation: 0x0112,
  changedAt: 0x0132,
  exifDirectory: 0x8769,
  gpsDirectory: 0x8825,
  exposureSeconds: 0x829a,
  fNumber: 0x829d,
  iso: 0x8827,
  takenAt: 0x9003,
  digitizedAt: 0x9004,
  changedOffset: 0x9010,
  takenOffset: 0x9011,
  digitizedOffset: 0x9012,
  focalLength: 0x920a,
  width: 0xa002,
  height: 0xa003,
  lens: 0xa434,
} as const
const gpsTags = { latitudeRef: 1, latitude: 2, longitudeRef: 3, longitude: 4, altitudeRef: 5, altitude: 6 } as const

/**
 * Reads the EXIF in the first bytes of an image, whatever its format: JPEG, HEIC, WebP and PNG hold the same block behind a
 * mark of their own, a TIFF begins with it. Undefined where there is none. Looks at each entry of three directories once and
 * follows nothing else, so that what a hostile file can cost is bounded by the constants above.
 */
export function readExif(head: Buffer): ExifFacts | undefined {
  const start = findTiff(head)
  if (start === undefined) return undefined
  const tiff = new Tiff(head.subarray(start))
  const main = tiff.directory(tiff.u32(4))
  const exif = tiff.directory(main.number(tags.exifDirectory))
  const gps = tiff.directory(main.number(tags.gpsDirectory))
  const times = [
    { at: exif.time(tags.takenAt), offset: exif.offset(tags.takenOffset) },
    { at: exif.time(tags.digitizedAt), offset: exif.offset(tags.digitizedOffset) },
    { at: main.time(tags.changedAt), offset: exif.offset(tags.changedOffset) },
  ]
  const taken = times.find(({ at }) => at !== null)
  const orientation = main.number(tags.orientation)
  const latitude = degrees(gps.numbers(gpsTags.latitude), gps.text(gpsTags.latitudeRef), 'S', 90)
  const longitude = degrees(gps.numbers(gpsTags.longitude), gps.text(gpsTags.longitudeRef), 'W', 180)
  const altitude = gps.positive(gpsTags.altitude)
  const isPlace = latitude !== null && longitude !== null
  return {
    takenAt: taken?.at ?? null,
    utcOffset: taken?.offset ?? null,
    make: main.text(tags.make),
    model: main.text(tags.model),
    lens: exif.text(tags.lens),
    exposureSeconds: exif.positive(tags.exposureSeconds),
    fNumber: exif.positive(tags.fNumber),
    iso: exif.positive(tags.iso),
    focalLengthMm: exif.positive(tags.focalLength),
    orientation: orientation !== null && orientation >= 1 && orientation <= 8 ? orientation : null,
    widthPixels: exif.positive(tags.width),
    heightPixels: exif.positive(tags.height),
    latitude: isPlace ? latitude : null,
    longitude: isPlace ? longitude : null,
    altitudeMeters: altitude === null ? null : gps.number(gpsTags.altitudeRef) === 1 ? -altitude : altitude,
  }
}

/** Where in the image the block begins. JPEG and HEIC mark it `Exif\0\0`, PNG `eXIf`, WebP `EXIF` and a length. */
function findTiff(head: Buffer): number | undefined {
  if (isTiff(head, 0)) return 0
  for (const [mark, skip] of [
    ['Exif\0\0', 6],
    ['eXIf', 4],
    ['EXIF', 8],
  ] as const) {
    for (let at = head.indexOf(mark, 0, 'latin1'); at >= 0; at = head.indexOf(mark, at + 1, 'latin1')) {
      if (isTiff(head, at + skip)) return at + skip
    }
  }
  return undefined
}

function isTiff(bytes: Buffer, at: number): boolean {
  return ['II*\0', 'MM\0*'].includes(bytes.toString('latin1', at, at + 4))
}

/** The numbers of a TIFF block. What lies outside of it is null. */
class Tiff {
  readonly bytes: Buffer
  readonly #isLittle: boolean

  constructor(bytes: Buffer) {
    this.bytes = bytes
    this.#isLittle = bytes.toString('latin1', 0, 2) === 'II'
  }

  u16(at: number): number | null {
    if (at < 0 || at + 2 > this.bytes.length) return null
    return this.#isLittle ? this.bytes.readUInt16LE(at) : this.bytes.readUInt16BE(at)
  }

  u32(at: number): number | null {
    if (at < 0 || at + 4 > this.bytes.length) return null
    return this.#isLittle ? this.bytes.readUInt32LE(at) : this.bytes.readUInt32BE(at)
  }

  /** A value of one of the numeric types. */
  value(type: number, at: number): number | null {
    if (type === 5 || type === 10) {
      const [over, under] = [this.value(type === 5 ? 4 : 9, at), this.value(type === 5 ? 4 : 9, at + 4)]
      return over === null || under === null || under === 0 ? null : over / under
    }
    if (type === 3) return this.u16(at)
    if (type === 4 || type === 9) {
      const value = this.u32(at)
      return value === null || type === 4 ? value : value | 0
    }
    return this.bytes[at] ?? null
  }

  directory(at: number | null): Directory {
    const entries = new Map<number, number>()
    const count = at === null ? 0 : Math.min(mostEntries, this.u16(at) ?? 0)
    for (let entry = (at ?? 0) + 2; entry < (at ?? 0) + 2 + count * 12; entry += 12) {
      const tag = this.u16(entry)
      if (tag !== null && !entries.has(tag)) entries.set(tag, entry)
    }
    return new Directory(this, entries)
  }
}

/** The entries of one image file directory by their tags. */
class Directory {
  readonly #tiff: Tiff
  readonly #entries: ReadonlyMap<number, number>

  constructor(tiff: Tiff, entries: ReadonlyMap<number, number>) {
    this.#tiff = tiff
    this.#entries = entries
  }

  number(tag: number): number | null {
    return this.numbers(tag)[0] ?? null
  }

  positive(tag: number): number | null {
    const value = this.number(tag)
    return value !== null && Number.isFinite(value) && value > 0 ? value : null
  }

  numbers(tag: number): (number | null)[] {
    const found = this.#find(tag)
    if (found === undefined || found.type === 2) return []
    const { type, count, at, size } = found
    return Array.from({ length: Math.min(count, mostNumbers) }, (_, i) => this.#tiff.value(type, at + i * size))
  }

  text(tag: number): string | null {
    const found = this.#find(tag)
    if (found?.type !== 2) return null
    const bytes = this.#tiff.bytes.subarray(found.at, found.at + Math.min(found.count, mostTextBytes))
    return cleanText(bytes)
  }

  time(tag: number): string | null {
    const match = /^(\d{4})[:-](\d\d)[:-](\d\d)[ T](\d\d):(\d\d):(\d\d)/.exec(this.text(tag) ?? '')
    if (match === null) return null
    const [, year, month, day, hour, minute, second] = match
    const time = `${year}-${month}-${day}T${hour}:${minute}:${second}`
    // A day that there is not becomes another one, or none at all.
    const date = new Date(`${time}Z`)
    return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(time) && year !== '0000' ? time : null
  }

  offset(tag: number): string | null {
    return /^[+-](?:0\d|1[0-4]):[0-5]\d$/.exec(this.text(tag) ?? '')?.[0] ?? null
  }

  #find(tag: number): { type: number; count: number; at: number; size: number } | undefined {
    const entry = this.#entries.get(tag)
    if (entry === undefined) return undefined
    const [type, count] = [this.#tiff.u16(entry + 2), this.#tiff.u32(entry + 4)]
    const size = type === null ? undefined : typeBytes[type]
    if (type === null || count === null || size === undefined) return undefined
    const at = count * size <= 4 ? entry + 8 : this.#tiff.u32(entry + 8)
    return at === null || at + count * size > this.#tiff.bytes.length ? undefined : { type, count, at, size }
  }
}

function degrees(
  [whole = null, minutes = 0, seconds = 0]: readonly (number | null)[],
  reference: string | null,
  negative: 'S' | 'W',
  most: number,
): number | null {
  if (whole === null) return null
  const value = whole + (minutes ?? 0) / 60 + (seconds ?? 0) / 3600
  if (!Number.isFinite(value) || value < 0 || value > most) return null
  return reference?.toUpperCase().startsWith(negative) === true ? -value : value
}

/** Control characters, and the marks that make a text read as another one. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/** The standard says ASCII; cameras write UTF-8 and Latin-1. */
function cleanText(bytes: Buffer): string | null {
  const end = bytes.indexOf(0)
  const told = end < 0 ? bytes : bytes.subarray(0, end)
  const utf8 = told.toString('utf8')
  const text = (utf8.includes('\uFFFD') ? told.toString('latin1') : utf8).replace(unsafe, ' ').replace(/\s+/g, ' ')
  return [...text.normalize('NFC').trim()].slice(0, longestText).join('').trim() || null
}
