import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Place } from '../../shared/domain.ts'
import {
  distancesFromOthers,
  isFar,
  medianPlace,
  metersBetween,
  toLocalMeters,
  usablePlace,
} from '../../shared/photo-places.ts'

const house: Place = { latitude: 43.6312, longitude: -116.2021 }
const shifted = (north: number, east: number, { latitude, longitude } = house): Place => ({
  latitude: latitude + north / 111_000,
  longitude: longitude + east / (111_000 * Math.cos((latitude * Math.PI) / 180)),
})
const anywhere = fc.record({
  latitude: fc.double({ min: -85, max: 85, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
})
const offset = fc.record({
  north: fc.double({ min: -2_000, max: 2_000, noNaN: true }),
  east: fc.double({ min: -2_000, max: 2_000, noNaN: true }),
})

test.each([
  [{ latitude: NaN, longitude: 10 }],
  [{ latitude: 10, longitude: Infinity }],
  [{ latitude: 90.1, longitude: 10 }],
  [{ latitude: 10, longitude: -180.5 }],
  [{ latitude: 0, longitude: 0 }],
  [{ latitude: 0.0004, longitude: -0.0004 }],
  [null],
])('%o is no position of a photo', (place) => {
  expect(usablePlace(place)).toBeNull()
})

test('a position on the equator or the prime meridian is one', () => {
  expect(usablePlace({ latitude: 0, longitude: -78.5 })).not.toBeNull()
  expect(usablePlace({ latitude: 51.4779, longitude: 0 })).not.toBeNull()
})

test('a photo is drawn as far from another as it was taken, in either direction', () => {
  fc.assert(
    fc.property(anywhere, offset, (origin, { north, east }) => {
      const other = shifted(north, east, origin)
      fc.pre(Math.abs(other.latitude) < 85)
      const drawn = toLocalMeters({ ...other, longitude: ((other.longitude + 540) % 360) - 180 }, origin)
      const meters = metersBetween(origin, other)
      expect(Math.abs(Math.hypot(drawn.east, drawn.north) - meters)).toBeLessThan(0.01 * meters + 0.01)
      if (Math.abs(north) > 1) expect(Math.sign(drawn.north)).toBe(Math.sign(north))
      if (Math.abs(east) > 1) expect(Math.sign(drawn.east)).toBe(Math.sign(east))
    }),
  )
})

test('a degree has its length on the ellipsoid', () => {
  const { north } = toLocalMeters({ latitude: 45.5, longitude: 0 }, { latitude: 44.5, longitude: 0 })
  expect(north).toBeGreaterThan(111_100)
  expect(north).toBeLessThan(111_150)
})

test('only the photo apart from the others is far from them', () => {
  const near = [shifted(0, 0), shifted(12, -8), shifted(-5, 14), shifted(3, 6)]
  for (const others of [near.slice(0, 2), near.slice(0, 3), near]) {
    const distances = distancesFromOthers([...others, shifted(300, 250), null])
    expect(distances.map(isFar)).toEqual([...others.map(() => false), true, false])
    expect(distances.at(-2)).toBeGreaterThan(370)
    expect(distances.at(-1)).toBeNull()
  }
})

test('of two photos each is far from the other, and one alone is from nothing', () => {
  expect(distancesFromOthers([house, shifted(200, 0)]).map(isFar)).toEqual([true, true])
  expect(distancesFromOthers([null, house])).toEqual([null, null])
  expect(distancesFromOthers([])).toEqual([])
})

test('just under 150 meters is not far', () => {
  expect(distancesFromOthers([house, house, shifted(148, 0)]).map(isFar)).toEqual([false, false, false])
  expect(distancesFromOthers([house, house, shifted(152, 0)]).map(isFar)).toEqual([false, false, true])
})

test('a site across the 180th meridian is one site', () => {
  const east = { latitude: -16.8, longitude: 179.9999 }
  const west = { latitude: -16.8, longitude: -179.9999 }
  expect(distancesFromOthers([east, west, east]).map(isFar)).toEqual([false, false, false])
  expect(Math.abs(medianPlace([east, west])?.longitude ?? 0)).toBeCloseTo(180, 5)
})

test('a minority of photos from elsewhere is far, and moves the middle no farther than the site is wide', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: -30, max: 30 }), fc.integer({ min: -30, max: 30 })), {
        minLength: 3,
        maxLength: 30,
      }),
      fc.integer({ min: 1, max: 10 }),
      (site, strays) => {
        fc.pre(strays < site.length - 1)
        const places = site.map(([north, east]) => shifted(north, east))
        const all = [...places, ...Array.from({ length: strays }, (_, index) => shifted(500 + index, 400))]
        expect(distancesFromOthers(all).map(isFar)).toEqual(all.map((_, index) => index >= places.length))
        const middle = medianPlace(all)
        expect(middle && metersBetween(middle, house)).toBeLessThan(60)
      },
    ),
  )
})
