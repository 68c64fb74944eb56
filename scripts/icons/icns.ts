import type { Picture } from './picture.ts'

/**
 * What Apple's iconutil makes of a whole icon set: each type with its pixels a side. Types that are named twice for a
 * size are for a screen of one and of two pixels a point.
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

/** A macOS icon of one picture for each size of `icnsTypes`. */
export function writeIcns(pictures: readonly Picture[]): Uint8Array {
  const members = icnsTypes.map(([type, size]) => {
    const picture = pictures.find((candidate) => candidate.size === size)
    if (picture === undefined) throw new Error(`A macOS icon needs a picture of ${size} pixels.`)
    return block(type, type === 'ic04' || type === 'ic05' ? writeArgb(picture.rgba) : picture.png)
  })
  return block('icns', Buffer.concat(members))
}

/** Its length counts the type and itself. */
function block(type: string, content: Uint8Array): Buffer {
  const header = Buffer.alloc(8)
  header.write(type, 'latin1')
  header.writeUInt32BE(header.length + content.length, 4)
  return Buffer.concat([header, content])
}

/** The two smallest types are no PNG: all alpha, then all red, green and blue, each run-length encoded. */
function writeArgb(rgba: Uint8Array): Uint8Array {
  const channels = [3, 0, 1, 2].map((channel) => packRuns(rgba.filter((_, at) => (at & 3) === channel)))
  return Buffer.concat([Buffer.from('ARGB', 'latin1'), ...channels])
}

/** Below 0x80: that many and one bytes follow as they are. From 0x80: the next byte stands for 3 to 130 of its kind. */
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
