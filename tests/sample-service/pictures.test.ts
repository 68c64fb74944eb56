import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import exifr from 'exifr'
import { decode } from 'jpeg-js'
import { expect, test } from 'vitest'
import {
  insertSegments,
  minPhotoBytes,
  paddingSegments,
  photoBytes,
  readResource,
} from '../../electron/sample-service/files/photos.ts'
import { photosOf, pictureCounts, type Scene } from '../../electron/sample-service/site/site-types.ts'
import { first, serviceForTest } from './sample-client.ts'

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Average difference in brightness of two pictures, 0 to 255. */
function difference(one: Buffer, other: Buffer): number {
  const [a, b] = [decode(one, { useTArray: true }).data, decode(other, { useTArray: true }).data]
  return a.reduce((sum, value, index) => sum + Math.abs(value - (b[index] ?? 0)), 0) / a.length
}

test('a photo is a JPEG of 960 by 720 with camera, time, and position in its EXIF data', async () => {
  const service = await serviceForTest()
  const project = first(service.projects)
  const photo = first(photosOf(first(project.checklists)))
  const bytes = await service.photoBytes(photo)
  expect(decode(bytes, { useTArray: true })).toMatchObject({ width: 960, height: 720 })
  const raw = (await exifr.parse(bytes, { reviveValues: false, gps: true })) as Record<string, unknown>
  expect(raw['Make']).toBeTypeOf('string')
  expect(raw['Model']).toBeTypeOf('string')
  expect(raw['OffsetTimeOriginal']).toBe('-06:00')
  const localMs = Date.parse(photo.takenAt) + project.utcOffsetMinutes * 60_000
  expect(raw['DateTimeOriginal']).toBe(
    new Date(localMs).toISOString().slice(0, 19).replaceAll('-', ':').replace('T', ' '),
  )
  expect(raw['latitude']).toBeCloseTo(photo.place.latitude, 5)
  expect(raw['longitude']).toBeCloseTo(photo.place.longitude, 5)
})

test('a thumbnail is the same scene, small', async () => {
  const service = await serviceForTest()
  const photo = first(photosOf(first(first(service.projects).checklists)))
  expect(decode(await service.thumbnailBytes(photo), { useTArray: true })).toMatchObject({ width: 240, height: 180 })
})

test('two services with the same seed serve the same bytes, another seed serves others', async () => {
  const sizes = { projects: 1, checklistsPerProject: 1, photoQuestionsPerChecklist: 2, photosPerQuestion: 1 }
  const digests = async (seed: number): Promise<string[]> => {
    const service = await serviceForTest({ ...sizes, seed })
    const checklist = first(first(service.projects).checklists)
    const photo = first(photosOf(checklist))
    const made = await Promise.all([
      service.photoBytes(photo),
      service.thumbnailBytes(photo),
      service.reportBytes(checklist),
    ])
    return [checklist.id, photo.clientRefId, ...made.map(digest)]
  }
  const [one, again, other] = [await digests(1), await digests(1), await digests(2)]
  expect(again).toEqual(one)
  expect(other.filter((value) => one.includes(value))).toEqual([])
})

const scenes = Object.keys(pictureCounts) as Scene[]
const pictures = scenes.flatMap((scene) =>
  Array.from({ length: pictureCounts[scene] }, (_, index) => `${scene}-${index + 1}.jpg`),
)

test('the folder of pictures has each picture of each scene, full size and as a thumbnail, and no other', async () => {
  for (const folder of ['photos', 'thumbnails']) {
    const files = await readdir(new URL(`../../resources/sample/${folder}`, import.meta.url))
    expect(files.toSorted()).toEqual(pictures.toSorted())
  }
})

