import fc from 'fast-check'
import { crc32, deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decodePhoto } from '../../../electron/engine/analysis/decode-photo.ts'

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

interface Picture {
  readonly width: number
  readonly height: number
  readonly depth: number
  readonly colorType: number
  /** Bytes of the rows, each after the number of its filter. */
  readonly rows: Uint8Array
  readonly palette?: readonly number[]
  readonly interlace?: number
}

function png({ width, height, depth, colorType, rows, palette = [], interlace = 0 }: Picture): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, depth, colorType, 0, 0, interlace])
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  const data = deflateSync(rows)
  const half = data.length >> 1
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette)),
    chunk('IDAT', data.subarray(0, half)),
    chunk('IDAT', data.subarray(half)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Filters rows as an encoder does (W3C PNG, 9.2), each with the filter of its number. */
function filterRows(rows: readonly Uint8Array[], filters: readonly number[], step: number): Buffer {
  return Buffer.concat(
    rows.map((row, y) => {
      const filter = filters[y] ?? 0
      const bytes = row.map((value, x) => {
        const [left = 0, up = 0, corner = 0] = [row[x - step], rows[y - 1]?.[x], rows[y - 1]?.[x - step]]
        const nearest = [left, up, corner].toSorted(
          (one, other) => Math.abs(left + up - corner - one) - Math.abs(left + up - corner - other),
        )[0]
        return value - ([0, left, up, (left + up) >> 1, nearest ?? 0][filter] ?? 0)
      })
      return Buffer.from([filter, ...bytes])
    }),
  )
}

const pixelsOf = (file: Uint8Array) => [...(decodePhoto(file)?.pixels ?? [])]

describe('a PNG', () => {
  it('with any filters has the pixels that were written', () => {
    const sizes = fc.record({ width: fc.integer({ min: 1, max: 9 }), height: fc.integer({ min: 1, max: 6 }) })
    fc.assert(
      fc.property(sizes, fc.infiniteStream(fc.nat(255)), fc.infiniteStream(fc.nat(4)), (size, values, filters) => {
        const { width, height } = size
        const next = () => Number(values.next().value)
        const rows = Array.from({ length: height }, () => Uint8Array.from({ length: width }, next))
        const used = rows.map(() => Number(filters.next().value))
        const gray = png({ ...size, depth: 8, colorType: 0, rows: filterRows(rows, used, 1) })
        expect(decodePhoto(gray)).toEqual({ ...size, pixels: Uint8Array.from(rows.flatMap((row) => [...row])) })
        const colored = rows.map((row) => Uint8Array.from([...row].flatMap((value) => [value, value, value])))
        const rgb = png({ ...size, depth: 8, colorType: 2, rows: filterRows(colored, used, 3) })
        expect(decodePhoto(rgb)).toEqual(decodePhoto(gray))
      }),
    )
  })

  it('of every color type has its brightness, on white', () => {
    const one = { width: 2, height: 1 }
    expect(pixelsOf(png({ ...one, depth: 1, colorType: 0, rows: Buffer.from([0, 0b0100_0000]) }))).toEqual([0, 255])
    expect(pixelsOf(png({ ...one, depth: 4, colorType: 0, rows: Buffer.from([0, 0x5f]) }))).toEqual([85, 255])
    expect(pixelsOf(png({ ...one, depth: 16, colorType: 0, rows: Buffer.from([0, 7, 99, 200, 1]) }))).toEqual([7, 199])
    const palette = [255, 255, 255, 0, 0, 255]
    expect(pixelsOf(png({ ...one, depth: 2, colorType: 3, palette, rows: Buffer.from([0, 0b0100_0000]) }))).toEqual([
      28, 255,
    ])
    expect(pixelsOf(png({ ...one, depth: 8, colorType: 4, rows: Buffer.from([0, 0, 0, 10, 255]) }))).toEqual([255, 10])
    const red = Buffer.from([0, 255, 0, 0, 255, 0, 0, 0, 128])
    expect(pixelsOf(png({ ...one, depth: 8, colorType: 6, rows: red }))).toEqual([76, 127])
  })

  it('that is damaged, very large, or interlaced is not decoded', () => {
    const usual = { width: 2, height: 2, depth: 8, colorType: 0, rows: Buffer.from([0, 1, 2, 0, 3, 4]) }
    expect(pixelsOf(png(usual))).toEqual([1, 2, 3, 4])
    expect(decodePhoto(png({ ...usual, interlace: 1 }))).toBeUndefined()
    expect(() => decodePhoto(png({ ...usual, width: 60_000, height: 60_000 }))).toThrow('too-large')
    // More than the header announces, as a bomb has.
    expect(() => decodePhoto(png({ ...usual, rows: Buffer.alloc(50_000_000) }))).toThrow('unreadable')
    // A second header, which announces what was not checked; the signature and the first one take 33 bytes.
    const large = png({ ...usual, width: 2_000, height: 2_000, rows: Buffer.alloc(2_001 * 2_000) })
    expect(decodePhoto(large)?.width).toBe(2_000)
    expect(() => decodePhoto(Buffer.concat([png(usual).subarray(0, 33), large.subarray(8)]))).toThrow('unreadable')
    expect(() => decodePhoto(png({ ...usual, rows: Buffer.from([9, 1, 2, 0, 3, 4]) }))).toThrow('unreadable')
    const whole = png(usual)
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, value) => {
        const bytes = Buffer.from(whole)
        bytes[at] = value
        for (const file of [bytes, whole.subarray(0, at)]) {
          try {
            decodePhoto(file)
          } catch (error) {
            expect(error).toBeInstanceOf(Error)
          }
        }
      }),
    )
  })
})
