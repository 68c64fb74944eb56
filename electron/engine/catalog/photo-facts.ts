import { AppError } from '../../../shared/errors.ts'
import { toPlace, usablePlace } from '../../../shared/photo-places.ts'
import type { PhotoFacts } from '../../../shared/views.ts'
import type { Store } from '../store/create-store.ts'
import type { ExifFacts } from './photo-metadata.ts'
import { openAsset } from './open-asset.ts'

/** A JPEG's EXIF is a segment of at most 64 KB, in front of or behind another of that size. */
const jpegHeadBytes = 132 * 1024

/**
 * Reads facts from an archived photo's own bytes. Throws `not-found` if the asset is not an archived photo or
 * thumbnail.
 */
export async function photoFacts(store: Store, root: string, assetId: number): Promise<PhotoFacts> {
  const asset = store.assets.get(assetId)
  if (asset?.kind === 'report') throw new AppError('not-found', 'This file is not a photo.')
  const head = await readHead(store, root, { assetId, maxJpegBytes: Infinity })
  return await describe(head, toPlace(asset?.latitude ?? null, asset?.longitude ?? null))
}

/** Reads the EXIF of an archived photo, and no more of its file than that may need. Throws as `openAsset`. */
export async function readFileExif(store: Store, root: string, assetId: number): Promise<ExifFacts | undefined> {
  const head = await readHead(store, root, { assetId, maxJpegBytes: jpegHeadBytes })
  return (await loadExifReader()).readExif(head)
}

/** Most commands, and the watch, read no EXIF. */
const loadExifReader = () => import('./photo-metadata.ts')

async function readHead(
  store: Store,
  root: string,
  { assetId, maxJpegBytes }: { readonly assetId: number; readonly maxJpegBytes: number },
): Promise<Buffer> {
  const { exifHeadBytes } = await loadExifReader()
  const { handle, sizeBytes, mediaType } = await openAsset(store, root, assetId)
  try {
    const maxBytes = mediaType === 'image/jpeg' ? maxJpegBytes : Infinity
    const head = Buffer.alloc(Math.min(maxBytes, exifHeadBytes, sizeBytes))
    const { bytesRead } = await handle.read(head, 0, head.length, 0)
    return head.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

async function describe(head: Buffer, servicePlace: PhotoFacts['servicePlace']): Promise<PhotoFacts> {
  const { readExif, readImageSize } = await loadExifReader()
  const exif = readExif(head)
  const { takenAt = null, utcOffset = null, make = null, model = null, lens = null } = exif ?? {}
  const { exposureSeconds = null, fNumber = null, iso = null, focalLengthMm = null, orientation = null } = exif ?? {}
  const { latitude = null, longitude = null, altitudeMeters = null } = exif ?? {}
  const filePlace = toPlace(latitude, longitude)
  const { widthPixels = null, heightPixels = null } = readImageSize(head) ?? exif ?? {}
  const size = widthPixels === null || heightPixels === null ? null : { widthPixels, heightPixels }
  const place = usablePlace(servicePlace) ?? filePlace
  const camera = { make, model, lens, exposureSeconds, fNumber, iso, focalLengthMm, orientation }
  return { takenAt, utcOffset, ...camera, size, place, servicePlace, filePlace, altitudeMeters }
}
