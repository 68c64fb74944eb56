import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SeededRandom } from '../site/seeded-random.ts'
import { pictureCounts, type SamplePhoto, type SamplePlace, type SampleProject } from '../site/site-types.ts'
import { exifPayload, type SamplePhotoFacts } from './exif.ts'

/** The smallest photo: the smallest picture, Exif data with the longest address, and a comment, rounded up. */
export const minPhotoBytes = 1700

const cameras = [
  ['Apple', 'iPhone 15'],
  ['Google', 'Pixel 8'],
  ['samsung', 'SM-S921U'],
] as const

const startOfImage = Buffer.from([0xff, 0xd8])
const app1 = 0xe1
const comment = 0xfe

/** Bytes of a segment's marker and length; the length, 16 bits, counts itself (ITU-T T.81, B.1.1.4). */
const segmentHead = 4
const maxPayload = 0xffff - 2

const filler = Buffer.alloc(maxPayload, createHash('sha512').update('filler').digest('hex'))

function segment(marker: number, payload: Buffer): Buffer {
  const length = payload.length + 2
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 255]), payload])
}

/** Returns the JPEG with segments behind its start marker, in front of its own. */
export function insertSegments(jpeg: Buffer, ...segments: readonly Buffer[]): Buffer {
  return Buffer.concat([startOfImage, ...segments, jpeg.subarray(startOfImage.length)])
}

/** Returns the segment that holds Exif data. */
export function exifSegment(facts: SamplePhotoFacts): Buffer {
  return segment(app1, exifPayload(facts))
}

/**
 * Returns comment segments of `length` bytes together. Throws a RangeError for 1 to 3 bytes, less than a segment's
 * head.
 */
export function paddingSegments(length: number): Buffer[] {
  if (length > 0 && length < segmentHead) throw new RangeError(`No segment has ${length} bytes`)
  const segments: Buffer[] = []
  for (let left = length; left > 0; left -= segments.at(-1)?.length ?? left) {
    const payload = Math.min(left - segmentHead, maxPayload)
    const rest = left - segmentHead - payload
    // Leaves room for the head of the last segment.
    segments.push(
      segment(comment, filler.subarray(0, rest > 0 && rest < segmentHead ? payload - segmentHead : payload)),
    )
  }
  return segments
}

/** Returns the name of a photo's picture. A replaced photo gets the next picture of its scene. */
function pictureOf({ scene, picture, revision }: SamplePhoto): string {
  return `${scene}-${((picture + revision) % pictureCounts[scene]) + 1}.jpg`
}

/** Returns a comment that no other file has: its bytes follow from the key. */
function mark(key: string): Buffer {
  return segment(comment, createHash('sha256').update(key).digest())
}

/** Returns the direction from a position to a near one, in degrees clockwise from north, 0 to 360. */
function headingTo(to: SamplePlace, from: SamplePlace): number {
  const east = (to.longitude - from.longitude) * Math.cos((from.latitude * Math.PI) / 180)
  return ((Math.atan2(east, to.latitude - from.latitude) * 180) / Math.PI + 360) % 360
}

/**
 * Returns the bytes of a photo: a picture of its scene with the photo's own Exif data and comment. With a size, the
 * largest picture that fits is padded to exactly that many bytes.
 */
export async function photoBytes(project: SampleProject, photo: SamplePhoto, size: number | null): Promise<Buffer> {
  const key = `${photo.id}/${photo.revision}`
  const random = new SeededRandom(`${key}/camera`)
  const [make, model] = new SeededRandom(`${project.id}/camera`).pick(cameras)
  const facts = {
    make,
    model,
    description: `${project.address} (sample photo)`,
    takenAtMs: Date.parse(photo.takenAt),
    utcOffsetMinutes: project.utcOffsetMinutes,
    ...photo.place,
    altitudeMeters: project.altitudeMeters + random.between(2, 9),
    direction: (headingTo(project.place, photo.place) + random.between(335, 385)) % 360,
  }
  const pictures = [
    { path: `photos/${pictureOf(photo)}`, width: 960, height: 720 },
    { path: `thumbnails/${pictureOf(photo)}`, width: 240, height: 180 },
    { path: 'tiny.jpg', width: 48, height: 36 },
  ]
  for (const { path, width, height } of pictures) {
    const jpeg = await readResource(path)
    const segments = [exifSegment({ ...facts, width, height }), mark(key)]
    const left = size === null ? 0 : segments.reduce((rest, { length }) => rest - length, size - jpeg.length)
    if (left === 0 || left >= segmentHead) return insertSegments(jpeg, ...segments, ...paddingSegments(left))
  }
  throw new RangeError(`No photo fits into ${size} bytes`)
}

/** Returns the bytes of a photo's thumbnail: its picture, smaller, with a comment of its own. */
export async function thumbnailBytes(photo: SamplePhoto): Promise<Buffer> {
  const jpeg = await readResource(`thumbnails/${pictureOf(photo)}`)
  return insertSegments(jpeg, mark(`${photo.id}/thumbnail/${photo.revision}`))
}

const cache = new Map<string, Promise<Buffer>>()

/** Returns the folder `resources/sample`, seen from the sources, from the bundle, and from the packaged app alike. */
function resourceFolder(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const candidate = join(folder, 'resources', 'sample')
    if (existsSync(candidate)) return candidate
    if (dirname(folder) === folder) throw new Error(`No folder resources/sample above ${import.meta.dirname}`)
  }
}

/**
 * Returns the bytes of a file of `resources/sample`. All of them together are 3.3 MB, so each is read once and kept.
 */
export function readResource(path: string): Promise<Buffer> {
  const bytes = cache.get(path) ?? readFile(join(resourceFolder(), path))
  cache.set(path, bytes)
  return bytes
}
