import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readPlace } from '../../../electron/engine/service/readers/read-geolocation.ts'

const here = { latitude: 40.5, longitude: -74.25 }

describe('a GPS position is read from', () => {
  test.each<[string, unknown]>([
    ['an object', { latitude: 40.5, longitude: -74.25 }],
    ['short names', { lat: 40.5, lng: -74.25 }],
    ['shorter names', { lat: '40.5', lon: '-74.25' }],
    ['other names', { Lat: 40.5, long: -74.25 }],
    ['a database', { _latitude: 40.5, _longitude: -74.25 }],
    ['an object in a record', { id: 'x', geoLocation: { lat: 40.5, lng: -74.25 } }],
    ['a browser', { coords: { latitude: 40.5, longitude: -74.25, accuracy: 5 }, timestamp: 1 }],
    ['a GPS block in an EXIF block', { exif: { gps: { latitude: 40.5, longitude: -74.25 } } }],
    ['a pair', [40.5, -74.25]],
    ['a pair with an altitude', [40.5, -74.25, 12]],
    ['a pair of texts', ['40.5', '-74.25']],
    ['a pair in a list', [[40.5, -74.25]]],
    ['a GeoJSON point', { type: 'Point', coordinates: [-74.25, 40.5] }],
    ['a GeoJSON feature', { type: 'Feature', geometry: { type: 'Point', coordinates: [-74.25, 40.5, 3] } }],
    ['coordinates as an object', { coordinates: { lat: 40.5, lng: -74.25 } }],
    ['text', '40.5,-74.25'],
    ['text in brackets', '(40.5, -74.25)'],
    ['text with a space', '40.5 -74.25'],
    ['text with a semicolon', '40.5; -74.25'],
    ['degrees', '40.5° N, 74.25° W'],
    ['degrees and minutes', `40°30.0' N 74°15.0' W`],
    ['degrees, minutes and seconds', `40°30'0"N 74°15'0"W`],
    ['typographic marks', '40°30′0″N, 74°15′0″W'],
    ['the compass first', 'N 40° 30.0 W 74° 15.0'],
    ['the longitude first by the compass', '74.25W, 40.5N'],
    ['words', '40.5 degrees, -74.25 degrees'],
    ['a minus of typography', '40.5, −74.25'],
    ['XMP', '40,30.0N 74,15.0W'],
    ['a geo URI', 'geo:40.5,-74.25'],
    ['ISO 6709', '+40.5000-074.2500/'],
    ['WKT', 'POINT(-74.25 40.5)'],
    ['PostGIS', 'SRID=4326;POINT(-74.25 40.5)'],
    ['JSON text', '{"lat":40.5,"lng":-74.25}'],
    ['EXIF lists', { GPSLatitude: [40, 30, 0], GPSLatitudeRef: 'N', GPSLongitude: [74, 15, 0], GPSLongitudeRef: 'W' }],
    [
      'EXIF fractions',
      {
        GPSLatitude: '40/1,30/1,0/1',
        GPSLongitude: [
          [74, 1],
          [15, 1],
          [0, 100],
        ],
        GPSLongitudeRef: 'West',
      },
    ],
    [
      'EXIF objects',
      {
        GPSLatitude: [{ numerator: 81, denominator: 2 }],
        GPSLongitude: [{ numerator: 297, denominator: 4 }],
        GPSLongitudeRef: 'W',
      },
    ],
  ])('%s', (_, value) => {
    const place = readPlace(value)
    expect(place?.latitude).toBeCloseTo(here.latitude, 10)
    expect(place?.longitude).toBeCloseTo(here.longitude, 10)
  })

  test('a pair in the wrong order, if only one order is on earth', () => {
    expect(readPlace([-120.5, 40])).toEqual({ latitude: 40, longitude: -120.5 })
    expect(readPlace({ coordinates: [40, -120.5] })).toEqual({ latitude: 40, longitude: -120.5 })
    expect(readPlace('-120.5, 40')).toEqual({ latitude: 40, longitude: -120.5 })
  })

  test.each<[unknown]>([
    [null],
    [undefined],
    [''],
    ['unknown'],
    ['12'],
    [12],
    [true],
    [{}],
    [[]],
    [[1]],
    [[1, 2, 3, 4]],
    [[91, 181]],
    [{ lat: 40 }],
    [{ lat: '', lng: '' }],
    [{ lat: null, lng: null }],
    [{ lat: 95, lng: 10 }],
    [{ lat: true, lng: false }],
    [{ lat: 'NaN', lng: 'Infinity' }],
    ['2026-01-02, 10'],
    ['1 Main St, Springfield'],
    ['40°75\'0"N 74°0\'22"W'],
    ['https://maps.example/40.5,-74.25'],
    ['{"lat":'],
    [
      {
        type: 'Polygon',
        coordinates: [
          [
            [1, 2],
            [3, 4],
          ],
        ],
      },
    ],
    ['1,2,3,4'],
  ])('nothing from %j', (value) => {
    expect(readPlace(value)).toBeNull()
  })

  test('any position on earth, in every notation', () => {
    const coordinate = (limit: number) => fc.double({ min: -limit, max: limit, noNaN: true })
    fc.assert(
      fc.property(coordinate(90), coordinate(180), (latitude, longitude) => {
        const place = { latitude, longitude }
        expect(readPlace(place)).toEqual(place)
        expect(readPlace([latitude, longitude])).toEqual(place)
        const near = (value: unknown) => {
          const read = readPlace(value)
          expect(Math.abs((read?.latitude ?? 999) - latitude)).toBeLessThan(1e-9)
          expect(Math.abs((read?.longitude ?? 999) - longitude)).toBeLessThan(1e-9)
        }
        near({ lat: String(latitude), lng: String(longitude) })
        near(`${latitude}, ${longitude}`)
        near({ lat: latitude.toFixed(12), lng: longitude.toFixed(12) })
        if (Math.abs(longitude) > 90) near({ coordinates: [longitude, latitude] })
      }),
    )
  })
})
