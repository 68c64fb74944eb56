import jpeg from 'jpeg-js'
import { JpegImage, setVerbosityLevel, VerbosityLevel } from 'pdfjs-dist/legacy/image_decoders/pdf.image_decoders.mjs'
import { PNG } from 'pngjs'
import { findPngProblem, freeSamples, turnUpright } from '../../analysis/decode-photo.ts'
import { checkFileEnd } from '../../archive/file-kind.ts'
import { exifHeadBytes, readExif, readImageSize } from '../../catalog/photo-metadata.ts'

// Warnings about damaged images do not belong on the console.
setVerbosityLevel(VerbosityLevel.ERRORS)

/** Box in which a picture of a document has to fit, in pixels, and the number of bytes that it should not exceed. */
export interface PictureLimits {
  readonly maxWidth: number
  readonly maxHeight: number
  readonly maxBytes: number
}

/** A baseline JPEG in sRGB without metadata, upright. */
export interface Picture {
  readonly jpeg: Uint8Array
  readonly width: number
  readonly height: number
}

/** Reason that there is no picture: not a JPEG or a PNG without interlacing, damaged, or with too many pixels. */
export type PictureProblem = 'format' | 'unreadable' | 'too-large'

/** Pixels of an image that is decoded: decoding takes up to nine bytes for each of them. */
const maxPixels = 50_000_000

/** Bytes that show whether a file is whole. */
const tailBytes = 64 * 1024

/** Samples in each direction that become one pixel: more show no difference. */
const samplesPerPixel = 3

/** Qualities of JPEG; below the minimum, a smaller picture shows more. */
const [maxQuality, minQuality, qualityStep] = [78, 54, 12]

/** Excess of bytes that less quality can make up for. */
const reachedByQuality = 1.7

/** Smaller pictures show nothing. */
const minSide = 96

interface RgbImage {
  readonly width: number
  readonly height: number
  /** Red, green, blue, and a fourth byte that does not count, row by row. */
  readonly pixels: Uint8Array | Uint8ClampedArray
}

/**
 * Decodes a JPEG, or a PNG that is not interlaced, turns it upright, and returns it as a JPEG that fits the limits. One
 * that cannot be below `maxBytes` is as small as is useful.
 */
export function scalePicture(bytes: Buffer, limits: PictureLimits): Picture | PictureProblem {
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8
  if (!isJpeg && bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1A\n') return 'format'
  const size = readImageSize(bytes)
  const head = bytes.subarray(0, exifHeadBytes)
  // The decoders fill up what is cut off.
  const isCut = checkFileEnd(head, bytes.subarray(-tailBytes), bytes.length) === 'cut'
  if (size === undefined || isCut) return 'unreadable'
  if (size.widthPixels * size.heightPixels > maxPixels) return 'too-large'
  const pngProblem = isJpeg ? undefined : findPngProblem(bytes)
  if (pngProblem !== undefined) return pngProblem
  try {
    const orientation = isJpeg ? (readExif(head)?.orientation ?? 1) : 1
    const box = orientation >= 5 ? { width: limits.maxHeight, height: limits.maxWidth } : boxOf(limits)
    const decoded = isJpeg ? decodeJpeg(bytes, box) : decodePng(bytes)
    const fitted = resample(decoded, sizeIn(decoded, box))
    return encode(turnUpright(fitted, orientation), limits.maxBytes)
  } catch {
    // The decoders throw errors of many kinds for bytes that are not a complete image.
    return 'unreadable'
  }
}

interface Size {
  readonly width: number
  readonly height: number
}

const boxOf = ({ maxWidth, maxHeight }: PictureLimits): Size => ({ width: maxWidth, height: maxHeight })

/** Returns the largest size with the same proportions in the box that is not larger than the original. */
function sizeIn({ width, height }: Size, box: Size): Size {
  const scale = Math.min(1, box.width / width, box.height / height)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

function decodeJpeg(bytes: Buffer, box: Size): RgbImage {
  const image = new JpegImage()
  image.parse(bytes)
  const { width, height } = sizeIn(image, {
    width: box.width * samplesPerPixel,
    height: box.height * samplesPerPixel,
  })
  const data = image.getData({ width, height, forceRGBA: true })
  freeSamples(image)
  if (data.length === width * height * 4) return { width, height, pixels: data }
  // Three components that are red, green, and blue already.
  if (data.length !== width * height * 3) throw new RangeError('A JPEG of an unknown kind')
  const withAlpha = new Uint8Array(width * height * 4)
  for (let from = 0, to = 0; from < data.length; from += 3, to += 4) {
    withAlpha.set(data.subarray(from, from + 3), to)
  }
  return { width, height, pixels: withAlpha }
}

/** Decodes a PNG on white. */
function decodePng(bytes: Buffer): RgbImage {
  const { width, height, data } = PNG.sync.read(bytes)
  for (let at = 0; at < data.length; at += 4) {
    const alpha = (data[at + 3] ?? 255) / 255
    if (alpha === 1) continue
    for (let channel = at; channel < at + 3; channel += 1) data[channel] = 255 + ((data[channel] ?? 0) - 255) * alpha
  }
  return { width, height, pixels: data }
}

/** Returns the image in a size that is not larger: each pixel is the mean of those in its place. */
function resample(image: RgbImage, size: Size): RgbImage {
  const { width, height, pixels } = image
  if (size.width === width && size.height === height) return image
  const result = new Uint8Array(size.width * size.height * 4)
  const columns = Array.from({ length: size.width + 1 }, (_, x) => Math.floor((x * width) / size.width))
  for (let y = 0, to = 0; y < size.height; y += 1) {
    const top = Math.floor((y * height) / size.height)
    const bottom = Math.max(top + 1, Math.floor(((y + 1) * height) / size.height))
    for (let x = 0; x < size.width; x += 1, to += 4) {
      const left = columns[x] ?? 0
      const right = Math.max(left + 1, columns[x + 1] ?? 0)
      let [red, green, blue] = [0, 0, 0]
      for (let v = top; v < bottom; v += 1) {
        for (let from = (v * width + left) * 4, end = (v * width + right) * 4; from < end; from += 4) {
          red += pixels[from] ?? 0
          green += pixels[from + 1] ?? 0
          blue += pixels[from + 2] ?? 0
        }
      }
      const count = (bottom - top) * (right - left)
      result[to] = red / count
      result[to + 1] = green / count
      result[to + 2] = blue / count
      result[to + 3] = 255
    }
  }
  return { ...size, pixels: result }
}

/** Encodes with less quality, and then smaller, until it fits. */
function encode(full: RgbImage, maxBytes: number): Picture {
  let image = full
  for (let quality = maxQuality; ;) {
    const { width, height, pixels } = image
    const { data } = jpeg.encode({ width, height, data: Buffer.from(pixels) }, quality)
    const longer = Math.max(width, height)
    const excess = data.length / maxBytes
    const mayLowerQuality = quality > minQuality && excess < reachedByQuality
    if (excess <= 1 || (longer <= minSide && !mayLowerQuality)) return { jpeg: data, width, height }
    if (mayLowerQuality) {
      quality -= qualityStep
      continue
    }
    // The size of a JPEG follows the number of its pixels, though not quite.
    const side = Math.max(minSide, Math.min(longer - 1, (longer / Math.sqrt(excess)) * 0.97))
    image = resample(full, sizeIn(full, { width: side, height: side }))
  }
}
