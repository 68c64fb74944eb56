import { drawPhoto } from './draw-photo.ts'
import { paddedJpeg } from './jpeg-segments.ts'
import type { SceneKind } from './scenes/scene-painters.ts'

/** Picture widths and qualities to choose from, so that the picture leaves room within the bytes asked for. */
const sizes = [
  { width: 960, quality: 82 },
  { width: 640, quality: 80 },
  { width: 480, quality: 74 },
  { width: 320, quality: 70 },
  { width: 160, quality: 55 },
  { width: 96, quality: 35 },
  { width: 48, quality: 20 },
] as const

/** The fewest bytes that a photo with its EXIF data can have, measured over all scenes and rounded up. */
export const leastPhotoBytes = 1700

/** The base picture's share of the bytes leaves room for the EXIF data and the padding's own heads. */
const exifRoom = 900

/** No scene's JPEG was seen to take fewer bytes for each pixel: what cannot fit is not drawn to find that out. */
const leastBytesPerPixel = 0.08

const bases = new Map<string, { jpeg: Buffer; width: number }>()

function basePicture(scene: SceneKind, bytes: number): { jpeg: Buffer; width: number } {
  for (const { width, quality } of sizes) {
    if (width > 48 && width * width * 0.75 * leastBytesPerPixel + exifRoom > bytes) continue
    const key = `${scene}/${width}`
    const base = bases.get(key) ?? {
      jpeg: drawPhoto({ scene, siteKey: `base/${scene}`, key, caption: null }, width, quality),
      width,
    }
    bases.set(key, base)
    if (base.jpeg.length + exifRoom <= bytes || width === 48) return base
  }
  throw new RangeError(`No picture of ${scene} fits into ${bytes} bytes`)
}

/** A photo of exactly `bytes` bytes: one picture for each scene, made different by its EXIF data and its padding. */
export function paddedPhoto(
  scene: SceneKind,
  bytes: number,
  key: string,
  exif: (width: number, height: number) => Buffer,
): Buffer {
  const { jpeg, width } = basePicture(scene, bytes)
  return paddedJpeg(jpeg, exif(width, (width * 3) / 4), bytes, key)
}

/** A thumbnail of its natural size, made different from every other by a comment segment. */
export function markedThumbnail(scene: SceneKind, key: string): Buffer {
  const name = `${scene}/thumbnail`
  const base = bases.get(name) ?? {
    jpeg: drawPhoto({ scene, siteKey: `base/${scene}`, key: `${scene}/960`, caption: null }, 240, 78),
    width: 240,
  }
  bases.set(name, base)
  // The marking segment holds 32 bytes behind a head of four.
  return paddedJpeg(base.jpeg, null, base.jpeg.length + 36, key)
}
