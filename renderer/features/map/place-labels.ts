import { countOf, formatCount, formatDistance, metersPerFoot, metersPerMile } from '../../../shared/format.ts'
import { farMeters } from '../../../shared/photo-places.ts'
import type { PlacedPhoto } from '../../../shared/views.ts'
import { roundStep } from './map-camera.ts'

/** Returns the length of a scale bar, "20 m", "5 km". */
export function metricText(meters: number): string {
  return meters < 1000 ? `${meters} m` : `${formatCount(meters / 1000)} km`
}

/** Returns the longest round length in feet or miles up to `maxMeters`, for a scale bar. */
export function imperialStep(maxMeters: number): { readonly meters: number; readonly text: string } {
  const inMiles = maxMeters >= metersPerMile
  const unit = inMiles ? metersPerMile : metersPerFoot
  const count = roundStep(maxMeters / unit)
  return { meters: count * unit, text: `${formatCount(count)} ${inMiles ? 'mi' : 'ft'}` }
}

const directions = ['north', 'northeast', 'east', 'southeast', 'south', 'southwest', 'west', 'northwest'] as const
const shortDirections = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'] as const

const nearest = <Name>(names: readonly Name[], degrees: number) => names[Math.round(degrees / 45) % names.length]

/** Returns "facing southwest"; a compass points up to some 20 degrees past the pole, which is said. */
export function headingText({ heading }: Pick<PlacedPhoto, 'heading'>): string | null {
  if (heading === null) return null
  return `facing ${nearest(directions, heading.degrees)}${heading.north === 'magnetic' ? ' by compass' : ''}`
}

/** Returns "SW". */
export function shortHeading({ heading }: Pick<PlacedPhoto, 'heading'>): string | null {
  return heading === null ? null : (nearest(shortDirections, heading.degrees) ?? null)
}

/** Returns what is known of where a photo was taken, as one sentence part. */
export function placeText(photo: Pick<PlacedPhoto, 'position' | 'metersFromOthers' | 'heading'>): string {
  if (photo.position === null) return 'no location'
  const { metersFromOthers } = photo
  const parts = [
    metersFromOthers === null ? null : `${formatDistance(metersFromOthers)} from the others`,
    headingText(photo),
  ].filter((part) => part !== null)
  return parts.length === 0 ? 'on the map' : parts.join(', ')
}

/** The limit of `farMeters`: "490 ft (150 m)". */
export const farText = formatDistance(farMeters)

/** Returns the warning about photos that were taken far from the others. */
export function farSentence(count: number): string {
  const were = count === 1 ? 'was' : 'were'
  const belong = count === 1 ? 'it belongs' : 'they belong'
  return `${countOf(count, 'photo')} ${were} taken over ${farText} from the others. Check that ${belong} to this site.`
}

/** Returns "photo of Main panel, IMG_0107.jpg, Jun 2, 2026, 9:14 AM, 26 ft (8 m) from the others, facing south". */
export function photoLabel(
  photo: Pick<PlacedPhoto, 'question' | 'fileName' | 'position' | 'metersFromOthers' | 'heading'>,
  time: string | null,
): string {
  const { question, fileName } = photo
  const parts = [
    `photo of ${question || 'an untitled question'}`,
    fileName,
    time ?? 'no capture time',
    placeText(photo),
  ]
  return parts.join(', ')
}
