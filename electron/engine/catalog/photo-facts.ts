import { AppError } from '../../../shared/errors.ts'
import type { PhotoFacts } from '../../../shared/views.ts'
import type { Store } from '../store/create-store.ts'
import { readExif, readImageSize } from './photo-metadata.ts'
import { openAsset } from './open-asset.ts'

/** EXIF is in the first 64 KB of a JPEG by its format, and in the first 200 KB of HEIC files from phones. */
const headBytes = 256 * 1024

/**
 * Reads facts from an archived photo's own bytes. Throws `not-found` if the asset is not an archived photo or
 * thumbnail.
 */
export async function photoFacts(store: Store, root: string, assetId: number): Promise<PhotoFacts> {
  const asset = store.assets.get(assetId)
  if (asset?.kind === 'report') throw new AppError('not-found', 'This file is not a photo.')
  const { handle, sizeBytes } = await openAsset(store, root, assetId)
  const head = Buffer.alloc(Math.min(headBytes, sizeBytes))
  try {
    const { bytesRead } = await handle.read(head, 0, head.length, 0)
    return describe(head.subarray(0, bytesRead), placeOf(asset?.latitude ?? null, asset?.longitude ?? null))
  } finally {
    await handle.close()
  }
}

function describe(head: Buffer, servicePlace: PhotoFacts['servicePlace']): PhotoFacts {
  const exif = readExif(head)
  const filePlace = placeOf(exif?.latitude ?? null, exif?.longitude ?? null)
  const { widthPixels = null, heightPixels = null } = readImageSize(head) ?? exif ?? {}
  return {
    takenAt: exif?.takenAt ?? null,
    utcOffset: exif?.utcOffset ?? null,
    make: exif?.make ?? null,
    model: exif?.model ?? null,
    lens: exif?.lens ?? null,
    exposureSeconds: exif?.exposureSeconds ?? null,
    fNumber: exif?.fNumber ?? null,
    iso: exif?.iso ?? null,
    focalLengthMm: exif?.focalLengthMm ?? null,
    orientation: exif?.orientation ?? null,
    size: widthPixels === null || heightPixels === null ? null : { widthPixels, heightPixels },
    place: servicePlace ?? filePlace,
    servicePlace,
    filePlace,
    altitudeMeters: exif?.altitudeMeters ?? null,
  }
}

function placeOf(latitude: number | null, longitude: number | null): PhotoFacts['place'] {
  return latitude === null || longitude === null ? null : { latitude, longitude }
}