test('each picture is a photo of at most 150 KB, with a thumbnail that is not a plain area', async () => {
  for (const name of pictures) {
    const [photo, thumbnail] = [await readResource(`photos/${name}`), await readResource(`thumbnails/${name}`)]
    expect(photo.length, name).toBeLessThan(150_000)
    // The frame header (ITU-T T.81, B.2.2) and the end marker: decoding all of them in JavaScript takes seconds.
    const frame = photo.indexOf(Buffer.from([0xff, 0xc0]))
    expect([photo.readUInt16BE(frame + 7), photo.readUInt16BE(frame + 5)], name).toEqual([960, 720])
    expect(photo.subarray(-2).toString('hex'), name).toBe('ffd9')
    const { data, ...size } = decode(thumbnail, { useTArray: true })
    expect(size, name).toEqual({ width: 240, height: 180 })
    expect(new Set(data.map((value) => value >> 3)).size, name).toBeGreaterThan(20)
  }
})

test.each(scenes)('the pictures of the scene "%s" differ visibly', async (scene) => {
  const thumbnails = pictures.filter((name) => name.startsWith(`${scene}-`))
  for (const [index, name] of thumbnails.entries()) {
    const next = first([...thumbnails.slice(index + 1), ...thumbnails])
    const [one, other] = [await readResource(`thumbnails/${name}`), await readResource(`thumbnails/${next}`)]
    expect(difference(one, other)).toBeGreaterThan(4)
  }
})

test('no two files of a sample have the same bytes', async () => {
  const service = await serviceForTest()
  const photos = service.projects.flatMap(({ checklists }) => checklists.flatMap(photosOf))
  const digests: string[] = []
  for (const photo of photos) {
    digests.push(digest(await service.photoBytes(photo)), digest(await service.thumbnailBytes(photo)))
  }
  expect(new Set(digests).size).toBe(photos.length * 2)
})

test('a replaced photo has another picture', async () => {
  const service = await serviceForTest()
  const photo = first(photosOf(first(first(service.projects).checklists)))
  const before = await service.thumbnailBytes(photo)
  service.replacePhoto(photo)
  expect(difference(before, await service.thumbnailBytes(photo))).toBeGreaterThan(4)
})

test.each([1700, 6000, 20_000, 200_003, 5_000_000])(
  'photos of %i bytes have that size and all differ',
  async (photoBytes) => {
    const sizes = { projects: 1, checklistsPerProject: 1, photoQuestionsPerChecklist: 2, photosPerQuestion: 2 }
    const service = await serviceForTest({ ...sizes, photoBytes })
    const photos = photosOf(first(first(service.projects).checklists))
    const made = await Promise.all(photos.map((photo) => service.photoBytes(photo)))
    expect(new Set(made.map((bytes) => bytes.length))).toEqual(new Set([photoBytes]))
    expect(new Set(made.map(digest)).size).toBe(photos.length)
    const bytes = first(made)
    expect(decode(bytes, { useTArray: true }).width).toBeGreaterThan(0)
    expect((await exifr.gps(bytes)).latitude).toBeCloseTo(first(photos).place.latitude, 5)
  },
)

test('padding reaches every size, even around the limits of a segment', async () => {
  const jpeg = await readResource('tiny.jpg')
  expect(paddingSegments(0)).toEqual([])
  expect(() => paddingSegments(3)).toThrow(RangeError)
  for (const more of [4, 5, 65_536, 65_537, 65_538, 65_539, 65_540, 65_541, 65_542, 131_074, 131_075]) {
    const padded = insertSegments(jpeg, ...paddingSegments(more))
    expect(padded).toHaveLength(jpeg.length + more)
    expect(decode(padded, { useTArray: true }).width).toBe(48)
  }
})

test('the smallest photo has room for the longest address', async () => {
  const service = await serviceForTest({ photoBytes: minPhotoBytes })
  const project = { ...first(service.projects), address: 'x'.repeat(60) }
  const photo = first(photosOf(first(project.checklists)))
  expect(await photoBytes(project, photo, minPhotoBytes)).toHaveLength(minPhotoBytes)
})

test('impossible photo sizes are refused at the start', async () => {
  await expect(serviceForTest({ photoBytes: 300 })).rejects.toThrow(RangeError)
})
