import type { Place } from '../../../shared/domain.ts'
import { formatCount, metersPerFoot } from '../../../shared/format.ts'
import { usablePlace } from '../../../shared/photo-places.ts'
import type { PhotoFacts } from '../../../shared/views.ts'

/** Returns "47.123456, 8.654321", the format maps accept. Six decimals are a tenth of a meter. */
export function locationText({ latitude, longitude }: Place): string {
  return `${latitude.toFixed(6)}, ${longitude.toFixed(6)}`
}

/** Returns where a photo was taken, as the service and its file say; one location if they say the same. */
export function photoLocations(servicePlace: Place | null, file: Place | null): { label: string; place: Place }[] {
  const service = usablePlace(servicePlace)
  const isSame = service !== null && file !== null && locationText(service) === locationText(file)
  if (isSame) return [{ label: 'Location', place: service }]
  return [
    { label: 'Location (service)', place: service },
    { label: 'Location (photo)', place: file },
  ].flatMap(({ label, place }) => (place === null ? [] : [{ label, place }]))
}

/** Returns "1,234 ft (376 m)". */
export function altitudeText(meters: number): string {
  return `${formatCount(Math.round(meters / metersPerFoot))} ft (${formatCount(Math.round(meters))} m)`
}

/** Returns "Apple iPhone 15 Pro". The model often includes the make. */
export function cameraText({ make, model }: PhotoFacts): string | null {
  if (model === null) return make
  return make === null || model.toLowerCase().startsWith(make.toLowerCase()) ? model : `${make} ${model}`
}

/** Returns the known parts of "1/120 s · f/1.8 · ISO 50 · 4.2 mm". */
export function exposureText({ exposureSeconds, fNumber, iso, focalLengthMm }: PhotoFacts): string | null {
  const parts = [
    exposureSeconds === null
      ? null
      : exposureSeconds < 0.4
        ? `1/${Math.round(1 / exposureSeconds)} s`
        : `${rounded(exposureSeconds)} s`,
    fNumber === null ? null : `f/${rounded(fNumber)}`,
    iso === null ? null : `ISO ${Math.round(iso)}`,
    focalLengthMm === null ? null : `${rounded(focalLengthMm)} mm`,
  ].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(' · ')
}

/** Returns the displayed size: rotated by 90 degrees, width and height are swapped (EXIF orientations 5 to 8). */
export function sizeText({ size, orientation }: PhotoFacts): string | null {
  if (size === null) return null
  const { widthPixels, heightPixels } = size
  const isTurned = orientation !== null && orientation >= 5
  return isTurned ? `${heightPixels} × ${widthPixels} pixels` : `${widthPixels} × ${heightPixels} pixels`
}

/** Returns this computer's UTC offset at that time, including daylight saving: "UTC+02:00". */
export function zoneHere(iso: string): string {
  const minutes = -new Date(iso).getTimezoneOffset()
  if (Number.isNaN(minutes)) return 'UTC'
  const two = (part: number) => String(Math.floor(part)).padStart(2, '0')
  const size = Math.abs(minutes)
  return `UTC${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10)
}
