import { readFile } from 'node:fs/promises'
import { deflateSync, crc32 } from 'node:zlib'
import jpeg from 'jpeg-js'

/** A deterministic JPEG of noise, which does not compress: about one byte per pixel. */
export function jpegFile(width = 64, height = 48): Buffer {
  const data = Buffer.alloc(width * height * 4)
  let state = 1
  for (let at = 0; at < data.length; at += 1) {
    // The linear congruential generator of Numerical Recipes.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    data[at] = state >>> 24
  }
  return jpeg.encode({ data, width, height }, 80).data
}

/** The JPEG with a preview in its header, as cameras write it; the preview is a JPEG with its own end marker. */
export function withPreview(image: Buffer, preview: Buffer): Buffer {
  const header = Buffer.from('Exif\0\0', 'latin1')
  const length = Buffer.alloc(2)
  length.writeUInt16BE(2 + header.length + preview.length)
  return Buffer.concat([image.subarray(0, 2), Buffer.from([0xff, 0xe1]), length, header, preview, image.subarray(2)])
}

export function pngFile(): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(1, 0)
  header.writeUInt32BE(1, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1A\n', 'latin1')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.alloc(2))), chunk('IEND')])
}

export function pdfFile(): Promise<Buffer> {
  return readFile(new URL('../../../resources/sample/reports/general.pdf', import.meta.url))
}

/** A box of the ISO media format: its length, its type, its content. */
export function box(type: string, content: Uint8Array | string = ''): Buffer {
  const bytes = Buffer.from(content as string, 'latin1')
  const head = Buffer.alloc(8, type.padStart(8), 'latin1')
  head.writeUInt32BE(8 + bytes.length)
  return Buffer.concat([head, bytes])
}

export function fileTypeBox(major: string, ...compatible: string[]): Buffer {
  return box('ftyp', `${major}\0\0\0\0${compatible.join('')}`)
}

export function webpFile(contentBytes = 100): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(4 + contentBytes)
  return Buffer.concat([Buffer.from('RIFF'), size, Buffer.from('WEBP'), Buffer.alloc(contentBytes, 'VP8 ')])
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const typed = Buffer.concat([Buffer.from(type), data])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, sum])
}
