import type { LocalMeters } from '../../../shared/photo-places.ts'
import type { Pixels } from './map-camera.ts'

/** A photo, or whatever else has an ID and a position. */
export interface MapPoint {
  readonly id: number
  readonly at: LocalMeters
}

/** Points that are too close to each other on screen to be drawn one by one. */
export interface Cluster<Point extends MapPoint> {
  /** ID of its first point. */
  readonly id: number
  readonly points: readonly Point[]
  /** Mean of its points. */
  readonly at: LocalMeters
}

/** Distance below which marks would overlap: the diameter of the largest one. */
export const clusterPx = 34

/** Returns the points as clusters, in their order, whose marks do not overlap. */
export function clusterPoints<Point extends MapPoint>(
  points: readonly Point[],
  pixelsPerMeter: number,
): Cluster<Point>[] {
  const reach = clusterPx / pixelsPerMeter
  let clusters: Cluster<Point>[] = points.map((point) => ({ id: point.id, points: [point], at: point.at }))
  for (;;) {
    // The middle of a cluster may be near another one, although their first points were not.
    const joined = joinNear(clusters, reach)
    if (joined.length === clusters.length) return joined
    clusters = joined
  }
}

/**
 * Joins each cluster to the first one before it that is near. Looks at neighboring cells of a grid only, since all
 * points are clustered again with each step of a zoom.
 */
function joinNear<Point extends MapPoint>(clusters: readonly Cluster<Point>[], reach: number): Cluster<Point>[] {
  const cells = new Map<string, Cluster<Point>[][]>()
  const groups: Cluster<Point>[][] = []
  for (const cluster of clusters) {
    const [column, row] = [Math.floor(cluster.at.east / reach), Math.floor(cluster.at.north / reach)]
    const near = [-1, 0, 1]
      .flatMap((right) => [-1, 0, 1].flatMap((up) => cells.get(`${column + right} ${row + up}`) ?? []))
      .find(([first]) => first !== undefined && distance(first.at, cluster.at) < reach)
    if (near !== undefined) {
      near.push(cluster)
      continue
    }
    const begun = [cluster]
    groups.push(begun)
    const key = `${column} ${row}`
    cells.set(key, [...(cells.get(key) ?? []), begun])
  }
  return groups.flatMap((group) => {
    const [first] = group
    if (first === undefined || group.length === 1) return group
    const points = group.flatMap((one) => one.points)
    return [{ id: first.id, points, at: meanOf(points) }]
  })
}

function distance(one: LocalMeters, other: LocalMeters): number {
  return Math.hypot(one.east - other.east, one.north - other.north)
}

function meanOf(points: readonly MapPoint[]): LocalMeters {
  const mean = (value: (at: LocalMeters) => number) =>
    points.reduce((sum, { at }) => sum + value(at), 0) / points.length
  return { east: mean(({ east }) => east), north: mean(({ north }) => north) }
}

/** Distance between neighbors of a fan. */
const fanStepPx = 34

/** Photos of one spot that a fan shows; the list has the others. */
export const maxFanned = 60

/** Returns where the points of a fan are around their spot: in rings, each with room for its marks. */
export function fanOffsets(count: number): Pixels[] {
  const offsets: Pixels[] = []
  for (let ring = 1; offsets.length < Math.min(count, maxFanned); ring += 1) {
    const radius = fanStepPx * (ring + 0.5)
    const room = Math.floor((2 * Math.PI * radius) / fanStepPx)
    const here = Math.min(room, Math.min(count, maxFanned) - offsets.length)
    for (let index = 0; index < here; index += 1) {
      const angle = (2 * Math.PI * index) / here - Math.PI / 2
      offsets.push({ x: radius * Math.cos(angle), y: radius * Math.sin(angle) })
    }
  }
  return offsets
}
