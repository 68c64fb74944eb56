import { AppError } from '../../../shared/errors.ts'
import type { PhotoFacts } from '../../../shared/views.ts'
import type { Store } from '../store/create-store.ts'
import type { ExifFacts } from './photo-metadata.ts'
import { openAsset } from './open-asset.ts'

/** EXIF is in the first 200 KB of HEIC files from phones. */
const headBytes = 256 * 1024

/** A JPEG's EXIF is a segment of at most 64 KB, in front of or behind another of that size. */
const jpegHeadBytes = 132 * 1024

/**
 * Reads facts from an archived photo's own bytes. Throws `not-found` if the asset is not an archived photo or
 * thumbnail.
 */
export async function photoFacts(store: Store, root: string, assetId: number): Promise<PhotoFacts> {
  const asset = store.assets.get(assetId)
  if (asset?.kind === 'report') throw new AppError('not-found', 'This file is not a photo.')
  const head = await readHead(store, root, { assetId, jpegBytes: headBytes })
  return await describe(head, placeOf(asset?.latitude ?? null, asset?.longitude ?? null))
}

/** Reads the EXIF of an archived photo, and no more of its file than that may need. Throws as `openAsset`. */
export async function readFileExif(store: Store, root: string, assetId: number): Promise<ExifFacts | undefined> {
  const head = await readHead(store, root, { assetId, jpegBytes: jpegHeadBytes })
  return (await loadExifReader()).readExif(head)
}

/** Most commands, and the watch, read no EXIF. */
const loadExifReader = () => import('./photo-metadata.ts')

async function readHead(
  store: Store,
  root: string,
  { assetId, jpegBytes }: { readonly assetId: number; readonly jpegBytes: number },
): Promise<Buffer> {
  const { handle, sizeBytes, mediaType } = await openAsset(store, root, assetId)
  try {
    const head = Buffer.alloc(Math.min(mediaType === 'image/jpeg' ? jpegBytes : headBytes, sizeBytes))
    const { bytesRead } = await handle.read(head, 0, head.length, 0)
    return head.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

async function describe(head: Buffer, servicePlace: PhotoFacts['servicePlace']): Promise<PhotoFacts> {
  const { readExif, readImageSize } = await loadExifReader()
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
