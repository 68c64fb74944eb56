import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clusterPoints, clusterPx, fanOffsets, maxFanned } from '../../../../renderer/features/map/photo-clusters.ts'

const meters = fc.double({ min: -60, max: 60, noNaN: true })
const points = fc
  .array(fc.record({ east: meters, north: meters }), { maxLength: 120 })
  .map((places) => places.map((at, index) => ({ id: index + 1, at })))
const scale = fc.double({ min: 0.01, max: 50, noNaN: true })

test('every photo is in exactly one cluster, and no two marks overlap', () => {
  fc.assert(
    fc.property(points, scale, (all, pixelsPerMeter) => {
      const clusters = clusterPoints(all, pixelsPerMeter)
      const ids = clusters.flatMap((cluster) => cluster.points.map(({ id }) => id))
      expect(ids.toSorted((a, b) => a - b)).toEqual(all.map(({ id }) => id))
      expect(clusters.map(({ id, points: [first] }) => id === first?.id)).not.toContain(false)
      clusters.forEach((one, index) => {
        for (const other of clusters.slice(index + 1)) {
          const gap = Math.hypot(one.at.east - other.at.east, one.at.north - other.at.north) * pixelsPerMeter
          expect(gap).toBeGreaterThanOrEqual(clusterPx - 1e-6)
        }
      })
    }),
  )
})

test('photos that are apart on screen are drawn one by one', () => {
  const all = [0, 1, 2].map((index) => ({ id: index + 1, at: { east: index * 10, north: 0 } }))
  expect(clusterPoints(all, 4)).toHaveLength(3)
  expect(clusterPoints(all, 1)).toHaveLength(1)
})

test('the photos of a fan do not overlap, and there are not too many', () => {
  for (const count of [2, 7, 60, 720]) {
    const offsets = fanOffsets(count)
    expect(offsets).toHaveLength(Math.min(count, maxFanned))
    offsets.forEach((one, index) => {
      for (const other of offsets.slice(index + 1)) {
        expect(Math.hypot(one.x - other.x, one.y - other.y)).toBeGreaterThan(30)
      }
    })
  }
})
