import { expect, it } from 'vitest'
import {
  cameraText,
  exposureText,
  locationText,
  photoLocations,
  sizeText,
} from '../../../../renderer/features/checklist/photo-labels.ts'
import type { PhotoFacts } from '../../../../shared/views.ts'

const nothing: PhotoFacts = {
  takenAt: null,
  utcOffset: null,
  make: null,
  model: null,
  lens: null,
  exposureSeconds: null,
  fNumber: null,
  iso: null,
  focalLengthMm: null,
  orientation: null,
  size: null,
  place: null,
  servicePlace: null,
  filePlace: null,
  altitudeMeters: null,
}

it('camera data is written as photographers write it, without unknown values', () => {
  expect([cameraText(nothing), exposureText(nothing), sizeText(nothing)]).toEqual([null, null, null])
  expect(cameraText({ ...nothing, make: 'Apple', model: 'iPhone 15' })).toBe('Apple iPhone 15')
  expect(cameraText({ ...nothing, make: 'Canon', model: 'Canon EOS R6' })).toBe('Canon EOS R6')
  expect(exposureText({ ...nothing, exposureSeconds: 1 / 120, fNumber: 1.78, iso: 100 })).toBe(
    '1/120 s · f/1.8 · ISO 100',
  )
  expect(exposureText({ ...nothing, exposureSeconds: 2.5 })).toBe('2.5 s')
})

it('the size of a rotated photo is its displayed size', () => {
  const size = { widthPixels: 4032, heightPixels: 3024 }
  expect(sizeText({ ...nothing, size, orientation: 1 })).toBe('4032 × 3024 pixels')
  expect(sizeText({ ...nothing, size, orientation: 6 })).toBe('3024 × 4032 pixels')
})

it('a location has the format that maps accept', () => {
  expect(locationText({ latitude: -33.8688197, longitude: 151.2092957 })).toBe('-33.868820, 151.209296')
})

it('a photo has the locations of service and file, one if they are equal, and none without a GPS fix', () => {
  const [here, there] = [
    { latitude: 47.123456, longitude: 8.654321 },
    { latitude: 47.2, longitude: 8.6 },
  ]
  expect(photoLocations(here, there)).toEqual([
    { label: 'Location (service)', place: here },
    { label: 'Location (photo)', place: there },
  ])
  expect(photoLocations(here, { ...here, latitude: 47.1234561 })).toEqual([{ label: 'Location', place: here }])
  expect(photoLocations({ latitude: 0, longitude: 0 }, here)).toEqual([{ label: 'Location (photo)', place: here }])
  expect(photoLocations({ latitude: 0, longitude: 0 }, null)).toEqual([])
})
