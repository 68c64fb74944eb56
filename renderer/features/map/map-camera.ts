import type { LocalMeters } from '../../../shared/photo-places.ts'

/** The part of the ground on screen: north is up, and a meter has the same length in all directions. */
export interface MapCamera {
  readonly center: LocalMeters
  readonly pixelsPerMeter: number
}

export interface Pixels {
  readonly x: number
  readonly y: number
}

export interface MapSize {
  readonly width: number
  readonly height: number
}

/** Positions of phones are no better than a few meters: nothing more is seen from even closer. */
export const maxPixelsPerMeter = 50
/** The whole earth in a small map: a longitude with the wrong sign is on the other side of it. */
const minPixelsPerMeter = 0.000_003

/** One house fills the view at first, even if all of its photos were taken from one spot. */
const minFitMeters = 24

/** Maximum length of a scale bar. */
export const barPx = 120

/** Around photos that are fitted into the view, for their marks. */
const fitPaddingPx = 56

const clamp = (value: number, min: number, max: number) => Math.min(max, Math.max(min, value))

/** Returns where a point is on screen, from the top left corner. */
export function toScreen({ east, north }: LocalMeters, { center, pixelsPerMeter }: MapCamera, size: MapSize): Pixels {
  return {
    x: size.width / 2 + (east - center.east) * pixelsPerMeter,
    y: size.height / 2 - (north - center.north) * pixelsPerMeter,
  }
}

/** Returns which point is at a pixel of the screen. */
export function toGround({ x, y }: Pixels, { center, pixelsPerMeter }: MapCamera, size: MapSize): LocalMeters {
  return {
    east: center.east + (x - size.width / 2) / pixelsPerMeter,
    north: center.north - (y - size.height / 2) / pixelsPerMeter,
  }
}

/** Returns the camera that shows all points, and at least `minMeters` of the ground in each direction. */
export function fitCamera(points: readonly LocalMeters[], size: MapSize, minMeters = minFitMeters): MapCamera {
  const limits = (values: readonly number[]) => {
    const min = values.reduce((least, value) => Math.min(least, value), values[0] ?? 0)
    const max = values.reduce((most, value) => Math.max(most, value), values[0] ?? 0)
    return { middle: (min + max) / 2, length: Math.max(max - min, minMeters) }
  }
  const east = limits(points.map((point) => point.east))
  const north = limits(points.map((point) => point.north))
  const room = (pixels: number) => Math.max(pixels / 2, pixels - 2 * fitPaddingPx)
  const pixelsPerMeter = Math.min(room(size.width) / east.length, room(size.height) / north.length)
  return {
    center: { east: east.middle, north: north.middle },
    pixelsPerMeter: clamp(pixelsPerMeter, minPixelsPerMeter, maxPixelsPerMeter),
  }
}

/** Returns the camera zoomed by a factor; the ground at `anchor` stays where it is. */
export function zoomCamera(
  camera: MapCamera,
  factor: number,
  { anchor, size }: { anchor: Pixels; size: MapSize },
): MapCamera {
  const pixelsPerMeter = clamp(camera.pixelsPerMeter * factor, minPixelsPerMeter, maxPixelsPerMeter)
  const ground = toGround(anchor, camera, size)
  return {
    pixelsPerMeter,
    center: {
      east: ground.east - (anchor.x - size.width / 2) / pixelsPerMeter,
      north: ground.north + (anchor.y - size.height / 2) / pixelsPerMeter,
    },
  }
}

/** Returns the camera moved so that the ground follows a finger by these pixels. */
export function panCamera({ center, pixelsPerMeter }: MapCamera, { x, y }: Pixels): MapCamera {
  const { east, north } = center
  return { center: { east: east - x / pixelsPerMeter, north: north + y / pixelsPerMeter }, pixelsPerMeter }
}

/** Returns the camera, moved as little as needed for a point to be in view. */
export function showPoint(camera: MapCamera, point: LocalMeters, size: MapSize): MapCamera {
  const { x, y } = toScreen(point, camera, size)
  const outside = (value: number, length: number) => {
    const margin = Math.min(fitPaddingPx, length / 3)
    return clamp(value, margin, length - margin) - value
  }
  return panCamera(camera, { x: outside(x, size.width), y: outside(y, size.height) })
}

/** Returns the largest of 1, 2, and 5 times a power of ten that is at most `max`. */
export function roundStep(max: number): number {
  const power = 10 ** Math.floor(Math.log10(max))
  return [5, 2].map((step) => step * power).find((step) => step <= max) ?? power
}
