import { computed, type Ref } from 'vue'
import { isFar, type LocalMeters } from '../../../shared/photo-places.ts'
import type { PlacedPhoto } from '../../../shared/views.ts'
import { countOf } from '../../../shared/format.ts'
import type { MapCamera, MapSize, Pixels } from './map-camera.ts'
import { clusterPoints, fanOffsets, type Cluster, type MapPoint } from './photo-clusters.ts'

export interface PhotoPoint extends MapPoint {
  readonly photo: PlacedPhoto
  /** Names the photo with question, time, and position. */
  readonly label: string
}

/** Drawing of one photo or cluster; positions in pixels from the middle of the marks. */
export interface MapMark extends Pixels {
  /** Asset ID of its first photo. */
  readonly id: number
  readonly at: LocalMeters
  readonly photos: readonly PlacedPhoto[]
  readonly label: string
  readonly isFar: boolean
  /** Of a single photo. */
  readonly heading: PlacedPhoto['heading']
  /** From a photo of a fan to its spot; null for all others. */
  readonly leg: Pixels | null
}

/** Marks are rendered this far beyond the view, so that small moves of the map change none of them. */
const beyondPx = 256

/**
 * Returns the marks near the view, and the point of the ground that they are drawn around. Both change with the zoom,
 * but with the position only once for every 256 pixels. `fan` is the ID of a cluster that is spread out.
 */
export function useMapMarks(
  points: () => readonly PhotoPoint[],
  camera: Ref<MapCamera>,
  { size, fan }: { readonly size: () => MapSize; readonly fan: () => number | null },
) {
  const scale = computed(() => camera.value.pixelsPerMeter)
  const clusters = computed(() => clusterPoints(points(), scale.value))
  const column = computed(() => Math.round((camera.value.center.east * scale.value) / beyondPx))
  const row = computed(() => Math.round((camera.value.center.north * scale.value) / beyondPx))
  const base = computed<LocalMeters>(() => ({
    east: (column.value * beyondPx) / scale.value,
    north: (row.value * beyondPx) / scale.value,
  }))
  const marks = computed(() => {
    const [halfWidth, halfHeight] = [size().width / 2 + beyondPx, size().height / 2 + beyondPx]
    return clusters.value.flatMap((cluster) => {
      const x = (cluster.at.east - base.value.east) * scale.value
      const y = (base.value.north - cluster.at.north) * scale.value
      if (Math.abs(x) > halfWidth || Math.abs(y) > halfHeight) return []
      return cluster.id === fan() ? fanMarks(cluster, { x, y }) : [markOf(cluster, { x, y })]
    })
  })
  return { marks, base, clusters }
}

function markOf({ id, at, points }: Cluster<PhotoPoint>, { x, y }: Pixels): MapMark {
  const photos = points.map(({ photo }) => photo)
  const [only] = points.length === 1 ? points : []
  const far = photos.filter(({ metersFromOthers }) => isFar(metersFromOthers)).length
  return {
    id,
    at,
    x,
    y,
    photos,
    leg: null,
    label: only === undefined ? clusterLabel(photos.length, far) : `Open ${only.label}`,
    isFar: far > 0,
    heading: only?.photo.heading ?? null,
  }
}

function clusterLabel(count: number, far: number): string {
  const note = far === 0 ? '' : `, ${far === count ? 'all' : far} far from the others`
  return `${countOf(count, 'photo')} close together${note}: show them`
}

function fanMarks({ at, points }: Cluster<PhotoPoint>, spot: Pixels): MapMark[] {
  const offsets = fanOffsets(points.length)
  return points.slice(0, offsets.length).map(({ id, photo, label }, index) => {
    const { x, y } = offsets[index] ?? { x: 0, y: 0 }
    return {
      id,
      at,
      x: spot.x + x,
      y: spot.y + y,
      photos: [photo],
      heading: photo.heading,
      label: `Open ${label}`,
      isFar: isFar(photo.metersFromOthers),
      leg: { x: -x, y: -y },
    }
  })
}

/** Directions of the arrow keys on screen. */
export const arrows: Readonly<Record<string, readonly [right: number, down: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Returns the nearest mark in a direction; what lies aside of it counts as farther away. */
export function markToward(
  marks: readonly MapMark[],
  from: MapMark,
  [right, down]: readonly [right: number, down: number],
): MapMark | undefined {
  const costOf = (mark: MapMark) => {
    const [x, y] = [mark.x - from.x, mark.y - from.y]
    const ahead = x * right + y * down
    return ahead <= 1 ? Infinity : ahead + 2 * Math.abs(x * down + y * right)
  }
  const best = marks.reduce<{ mark?: MapMark; cost: number }>(
    (found, mark) => (costOf(mark) < found.cost ? { mark, cost: costOf(mark) } : found),
    { cost: Infinity },
  )
  return best.mark
}
