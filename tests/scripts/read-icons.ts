import { inflateSync } from 'node:zlib'

/** Width and height in pixels, from the header. */
export function readPngSize(bytes: Buffer): number {
  if (bytes.toString('latin1', 1, 4) !== 'PNG' || bytes.toString('latin1', 12, 16) !== 'IHDR')
    throw new Error('No PNG.')
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  if (width !== height) throw new Error('The PNG is not square.')
  return width
}

/** Returns the pixels of a PNG of 8-bit RGBA without interlacing, as resvg writes it (PNG specification, section 9). */
export function readPngPixels(png: Buffer): Uint8Array {
  const stride = readPngSize(png) * 4
  if (png.toString('hex', 24, 29) !== '0806000000') throw new Error('Not 8-bit RGBA.')
  const compressed: Buffer[] = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') {
      compressed.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
    }
  }
  const lines = inflateSync(Buffer.concat(compressed))
  const pixels = new Uint8Array(stride * (stride / 4))
  for (let index = 0; index < pixels.length; index += 1) {
    const [row, column] = [Math.floor(index / stride), index % stride]
    const filter = lines[row * (stride + 1)] ?? 0
    const left = column < 4 ? 0 : (pixels[index - 4] ?? 0)
    const up = pixels[index - stride] ?? 0
    const corner = column < 4 ? 0 : (pixels[index - stride - 4] ?? 0)
    const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0
    pixels[index] = (lines[row * (stride + 1) + 1 + column] ?? 0) + predicted
  }
  return pixels
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner
  const [toLeft, toUp, toCorner] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

export interface IcoMember {
  size: number
  bytes: Buffer
  /** Pixels of a bitmap from the top row down. */
  rgba?: Uint8Array
  /** For each pixel of a bitmap, true if the mask hides it. */
  hidden?: boolean[]
}

/** Returns the images of a Windows icon. Throws if directory and members do not fill the file exactly. */
export function readIco(file: Buffer): IcoMember[] {
  if (file.readUInt32LE(0) !== 0x10000) throw new Error('No icon.')
  const count = file.readUInt16LE(4)
  let end = 6 + 16 * count
  const members = Array.from({ length: count }, (_, index) => {
    const entry = file.subarray(6 + 16 * index, 22 + 16 * index)
    if (entry.readUInt32LE(12) !== end) throw new Error(`Member ${index} does not follow the one before.`)
    const bytes = file.subarray(end, end + entry.readUInt32LE(8))
    end += bytes.length
    const size = entry.readUInt8(0) === 0 ? 256 : entry.readUInt8(0)
    return bytes.toString('latin1', 1, 4) === 'PNG' ? { size, bytes } : { size, bytes, ...readBitmap(bytes, size) }
  })
  if (end !== file.length) throw new Error('There is data after the last member.')
  return members
}

function readBitmap(bytes: Buffer, size: number) {
  const header = [bytes.readUInt32LE(0), bytes.readInt32LE(4), bytes.readInt32LE(8), bytes.readUInt16LE(14)]
  if (header.join() !== [40, size, size * 2, 32].join()) throw new Error(`The bitmap's header is ${header.join()}.`)
  const maskRowBits = Math.ceil(size / 32) * 32
  const mask = bytes.subarray(40 + size * size * 4)
  if (mask.length * 8 !== maskRowBits * size) throw new Error('The mask has another size.')
  const rgba = new Uint8Array(size * size * 4)
  const hidden: boolean[] = []
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const fileRow = size - 1 - y
      const [blue = 0, green = 0, red = 0, alpha = 0] = bytes.subarray(40 + (fileRow * size + x) * 4)
      rgba.set([red, green, blue, alpha], (y * size + x) * 4)
      const bit = fileRow * maskRowBits + x
      hidden.push(((mask[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0)
    }
  }
  return { rgba, hidden }
}

/** Returns the members of a macOS icon by type. Throws if they do not fill the file exactly. */
export function readIcns(file: Buffer): Map<string, Buffer> {
  if (file.toString('latin1', 0, 4) !== 'icns' || file.readUInt32BE(4) !== file.length) throw new Error('No icon.')
  const members = new Map<string, Buffer>()
  let at = 8
  while (at < file.length) {
    const length = file.readUInt32BE(at + 4)
    members.set(file.toString('latin1', at, at + 4), file.subarray(at + 8, at + length))
    at += length
  }
  if (at !== file.length) throw new Error('The last member reaches beyond the file.')
  return members
}

/** Returns the pixels of a macOS icon's run-length encoded member, as RGBA. */
export function readArgb(member: Buffer | undefined): Uint8Array {
  if (member?.toString('latin1', 0, 4) !== 'ARGB') throw new Error('No ARGB member.')
  const values: number[] = []
  for (let at = 4; at < member.length;) {
    const lead = member.readUInt8(at)
    if (lead < 0x80) values.push(...member.subarray(at + 1, at + 2 + lead))
    else values.push(...Array.from({ length: lead - 125 }, () => member.readUInt8(at + 1)))
    at += lead < 0x80 ? lead + 2 : 2
  }
  const pixels = values.length / 4
  return Uint8Array.from(values, (_, at) => values[((at + 1) % 4) * pixels + (at >> 2)] ?? 0)
}
