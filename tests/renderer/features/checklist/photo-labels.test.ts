import { expect, it } from 'vitest'
import {
  cameraText,
  exposureText,
  locationText,
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
