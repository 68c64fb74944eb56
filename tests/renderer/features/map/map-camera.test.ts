import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  fitCamera,
  panCamera,
  roundStep,
  showPoint,
  toGround,
  toScreen,
  zoomCamera,
} from '../../../../renderer/features/map/map-camera.ts'
import { toLocalMeters } from '../../../../shared/photo-places.ts'

const meters = fc.double({ min: -50_000, max: 50_000, noNaN: true })
const point = fc.record({ east: meters, north: meters })
const camera = fc.record({ center: point, pixelsPerMeter: fc.double({ min: 0.001, max: 40, noNaN: true }) })
const size = { width: 800, height: 500 }
const pixels = fc.record({ x: fc.integer({ min: 0, max: 800 }), y: fc.integer({ min: 0, max: 500 }) })

test('north is up, east is right, and both have one scale', () => {
  const view = { center: { east: 0, north: 0 }, pixelsPerMeter: 10 }
  expect(toScreen({ east: 0, north: 0 }, view, size)).toEqual({ x: 400, y: 250 })
  expect(toScreen({ east: 3, north: 3 }, view, size)).toEqual({ x: 430, y: 220 })
})

test('a pixel is the ground that is drawn there', () => {
  fc.assert(
    fc.property(camera, pixels, (view, at) => {
      const { x, y } = toScreen(toGround(at, view, size), view, size)
      expect(x).toBeCloseTo(at.x, 3)
      expect(y).toBeCloseTo(at.y, 3)
    }),
  )
})

test('a zoom keeps the ground below the mouse, and a pan takes it along', () => {
  fc.assert(
    fc.property(camera, pixels, fc.double({ min: 0.2, max: 5, noNaN: true }), (view, anchor, factor) => {
      const ground = toGround(anchor, view, size)
      const zoomed = toScreen(ground, zoomCamera(view, factor, { anchor, size }), size)
      expect(zoomed.x).toBeCloseTo(anchor.x, 2)
      expect(zoomed.y).toBeCloseTo(anchor.y, 2)
      const panned = toScreen(ground, panCamera(view, { x: 30, y: -20 }), size)
      expect(panned.x).toBeCloseTo(anchor.x + 30, 2)
      expect(panned.y).toBeCloseTo(anchor.y - 20, 2)
    }),
  )
})

test('all photos fit into the view, also one alone, and in a small one', () => {
  fc.assert(
    fc.property(fc.array(point, { minLength: 1, maxLength: 20 }), fc.integer({ min: 100, max: 2000 }), (all, width) => {
      const view = { width, height: 300 }
      const fitted = fitCamera(all, view)
      for (const one of all) {
        const { x, y } = toScreen(one, fitted, view)
        expect(x).toBeGreaterThanOrEqual(0)
        expect(x).toBeLessThanOrEqual(view.width)
        expect(y).toBeGreaterThanOrEqual(0)
        expect(y).toBeLessThanOrEqual(view.height)
      }
      expect(fitted.pixelsPerMeter).toBeLessThanOrEqual(50)
    }),
  )
})

test.each([
  ['whose longitudes differ in their sign', { latitude: 0, longitude: -116.2 }, { latitude: 0, longitude: 116.2 }],
  [
    'that are far apart across the antimeridian',
    { latitude: -17, longitude: 179.9 },
    { latitude: -17, longitude: -100 },
  ],
  ['on two sides of the earth', { latitude: 0, longitude: 0.5 }, { latitude: 0, longitude: -179.5 }],
  ['at both poles', { latitude: 90, longitude: 0 }, { latitude: -90, longitude: 0 }],
])('photos %s fit into a small view', (_, one, other) => {
  const view = { width: 320, height: 240 }
  const all = [one, other].map((place) => toLocalMeters(place, one))
  const fitted = fitCamera(all, view)
  for (const { x, y } of all.map((at) => toScreen(at, fitted, view))) {
    expect(x).toBeGreaterThanOrEqual(0)
    expect(x).toBeLessThanOrEqual(view.width)
    expect(y).toBeGreaterThanOrEqual(0)
    expect(y).toBeLessThanOrEqual(view.height)
  }
})

test('a photo is brought into view, and a map that shows it stays', () => {
  fc.assert(
    fc.property(camera, point, (view, at) => {
      const moved = showPoint(view, at, size)
      const { x, y } = toScreen(at, moved, size)
      expect(x).toBeGreaterThan(50)
      expect(x).toBeLessThan(750)
      expect(y).toBeGreaterThan(50)
      expect(y).toBeLessThan(450)
      expect(moved.pixelsPerMeter).toBe(view.pixelsPerMeter)
    }),
  )
  const view = { center: { east: 0, north: 0 }, pixelsPerMeter: 10 }
  expect(showPoint(view, { east: 10, north: 10 }, size)).toEqual(view)
})

test.each([
  [0.3, 0.2],
  [1, 1],
  [1.99, 1],
  [47, 20],
  [99_999, 50_000],
])('the longest round length up to %d is %d', (max, step) => {
  expect(roundStep(max)).toBeCloseTo(step, 10)
})
