import { placeSchema, type Place } from '../../../../shared/domain.ts'
import { parseJson } from '../../lib/parse-json.ts'
import { firstOf, isJsonObject, type JsonObject } from './json-object.ts'
import { angleWords, readAngle } from './read-angle.ts'
import { readText } from './read-scalars.ts'

const latitudeNames = ['latitude', 'lat', 'gpslatitude']
const longitudeNames = ['longitude', 'lng', 'lon', 'long', 'gpslongitude']
const latitudeRefNames = ['latituderef', 'latref', 'gpslatituderef']
const longitudeRefNames = ['longituderef', 'lngref', 'lonref', 'gpslongituderef']

/** Names of members that may contain the position. */
const holderNames = [
  'geolocation',
  'gps',
  'gpslocation',
  'gpscoordinates',
  'geo',
  'geopoint',
  'latlng',
  'latlong',
  'coords',
  'geometry',
  'position',
  'point',
  'location',
  'place',
  'exif',
  'exifdata',
  'metadata',
  'meta',
  'data',
  'value',
]

/** Nesting: a record, its EXIF block, the GPS block in it, and a point in that. */
const maxDepth = 4

/** Longer than any notation of a position; limits the searches in it. */
const maxTextLength = 200

/** Longer than the position of a photo as JSON text, EXIF block included. */
const maxJsonLength = 10_000

/**
 * Reads a GPS position: from an object with latitude and longitude under any usual name (EXIF's included), a pair
 * `[latitude, longitude]`, a GeoJSON point or feature (longitude first, RFC 7946), or text in decimal degrees, degrees
 * and minutes, WKT, `geo:`, or JSON. Numbers may be text. Returns `null` if there is none or it is not on earth.
 */
export function readPlace(value: unknown): Place | null {
  return placeIn(value, 0)
}

function placeIn(value: unknown, depth: number): Place | null {
  if (depth > maxDepth) return null
  if (Array.isArray(value)) {
    return value.length === 1 ? placeIn(value[0], depth + 1) : pairOf(value, 'latitude first')
  }
  if (isJsonObject(value)) return placeInObject(value, depth)
  return typeof value === 'string' ? placeInText(value.trim(), depth) : null
}

function placeInObject(object: JsonObject, depth: number): Place | null {
  const latitude = angleIn(object, latitudeNames, latitudeRefNames)
  const longitude = angleIn(object, longitudeNames, longitudeRefNames)
  if (latitude !== null && longitude !== null) {
    const place = placeOf(latitude, longitude)
    if (place !== null) return place
  }
  const fromCoordinates = firstOf(object, ['coordinates', 'lnglat', 'lonlat'], (coordinates) =>
    Array.isArray(coordinates) ? pairOf(coordinates, 'longitude first') : placeIn(coordinates, depth + 1),
  )
  return fromCoordinates ?? firstOf(object, holderNames, (holder) => placeIn(holder, depth + 1))
}

function angleIn(object: JsonObject, names: readonly string[], refNames: readonly string[]): number | null {
  const angle = firstOf(object, names, readAngle)
  if (angle === null) return null
  return /^\s*[SW]/i.test(firstOf(object, refNames, readText) ?? '') ? -Math.abs(angle) : angle
}

/** Reads a pair, perhaps followed by an altitude. If one value can only be a longitude, it determines the order. */
function pairOf(list: readonly unknown[], order: 'latitude first' | 'longitude first'): Place | null {
  if (list.length < 2 || list.length > 3) return null
  const [first, second] = [readAngle(list[0]), readAngle(list[1])]
  if (first === null || second === null) return null
  const [inOrder, swapped] = [placeOf(first, second), placeOf(second, first)]
  return order === 'latitude first' ? (inOrder ?? swapped) : (swapped ?? inOrder)
}

function placeInText(text: string, depth: number): Place | null {
  if (/^[[{]/.test(text)) return text.length > maxJsonLength ? null : placeIn(parseJson(text), depth + 1)
  if (text.length > maxTextLength) return null
  const wkt = /^(?:SRID=\d+;)?\s*POINT\s*Z?\s*\(\s*(\S+)\s+([^\s)]+)/i.exec(text)
  if (wkt !== null) return pairOf([wkt[1], wkt[2]], 'longitude first')
  const [first, second] = splitText(
    text
      .replace(angleWords, ' ')
      .replace(/^geo:/i, '')
      .replace(/^\((.*)\)$/, '$1'),
  )
  if (first === undefined || second === undefined) return null
  const order = /[EW]/i.test(first) && /[NS]/i.test(second) ? 'longitude first' : 'latitude first'
  return pairOf([first, second], order)
}

function splitText(text: string): readonly string[] {
  // After compass letters no comma is needed; a comma may then replace a degree sign, as in XMP.
  const compass =
    /^([^NSEW]*[NSEW])[\s,;]*([^NSEW]*[NSEW])$/i.exec(text) ?? /^([NSEW][^NSEW]*?)[\s,;]*([NSEW][^NSEW]*)$/i.exec(text)
  if (compass !== null) return compass.slice(1)
  const iso6709 = /^([+-]\d{1,2}(?:\.\d+)?)([+-]\d{1,3}(?:\.\d+)?)(?:[+-][\d.]+)?\/?$/.exec(text)
  if (iso6709 !== null) return iso6709.slice(1)
  const separated = text.split(/\s*[;,|]\s*/)
  return separated.length === 1 ? text.split(/\s+/) : separated.length <= 3 ? separated : []
}

function placeOf(latitude: number, longitude: number): Place | null {
  return placeSchema.safeParse({ latitude, longitude }).data ?? null
}
