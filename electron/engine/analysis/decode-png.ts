import { inflateSync } from 'node:zlib'
import { UnreadableFile } from './analysis-task.ts'
import type { GrayImage } from './gray-image.ts'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Decoded bytes of an image: 16 megapixels with alpha. */
const maxBytes = 64 * 1024 * 1024

/** Samples of a pixel by color type: gray, RGB, palette, gray with alpha, RGB with alpha (W3C PNG, 11.2.1). */
const samplesOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

export function isPng(bytes: Uint8Array): boolean {
  return signature.compare(bytes.subarray(0, signature.length)) === 0
}

/**
 * Decodes the brightness of a PNG, on white. Returns `undefined` for an interlaced one. Throws `UnreadableFile` for a
 * damaged or very large one.
 */
export function decodePng(bytes: Uint8Array): GrayImage | undefined {
  const { header, palette, data } = readChunks(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const [depth = 0, colorType = 0, , , interlace] = header.subarray(8)
  const samples = samplesOf[colorType]
  if (samples === undefined || ![1, 2, 4, 8, 16].includes(depth) || width === 0 || height === 0) throw damaged()
  if (interlace !== 0) return undefined
  const rowBytes = Math.ceil((width * samples * depth) / 8)
  const length = height * (rowBytes + 1)
  if (length > maxBytes) throw new UnreadableFile('too-large')
  const rows = inflateSync(data, { maxOutputLength: length })
  if (rows.length !== length) throw damaged()
  removeFilters(rows, rowBytes, Math.max(1, (samples * depth) >> 3))
  const format = { depth, samples, shades: colorType === 3 ? palette : undefined }
  const pixels = new Uint8Array(width * height)
  for (let y = 0; y < height; y += 1) {
    const row = rows.subarray(y * (rowBytes + 1) + 1, (y + 1) * (rowBytes + 1))
    for (let x = 0; x < width; x += 1) pixels[y * width + x] = brightnessOf(row, x * samples, format)
  }
  return { width, height, pixels }
}

const damaged = () => new UnreadableFile('unreadable')

/** Returns the header, the brightness of the palette's colors, and the compressed rows. */
function readChunks(file: Buffer) {
  let header: Buffer | undefined
  let palette = new Uint8Array(0)
  const data: Buffer[] = []
  for (let at = signature.length; at + 12 <= file.length;) {
    const length = file.readUInt32BE(at)
    const type = file.toString('latin1', at + 4, at + 8)
    const chunk = file.subarray(at + 8, at + 8 + length)
    if (type === 'IHDR') header = chunk
    if (type === 'PLTE') {
      const colors = Math.min(256, Math.floor(chunk.length / 3))
      palette = Uint8Array.from({ length: colors }, (_, n) => luma(chunk, 3 * n, 1))
    }
    if (type === 'IDAT') data.push(chunk)
    at += 12 + length
  }
  if (header?.length !== 13 || data.length === 0) throw damaged()
  return { header, palette, data: Buffer.concat(data) }
}

/** Undoes the filter of each row, whose first byte names it (W3C PNG, 9.2). `step`: bytes of a pixel, at least one. */
function removeFilters(rows: Buffer, rowBytes: number, step: number): void {
  for (let start = 0; start < rows.length; start += rowBytes + 1) {
    const filter = rows[start] ?? 0
    const isFirst = start === 0
    for (let n = 1; n <= rowBytes; n += 1) {
      const at = start + n
      const left = n > step ? (rows[at - step] ?? 0) : 0
      const up = isFirst ? 0 : (rows[at - rowBytes - 1] ?? 0)
      const corner = isFirst || n <= step ? 0 : (rows[at - rowBytes - 1 - step] ?? 0)
      rows[at] = (rows[at] ?? 0) + predicted(filter, left, up, corner)
    }
  }
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  if (filter !== 4) throw damaged()
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

interface PixelFormat {
  readonly depth: number
  readonly samples: number
  /** Of the palette's colors. */
  readonly shades: Uint8Array | undefined
}

/** Returns the brightness of the pixel whose first sample is `sample`. */
function brightnessOf(row: Uint8Array, sample: number, { depth, samples, shades }: PixelFormat): number {
  if (depth < 8) {
    const most = (1 << depth) - 1
    const bit = sample * depth
    const value = ((row[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & most
    return shades === undefined ? Math.round((255 * value) / most) : (shades[value] ?? 0)
  }
  // Of 16 bits, the first eight.
  const size = depth >> 3
  const at = sample * size
  const value = samples >= 3 ? luma(row, at, size) : (row[at] ?? 0)
  if (samples % 2 === 1) return shades === undefined ? value : (shades[value] ?? 0)
  const alpha = row[at + (samples - 1) * size] ?? 255
  return Math.round(255 - ((255 - value) * alpha) / 255)
}

/** Returns the brightness of a color (ITU-R BT.601). */
function luma(bytes: Uint8Array, at: number, size: number): number {
  return (77 * (bytes[at] ?? 0) + 150 * (bytes[at + size] ?? 0) + 29 * (bytes[at + 2 * size] ?? 0)) >> 8
}
