import { createHash } from 'node:crypto'
import exifr from 'exifr'
import { decode } from 'jpeg-js'
import { describe, expect, test } from 'vitest'
import { Canvas } from '../../electron/sample-service/images/canvas.ts'
import { drawPhoto } from '../../electron/sample-service/images/draw-photo.ts'
import { encodeJpeg } from '../../electron/sample-service/images/encode-jpeg.ts'
import { paddedJpeg } from '../../electron/sample-service/images/jpeg-segments.ts'
import { leastPhotoBytes, paddedPhoto } from '../../electron/sample-service/images/padded-photo.ts'
import { sceneKinds } from '../../electron/sample-service/images/scenes/scene-painters.ts'
import { photosOf } from '../../electron/sample-service/site/site-types.ts'
import { first, serviceForTest } from './sample-client.ts'

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** How different the pictures are in brightness, 0 to 255 on average. */
function difference(one: Buffer, other: Buffer): number {
  const [a, b] = [decode(one, { useTArray: true }).data, decode(other, { useTArray: true }).data]
  return a.reduce((sum, value, index) => sum + Math.abs(value - (b[index] ?? 0)), 0) / a.length
}

test('a photo is a JPEG of 960 by 720 with the camera, the time and the place in its EXIF data', async () => {
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

test('a file made again after leaving the cache has the same bytes', async () => {
  const service = await serviceForTest({ cacheBytes: 0 })
  const photo = first(photosOf(first(first(service.projects).checklists)))
  expect(digest(await service.thumbnailBytes(photo))).toBe(digest(await service.thumbnailBytes(photo)))
})

describe.each(sceneKinds)('the scene "%s"', (scene) => {
  test('is drawn, and differs visibly from photo to photo', () => {
    const draw = (key: string): Buffer => drawPhoto({ scene, siteKey: 'site', key, caption: null }, 240, 80)
    const [one, other] = [draw('one'), draw('other')]
    expect(digest(draw('one'))).toBe(digest(one))
    expect(difference(one, other)).toBeGreaterThan(4)
    const { data } = decode(one, { useTArray: true })
    const tones = new Set(Array.from(data, (value) => value >> 3))
    expect(tones.size).toBeGreaterThan(20)
  })
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

test('padding reaches every size, also around the limits of a segment', () => {
  const { data, width, height } = new Canvas(16, 16)
  const jpeg = encodeJpeg(data, width, height, 50)
  const unpadded = jpeg.length + 36
  expect(paddedJpeg(jpeg, null, unpadded, 'key')).toHaveLength(unpadded)
  expect(() => paddedJpeg(jpeg, null, unpadded + 3, 'key')).toThrow(RangeError)
  for (const more of [4, 5, 65_536, 65_537, 65_538, 65_539, 65_540, 65_541, 65_542, 131_074, 131_075]) {
    const padded = paddedJpeg(jpeg, null, unpadded + more, 'key')
    expect(padded).toHaveLength(unpadded + more)
    expect(decode(padded, { useTArray: true }).width).toBe(16)
  }
})

test('the smallest photos fit every scene', () => {
  for (const scene of sceneKinds) {
    const exif = (): Buffer => Buffer.alloc(740)
    expect(paddedPhoto(scene, leastPhotoBytes, 'key', exif)).toHaveLength(leastPhotoBytes)
  }
})

test('sizes that no photo can have are refused at the start', async () => {
  await expect(serviceForTest({ photoBytes: 300 })).rejects.toThrow(RangeError)
})

test('the JPEG encoder gives back what it was given, also for odd sizes', () => {
  for (const [width, height] of [
    [17, 9],
    [64, 48],
    [1, 1],
  ] as const) {
    const canvas = new Canvas(width, height)
    canvas.data.forEach((_, index) => {
      canvas.data[index] = index % 4 === 3 ? 255 : 60 + (Math.floor(index / 4) % width) * 2 + (index % 4) * 30
    })
    const decoded = decode(encodeJpeg(canvas.data, width, height, 98), { useTArray: true })
    expect([decoded.width, decoded.height]).toEqual([width, height])
    const worst = decoded.data.reduce(
      (most, value, index) => Math.max(most, Math.abs(value - (canvas.data[index] ?? 0))),
      0,
    )
    expect(worst).toBeLessThan(8)
  }
})
