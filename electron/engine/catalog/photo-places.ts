import { distancesFromOthers, toPlace, usablePlace } from '../../../shared/photo-places.ts'
import type { PhotoPlaces, PhotoPlacesQuery, PlacedPhoto } from '../../../shared/views.ts'
import type { Clock } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'
import type { Catalog, ListedPhoto } from './create-catalog.ts'
import { readFileExif } from './photo-facts.ts'
import type { ExifFacts } from './photo-metadata.ts'

export interface PhotoPlacesDeps {
  readonly store: Store
  readonly root: string
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly catalog: Pick<Catalog, 'photos'>
}

/** Time after which a call reads no further files: a few hundred from a local disk, a few dozen from a slow share. */
const readForMs = 500

/** Hides the latency of a share without slowing down downloads. */
const filesAtOnce = 8

/** Files whose EXIF is kept in memory, about 300 bytes each. */
const maxKept = 50_000

/** A file that could not be read may be back after a repair. */
const retryMs = 60_000

/** Facts of a file's EXIF that the service does not send. */
type FileFacts = Pick<ExifFacts, 'latitude' | 'longitude' | 'heading' | 'headingNorth' | 'takenAt' | 'utcOffset'>

interface Kept {
  /** Undefined for a file without EXIF, and for one that could not be read. */
  readonly facts: FileFacts | undefined
  readonly untilMs: number
}

/**
 * Returns the query for where and when photos were taken. Headings, local times, and often positions are only in the
 * files: they are read when a page needs them, and kept in memory, so that they also work beside the owner of the data
 * folder, and can never be out of date.
 */
export function createPhotoPlaces(deps: PhotoPlacesDeps): (query: PhotoPlacesQuery) => Promise<PhotoPlaces> {
  const { store, root, clock, catalog } = deps
  const kept = new Map<string, Kept>()
  const keyOf = ({ assetId, version }: ListedPhoto) => `${assetId} ${version}`
  const isKnown = (photo: ListedPhoto) => (kept.get(keyOf(photo))?.untilMs ?? 0) > clock.monotonicMs()

  async function read(photo: ListedPhoto): Promise<void> {
    const found = await readFileExif(store, root, photo.assetId).then(
      (exif) => ({ facts: exif && factsOf(exif), untilMs: Infinity }),
      () => ({ facts: undefined, untilMs: clock.monotonicMs() + retryMs }),
    )
    const key = keyOf(photo)
    kept.delete(key)
    kept.set(key, found)
    // The oldest one is the first.
    const [oldest] = kept.keys()
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
  }

  return async (query) => {
    const { photos: listed, ...names } = catalog.photos(query)
    const photos = listed.filter(({ archived }) => archived)
    const waiting = photos.filter((photo) => !isKnown(photo)).values()
    const endMs = clock.monotonicMs() + readForMs
    const readNext = async () => {
      for (const photo of waiting) {
        await read(photo)
        if (clock.monotonicMs() >= endMs) return
      }
    }
    await Promise.all(Array.from({ length: filesAtOnce }, readNext))
    return {
      ...names,
      photos: describe(photos, (photo) => kept.get(keyOf(photo))?.facts),
      notArchived: listed.length - photos.length,
      unread: [...waiting].length,
    }
  }
}

function factsOf({ latitude, longitude, heading, headingNorth, takenAt, utcOffset }: ExifFacts): FileFacts {
  return { latitude, longitude, heading, headingNorth, takenAt, utcOffset }
}

function describe(
  photos: readonly ListedPhoto[],
  factsOfFile: (photo: ListedPhoto) => FileFacts | undefined,
): PlacedPhoto[] {
  const located = photos.map((photo) => {
    const facts = factsOfFile(photo)
    const filePlace = toPlace(facts?.latitude ?? null, facts?.longitude ?? null)
    return { photo, facts, position: usablePlace(photo.place) ?? filePlace }
  })
  const distances = distancesFromOthers(located.map(({ position }) => position))
  return located.map(({ photo, facts, position }, index) => ({
    ...photo,
    position,
    metersFromOthers: distances[index] ?? null,
    heading: facts?.heading == null ? null : { degrees: facts.heading, north: facts.headingNorth },
    cameraTime: facts?.takenAt ?? null,
    utcOffset: facts?.utcOffset ?? null,
  }))
}
