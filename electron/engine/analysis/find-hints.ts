import type { Place } from '../../../shared/domain.ts'
import { distancesFromOthers, isFar, toPlace, usablePlace } from '../../../shared/photo-places.ts'
import type { HintKind } from '../../../shared/views.ts'

/** Facts about a photo of a checklist. Measures are `null` if they could not be taken. */
export interface MeasuredPhoto {
  readonly assetId: number
  /** `null` for a photo without a question. */
  readonly questionKey: number | null
  readonly brightness: number | null
  readonly contrast: number | null
  readonly sharpness: number | null
  /** Position of the service. */
  readonly latitude: number | null
  readonly longitude: number | null
  /** Position of the file's EXIF, for photos without a usable one of the service. */
  readonly fileLatitude: number | null
  readonly fileLongitude: number | null
  /** The photo that it is a copy of, here or elsewhere; see `isCopy`. */
  readonly copyOf: number | null
}

/** A reason to look at a photo again. */
export interface NewHint {
  readonly assetId: number
  readonly kind: HintKind
  /** 0 to 1: hints of a question are listed from the highest on. */
  readonly severity: number
  readonly otherAssetId: number | null
  readonly meters: number | null
}

/**
 * Mean brightness below which a photo is very dark: of the sample's photos, the darkest, of an attic, has 0.2; a photo
 * that a phone takes in an unlit room has less than 0.08.
 */
const maxDarkness = 0.1

/** A dark photo that shows something bright, such as the lit display of a meter, has at least this contrast. */
const litContrast = 0.2

/**
 * Part of the median sharpness of the other photos of a question, below which a photo is blurred. The variance of the
 * Laplacian of the same scene falls to a tenth with a blur of four pixels, at the width of 1,024 where it is measured.
 */
const blurredPart = 0.15

/** Photos that a blurred one is compared with: with fewer, a plain wall among detailed labels would look blurred. */
const minOthers = 2

/** Sharpness of a photo that shows its subject clearly, however sharp the others are. */
const sharpEnough = 150

/** Distance in bits of 64 up to which two photos are copies of one: resized or compressed again. */
const maxCopyBits = 3

/** Distance in meters at which a photo taken far away is certainly of somewhere else. */
const elsewhereMeters = 5_000

/** Returns the hints for the photos of one checklist. They are information: completeness never depends on them. */
export function findHints(photos: readonly MeasuredPhoto[]): NewHint[] {
  const none = { otherAssetId: null, meters: null }
  const hints: NewHint[] = []
  const distances = distancesFromOthers(photos.map(placeOf))
  photos.forEach(({ assetId, brightness, contrast, copyOf }, index) => {
    if (brightness !== null && brightness < maxDarkness && (contrast ?? 0) < litContrast) {
      hints.push({ ...none, assetId, kind: 'dark', severity: 1 - brightness / maxDarkness })
    }
    if (copyOf !== null) hints.push({ ...none, assetId, kind: 'duplicate', severity: 1, otherAssetId: copyOf })
    const meters = distances[index] ?? null
    if (meters !== null && isFar(meters)) {
      hints.push({ ...none, assetId, kind: 'far', severity: Math.min(1, meters / elsewhereMeters), meters })
    }
  })
  for (const group of Map.groupBy(photos, ({ questionKey }) => questionKey).values()) hints.push(...findBlurred(group))
  return hints
}

function findBlurred(photos: readonly MeasuredPhoto[]): NewHint[] {
  const sorted = photos
    .flatMap(({ assetId, sharpness }) => (sharpness === null ? [] : [{ assetId, sharpness }]))
    .sort((a, b) => a.sharpness - b.sharpness)
  const others = sorted.length - 1
  if (others < minOthers) return []
  return sorted.flatMap(({ assetId, sharpness }, rank) => {
    const without = (position: number) => sorted[position < rank ? position : position + 1]?.sharpness ?? 0
    const limit = (blurredPart * (without(Math.floor((others - 1) / 2)) + without(Math.floor(others / 2)))) / 2
    if (sharpness >= Math.min(limit, sharpEnough)) return []
    return { assetId, kind: 'blurred', severity: 1 - sharpness / limit, otherAssetId: null, meters: null } as const
  })
}

function placeOf({ latitude, longitude, fileLatitude, fileLongitude }: MeasuredPhoto): Place | null {
  return usablePlace(toPlace(latitude, longitude)) ?? usablePlace(toPlace(fileLatitude, fileLongitude))
}

/** Returns whether two perceptual hashes of 16 hexadecimal digits are those of copies of one photo. */
export function isCopy(hash: string, other: string): boolean {
  let bits = 0
  for (let at = 0; at < hash.length; at += 4) {
    let difference = Number.parseInt(hash.slice(at, at + 4), 16) ^ Number.parseInt(other.slice(at, at + 4), 16)
    for (; difference !== 0; difference &= difference - 1) bits += 1
  }
  return bits <= maxCopyBits
}
