import type { IconImage } from './picture.ts'

/**
 * Types that Apple's iconutil writes for a complete icon set, with their side length in pixels. If two types have the
 * same size, one is for screens with one pixel per point and one for screens with two.
 */
export const icnsTypes = [
  ['ic04', 16],
  ['ic05', 32],
  ['ic11', 32],
  ['ic12', 64],
  ['ic07', 128],
  ['ic13', 256],
  ['ic08', 256],
  ['ic14', 512],
  ['ic09', 512],
  ['ic10', 1024],
] as const

/** Returns a macOS icon; `pictures` must include each size of `icnsTypes`. */
export function writeIcns(pictures: readonly IconImage[]): Uint8Array {
  const members = icnsTypes.map(([type, size]) => {
    const picture = pictures.find((candidate) => candidate.size === size)
    if (picture === undefined) throw new Error(`A macOS icon needs a picture of ${size} pixels.`)
    return block(type, type === 'ic04' || type === 'ic05' ? writeArgb(picture.rgba) : picture.png)
  })
  return block('icns', Buffer.concat(members))
}

/** Returns a block. Its length field includes the type and the field itself. */
function block(type: string, content: Uint8Array): Buffer {
  const header = Buffer.alloc(8)
  header.write(type, 'latin1')
  header.writeUInt32BE(header.length + content.length, 4)
  return Buffer.concat([header, content])
}

/** Encodes the two smallest types, which are not PNG: all alpha, then red, green, and blue, each run-length encoded. */
function writeArgb(rgba: Uint8Array): Uint8Array {
  const channels = [3, 0, 1, 2].map((channel) => packRuns(rgba.filter((_, at) => (at & 3) === channel)))
  return Buffer.concat([Buffer.from('ARGB', 'latin1'), ...channels])
}

/**
 * Run-length encodes a channel. A value n below 0x80: n + 1 literal bytes follow. A value n from 0x80: the next byte is
 * repeated n - 0x7d times, which is 3 to 130.
 */
function packRuns(values: Uint8Array): Buffer {
  const packed: number[] = []
  let plain: number[] = []
  const endPlain = () => {
    if (plain.length > 0) packed.push(plain.length - 1, ...plain)
    plain = []
  }
  for (let at = 0; at < values.length;) {
    const value = values[at] ?? 0
    let run = 1
    while (run < 130 && values[at + run] === value) run++
    if (run >= 3) {
      endPlain()
      packed.push(run + 0x7d, value)
      at += run
    } else {
      plain.push(value)
      if (plain.length === 128) endPlain()
      at += 1
    }
  }
  endPlain()
  return Buffer.from(packed)
}
