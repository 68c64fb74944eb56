import { JpegImage } from 'pdfjs-dist/legacy/image_decoders/pdf.image_decoders.mjs'
import { PNG } from 'pngjs'
import { exifHeadBytes, readExif, readImageSize } from '../catalog/photo-metadata.ts'
import { UnreadableFile } from './analysis-task.ts'
import type { GrayImage } from './gray-image.ts'

/** Pixels of a JPEG that is decoded: decoding takes three bytes for each of them, and as many again for a moment. */
const maxPixels = 50_000_000

/** Pixels of a PNG that is decoded: decoding takes up to nine bytes for each of them. */
const maxPngPixels = 16_000_000

const pngSignature = '\x89PNG\r\n\x1A\n'

/**
 * Decodes the brightness of a JPEG or PNG, upright as browsers show it. Returns `undefined` for other formats. Throws
 * `UnreadableFile` for a damaged or very large one.
 */
export function decodePhoto(bytes: Uint8Array): GrayImage | undefined {
  if (Buffer.from(bytes.subarray(0, 8)).toString('latin1') === pngSignature) return decodePng(Buffer.from(bytes))
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, exifHeadBytes))
  const size = readImageSize(head)
  if (size !== undefined && size.widthPixels * size.heightPixels > maxPixels) throw new UnreadableFile('too-large')
  return turnUpright(decodeBrightness(bytes), readExif(head)?.orientation ?? 1)
}

/** Decodes the brightness of a PNG, on white. Returns `undefined` for an interlaced one. */
function decodePng(bytes: Buffer): GrayImage | undefined {
  const problem = findPngProblem(bytes)
  if (problem === 'unreadable') throw new UnreadableFile(problem)
  // Width and height in the first chunk (W3C PNG, 11.2.1).
  if (bytes.readUInt32BE(16) * bytes.readUInt32BE(20) > maxPngPixels) throw new UnreadableFile('too-large')
  if (problem === 'format') return undefined
  const { width, height, data } = readPng(bytes)
  const pixels = new Uint8Array(width * height)
  for (let pixel = 0; pixel < pixels.length; pixel += 1) {
    const at = 4 * pixel
    // ITU-R BT.601.
    const luma = (77 * (data[at] ?? 0) + 150 * (data[at + 1] ?? 0) + 29 * (data[at + 2] ?? 0)) >> 8
    pixels[pixel] = Math.round(255 - ((255 - luma) * (data[at + 3] ?? 255)) / 255)
  }
  return { width, height, pixels }
}

/**
 * Returns why pngjs must not decode a PNG whose size was checked: it inflates an interlaced one without a limit, and
 * follows a second header, which may announce another size.
 */
export function findPngProblem(bytes: Buffer): 'format' | 'unreadable' | undefined {
  if (bytes.length < 33) return 'unreadable'
  // Each chunk has a length, a type, data, and a checksum (W3C PNG, 5.3); the first one is the header.
  const next = (at: number) => at + 12 + bytes.readUInt32BE(at)
  for (let at = next(8); at + 8 <= bytes.length; at = next(at)) {
    if (bytes.toString('latin1', at + 4, at + 8) === 'IHDR') return 'unreadable'
  }
  return bytes[28] === 1 ? 'format' : undefined
}

function readPng(bytes: Buffer) {
  try {
    return PNG.sync.read(bytes)
  } catch {
    throw new UnreadableFile('unreadable')
  }
}

function decodeBrightness(bytes: Uint8Array): GrayImage {
  const image = new JpegImage()
  image.parse(bytes)
  const { width, height, components } = image
  const [luma] = components
  if (luma === undefined || luma.scaleX !== 1 || luma.scaleY !== 1) throw new UnreadableFile('unreadable')
  const { output, blocksPerLine } = luma
  const pixels = new Uint8Array(width * height)
  for (let y = 0; y < height; y += 1) {
    const row = (y >> 3) * (blocksPerLine + 1) * 64 + (y & 7) * 8
    const start = y * width
    for (let x = 0; x < width; x += 1) pixels[start + x] = output[row + (x >> 3) * 64 + (x & 7)] ?? 0
  }
  freeSamples(image)
  return { width, height, pixels }
}

/**
 * Frees the samples of a decoded JPEG, two to six bytes for each pixel: V8 frees buffers some photos later, and with
 * photos of 12 megapixels a process takes 600 MB until then.
 */
export function freeSamples({ components }: JpegImage): void {
  for (const { output } of components) output.buffer.transfer(0)
}

/** A picture whose pixels have the same number of bytes each, row by row. */
interface Image {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array | Uint8ClampedArray
}

/** Turns an image as its EXIF orientation says (CIPA DC-008, 4.6.5): 1 is upright, 5 to 8 exchange width and height. */
export function turnUpright<I extends Image>(image: I, orientation: number): I | (Image & { pixels: Uint8Array }) {
  if (orientation === 1) return image
  const { width, height, pixels } = image
  const bytesPerPixel = pixels.length / (width * height)
  const isTransposed = orientation >= 5
  const [newWidth, newHeight] = isTransposed ? [height, width] : [width, height]
  const mirrorsX = [2, 3, 7, 8].includes(orientation)
  const mirrorsY = [3, 4, 6, 7].includes(orientation)
  const turned = new Uint8Array(pixels.length)
  for (let y = 0, to = 0; y < newHeight; y += 1) {
    for (let x = 0; x < newWidth; x += 1) {
      const [u, v] = isTransposed ? [y, x] : [x, y]
      const from = ((mirrorsY ? height - 1 - v : v) * width + (mirrorsX ? width - 1 - u : u)) * bytesPerPixel
      for (let byte = 0; byte < bytesPerPixel; byte += 1, to += 1) turned[to] = pixels[from + byte] ?? 0
    }
  }
  return { width: newWidth, height: newHeight, pixels: turned }
}
