import { exifHeadBytes, readExif } from '../catalog/photo-metadata.ts'
import type { PhotoMeasures } from './analysis-task.ts'
import { decodePhoto } from './decode-photo.ts'
import { type GrayImage, reduceImage, resample } from './gray-image.ts'

/** Longer side in pixels at which sharpness is measured: about the size at which people look at a photo. */
const sharpnessSide = 1_024

/** Below this contrast, of a wall or a lens cap, the bits of a hash are noise. */
const minHashContrast = 0.04

/**
 * Measures a photo. Formats other than JPEG and PNG are not decoded, but their position is read. Throws like
 * `decodePhoto`.
 */
export function measurePhoto(bytes: Uint8Array): PhotoMeasures {
  const image = decodePhoto(bytes)
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, exifHeadBytes))
  const { latitude = null, longitude = null } = readExif(head) ?? {}
  const position = { latitude, longitude }
  if (image === undefined) return { brightness: null, contrast: null, sharpness: null, hash: null, ...position }
  const reduced = reduceImage(image, sharpnessSide)
  const { brightness, contrast } = measureTone(reduced)
  const sharpness = measureSharpness(reduced)
  const hash = contrast < minHashContrast ? null : hashImage(reduced)
  return { brightness, contrast, sharpness, hash, ...position }
}

/** Returns the mean brightness, and its standard deviation, from 0 to 1. */
function measureTone({ pixels }: GrayImage): { readonly brightness: number; readonly contrast: number } {
  let sum = 0
  let squares = 0
  for (const value of pixels) {
    sum += value
    squares += value * value
  }
  const mean = sum / pixels.length
  return { brightness: mean / 255, contrast: Math.sqrt(Math.max(0, squares / pixels.length - mean * mean)) / 255 }
}

/** Returns the variance of the Laplacian: of the differences between each pixel and its four neighbors. */
function measureSharpness({ width, height, pixels }: GrayImage): number {
  let sum = 0
  let squares = 0
  for (let y = 1; y < height - 1; y += 1) {
    for (let at = y * width + 1; at < (y + 1) * width - 1; at += 1) {
      const around =
        (pixels[at - 1] ?? 0) + (pixels[at + 1] ?? 0) + (pixels[at - width] ?? 0) + (pixels[at + width] ?? 0)
      const difference = around - 4 * (pixels[at] ?? 0)
      sum += difference
      squares += difference * difference
    }
  }
  const count = Math.max(1, (width - 2) * (height - 2))
  return Math.max(0, squares / count - (sum / count) ** 2)
}

/** Columns and rows of the comparisons of a hash. */
const hashSide = 8

/**
 * Returns a difference hash: for each field of an 8 by 8 grid, whether it is brighter than the one on its right. It is
 * the same, or differs in few bits, for a copy in another size or quality.
 */
function hashImage(image: GrayImage): string {
  if (image.width <= hashSide || image.height < hashSide) return '0'.repeat(16)
  const { width, pixels } = resample(image, hashSide + 1, hashSide)
  let hash = ''
  for (let y = 0; y < hashSide; y += 1) {
    let byte = 0
    for (let x = 0; x < hashSide; x += 1) {
      byte = (byte << 1) | Number((pixels[y * width + x] ?? 0) > (pixels[y * width + x + 1] ?? 0))
    }
    hash += byte.toString(16).padStart(2, '0')
  }
  return hash
}
