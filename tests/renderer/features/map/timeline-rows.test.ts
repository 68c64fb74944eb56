import { expect, test } from 'vitest'
import type { PlacedPhoto } from '../../../../shared/views.ts'
import { captureTime, clockSentence, siteOffset } from '../../../../renderer/features/map/capture-times.ts'
import { timedPhotos, timelineRows, type TimelineFilter } from '../../../../renderer/features/map/timeline-rows.ts'
import { imperialStep, placeText } from '../../../../renderer/features/map/place-labels.ts'

let ids = 0
const photo = (values: Partial<PlacedPhoto>): PlacedPhoto => ({
  assetId: (ids += 1),
  version: 'v',
  fileName: 'IMG.jpg',
  archived: true,
  sizeBytes: 1,
  problem: null,
  absence: null,
  goneUpstream: false,
  earlierVersions: 0,
  thumbnailAssetId: null,
  thumbnailVersion: null,
  takenAt: null,
  place: null,
  checklistId: 'c',
  checklistTitle: 'Survey',
  section: 'Roof',
  question: 'Planes',
  position: null,
  metersFromOthers: null,
  heading: null,
  cameraTime: null,
  utcOffset: null,
  ...values,
})
const at = (time: string, utcOffset: string | null = '-06:00') => photo({ cameraTime: `2026-06-${time}:00`, utcOffset })
const all: TimelineFilter = { section: null, question: null, position: 'all' }
const textsOf = (photos: readonly PlacedPhoto[], columns = 2, filter = all) =>
  timelineRows(timedPhotos(photos, filter), columns).map((row) =>
    row.kind === 'tiles' ? row.photos.length : row.label,
  )

test('photos are listed by day and by visit, with the pauses between them', () => {
  const photos = [at('03T14:30'), at('03T09:14'), at('03T09:20'), at('03T09:30'), at('05T08:00'), photo({})]
  expect(textsOf(photos)).toEqual([
    'Wednesday, June 3, 2026',
    '9:14 AM to 9:30 AM',
    2,
    1,
    '5 h without photos',
    '2:30 PM',
    1,
    '1 d 18 h without photos',
    'Friday, June 5, 2026',
    '8:00 AM',
    1,
    'No capture time',
    1,
  ])
})

test('rows number the photos in the order of the timeline', () => {
  const rows = timelineRows(timedPhotos([at('03T09:20'), at('03T09:14'), at('03T12:00')], all), 5)
  expect(rows.flatMap((row) => (row.kind === 'tiles' ? [row.first] : []))).toEqual([0, 2])
})

test('the filters leave what matches', () => {
  const here = { latitude: 43, longitude: -116 }
  const photos = [
    photo({ section: 'Roof', question: 'Planes', position: here }),
    photo({ section: 'Roof', question: 'Shingles' }),
    photo({ section: 'Site', question: 'Planes' }),
  ]
  const count = (filter: Partial<TimelineFilter>) => timedPhotos(photos, { ...all, ...filter }).length
  expect(count({ section: 'Roof' })).toBe(2)
  expect(count({ question: 'Planes' })).toBe(2)
  expect(count({ section: 'Roof', question: 'Planes' })).toBe(1)
  expect(count({ position: 'with' })).toBe(1)
  expect(count({ position: 'without' })).toBe(2)
})

test('all times are on the clock that most cameras had', () => {
  const photos = [at('03T09:14'), at('03T09:16'), at('03T15:15', '+00:00')]
  expect(siteOffset(photos)).toBe('-06:00')
  // 3:15 PM in London is 9:15 AM at the site.
  expect(timedPhotos(photos, all).map(({ photo }) => photo)).toEqual([photos[0], photos[2], photos[1]])
})

test('a camera without a time zone is taken at its word, and the service knows UTC', () => {
  const noon = Date.UTC(2026, 5, 3, 12)
  expect(captureTime(at('03T12:00', null), '-06:00')).toEqual({ wallMs: noon, source: 'camera without zone' })
  expect(captureTime(photo({ takenAt: '2026-06-03T18:00:00.000Z' }), '-06:00')).toEqual({
    wallMs: noon,
    source: 'service',
  })
  expect(captureTime(photo({}), '-06:00')).toEqual({ wallMs: null, source: null })
})

test('the clock is named', () => {
  expect(clockSentence('-06:00', new Set(['camera' as const]))).toBe('Times are local (UTC−06:00).')
  expect(clockSentence(null, new Set(['camera without zone' as const]))).toContain('no time zone')
  expect(clockSentence(null, new Set(['service' as const]))).toContain('your time zone')
})

test('a place is said in words', () => {
  const heading = { degrees: 222, north: 'magnetic' as const }
  const position = { latitude: 43, longitude: -116 }
  expect(placeText({ position, metersFromOthers: 8, heading })).toBe(
    '26 ft (8 m) from the others, facing southwest by compass',
  )
  expect(placeText({ position, metersFromOthers: 2_000, heading: { degrees: 359, north: 'true' } })).toBe(
    '1.2 mi (2.0 km) from the others, facing north',
  )
  expect(placeText({ position: null, metersFromOthers: null, heading: null })).toBe('no location')
  expect(imperialStep(50).text).toBe('100 ft')
  expect(imperialStep(5_000).text).toBe('2 mi')
})
