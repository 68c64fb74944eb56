import type { IconImage } from './picture.ts'

const headerBytes = 6
const entryBytes = 16
const bitmapHeaderBytes = 40

/**
 * Returns a Windows icon of pictures of at most 256 pixels. Those of 256 are stored as PNG, smaller ones as bitmaps,
 * because installers and old dialogs of Windows cannot read small PNGs. Format: ICONDIR, ICONDIRENTRY, and
 * BITMAPINFOHEADER in the Windows documentation.
 */
export function writeIco(pictures: readonly IconImage[]): Uint8Array {
  const members = pictures.map((picture) => ({
    size: picture.size,
    bytes: picture.size === 256 ? Buffer.from(picture.png) : writeBitmap(picture),
  }))
  const directory = Buffer.alloc(headerBytes + entryBytes * members.length)
  directory.writeUInt16LE(1, 2)
  directory.writeUInt16LE(members.length, 4)
  let offset = directory.length
  for (const [index, { size, bytes }] of members.entries()) {
    const entry = headerBytes + entryBytes * index
    // One byte per dimension; 0 stands for 256.
    directory.writeUInt8(size % 256, entry)
    directory.writeUInt8(size % 256, entry + 1)
    directory.writeUInt16LE(1, entry + 4)
    directory.writeUInt16LE(32, entry + 6)
    directory.writeUInt32LE(bytes.length, entry + 8)
    directory.writeUInt32LE(offset, entry + 12)
    offset += bytes.length
  }
  return Buffer.concat([directory, ...members.map(({ bytes }) => bytes)])
}

/**
 * Returns a bitmap without a file header: BGRA from the bottom row up, then one bit per pixel that marks full
 * transparency.
 */
function writeBitmap({ size, rgba }: IconImage): Buffer {
  // Each row of the mask is padded to a multiple of four bytes.
  const maskRowBytes = Math.ceil(size / 32) * 4
  const mask = bitmapHeaderBytes + size * size * 4
  const bytes = Buffer.alloc(mask + maskRowBytes * size)
  bytes.writeUInt32LE(bitmapHeaderBytes, 0)
  bytes.writeInt32LE(size, 4)
  // Height of the colors and the mask together.
  bytes.writeInt32LE(size * 2, 8)
  bytes.writeUInt16LE(1, 12)
  bytes.writeUInt16LE(32, 14)
  bytes.writeUInt32LE(bytes.length - bitmapHeaderBytes, 20)
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const from = ((size - 1 - row) * size + column) * 4
      const [red = 0, green = 0, blue = 0, alpha = 0] = rgba.subarray(from, from + 4)
      bytes.set([blue, green, red, alpha], bitmapHeaderBytes + (row * size + column) * 4)
      const maskByte = mask + row * maskRowBytes + (column >> 3)
      if (alpha === 0) bytes.writeUInt8(bytes.readUInt8(maskByte) | (0x80 >> (column & 7)), maskByte)
    }
  }
  return bytes
}
