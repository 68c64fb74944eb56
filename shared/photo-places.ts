import { placeSchema, type Place } from './domain.ts'

/**
 * Where photos were taken relative to each other. The service has no position of a site, so the other photos of a
 * checklist or project stand for it.
 */

/** Distance from the others above which a photo is reported as taken far away: more than a large lot and GPS errors. */
export const farMeters = 150

/** Offset in meters from an origin. */
export interface LocalMeters {
  readonly east: number
  readonly north: number
}

/** Cameras without a GPS fix write 0° N, 0° E ("Null Island", at sea), or next to it. */
const nullIslandDegrees = 0.001

/** Returns the position if it can be one of a photo, else null. */
export function usablePlace(place: Place | null): Place | null {
  const { data } = placeSchema.safeParse(place)
  if (data === undefined) return null
  const { latitude, longitude } = data
  const isNullIsland = Math.abs(latitude) < nullIslandDegrees && Math.abs(longitude) < nullIslandDegrees
  return isNullIsland ? null : { latitude, longitude }
}

/** Returns a position of which both coordinates are known, else null. */
export function toPlace(latitude: number | null, longitude: number | null): Place | null {
  return latitude === null || longitude === null ? null : { latitude, longitude }
}

const toRadians = Math.PI / 180

/** Returns the difference of two longitudes in degrees, at least -180 and below 180: sites may lie across the 180th. */
function eastOf(longitude: number, origin: number): number {
  return ((((longitude - origin + 180) % 360) + 360) % 360) - 180
}

/**
 * Returns the offset from `origin`, with the lengths of a degree at its latitude on the WGS 84 ellipsoid (series as in
 * "Length of a Degree of Latitude and Longitude", National Geospatial-Intelligence Agency). For a few kilometers the
 * error is below that of a phone's GPS.
 */
export function toLocalMeters({ latitude, longitude }: Place, origin: Place): LocalMeters {
  const angle = origin.latitude * toRadians
  const perLatitude = 111_132.92 - 559.82 * Math.cos(2 * angle) + 1.175 * Math.cos(4 * angle)
  const perLongitude = 111_412.84 * Math.cos(angle) - 93.5 * Math.cos(3 * angle) + 0.118 * Math.cos(5 * angle)
  return {
    east: eastOf(longitude, origin.longitude) * perLongitude,
    north: (latitude - origin.latitude) * perLatitude,
  }
}

/** Mean radius of the earth (IUGG). */
const earthMeters = 6_371_008.8

/** Returns the distance between two positions, at any distance (haversine formula). */
export function metersBetween(one: Place, other: Place): number {
  const half = (degrees: number) => Math.sin((degrees * toRadians) / 2) ** 2
  const chord =
    half(other.latitude - one.latitude) +
    Math.cos(one.latitude * toRadians) * Math.cos(other.latitude * toRadians) * half(other.longitude - one.longitude)
  return 2 * earthMeters * Math.asin(Math.sqrt(Math.min(1, chord)))
}

/** Returns the median position, latitude and longitude each for itself: one photo from elsewhere hardly moves it. */
export function medianPlace(places: readonly Place[]): Place | null {
  const [first] = places
  if (first === undefined) return null
  const middle = (values: readonly number[]) => {
    const sorted = values.toSorted((a, b) => a - b)
    const at = (index: number) => sorted[Math.floor(index)] ?? 0
    return (at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2
  }
  return {
    latitude: middle(places.map(({ latitude }) => latitude)),
    longitude: eastOf(first.longitude + middle(places.map((place) => eastOf(place.longitude, first.longitude))), 0),
  }
}

/**
 * Returns each photo's distance in meters from the median position of the others; null if it has no position, or no
 * other photo has one. If several positions are medians of the others, it is that from the nearest one: of three
 * photos, only the one that is apart from the other two is far from them.
 */
export function distancesFromOthers(places: readonly (Place | null)[]): (number | null)[] {
  const known = places.filter((place) => place !== null)
  const [first] = known
  if (first === undefined || known.length < 2) return places.map(() => null)
  const latitudes = nearestMedians(known.map(({ latitude }) => latitude))
  const longitudes = nearestMedians(known.map(({ longitude }) => eastOf(longitude, first.longitude)))
  let index = 0
  return places.map((place) => {
    if (place === null) return null
    const latitude = latitudes[index] ?? 0
    const longitude = first.longitude + (longitudes[index] ?? 0)
    index += 1
    return metersBetween(place, { latitude, longitude })
  })
}

/** Returns for each of at least two values the median of the others that is nearest to it. */
function nearestMedians(values: readonly number[]): number[] {
  const order = values.map((_, index) => index).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0))
  const others = values.length - 1
  const medians: number[] = []
  order.forEach((index, rank) => {
    const value = values[index] ?? 0
    const without = (position: number) => values[order[position < rank ? position : position + 1] ?? 0] ?? 0
    const low = without(Math.floor((others - 1) / 2))
    const high = without(Math.floor(others / 2))
    medians[index] = Math.min(high, Math.max(low, value))
  })
  return medians
}

/** Returns true for a distance from `distancesFromOthers` that deserves a warning. */
export function isFar(meters: number | null): boolean {
  return meters !== null && meters > farMeters
}
