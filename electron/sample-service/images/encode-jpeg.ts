import { chrominanceSteps, huffmanCodes, huffmanTables, luminanceSteps, zigZag } from './jpeg-tables.ts'

type Codes = ReturnType<typeof huffmanCodes>

const dcCodes = [huffmanCodes(huffmanTables.luminanceDc), huffmanCodes(huffmanTables.chrominanceDc)] as const
const acCodes = [huffmanCodes(huffmanTables.luminanceAc), huffmanCodes(huffmanTables.chrominanceAc)] as const
const zigZagOrder = Uint8Array.from(zigZag)

/** The scale that the fast transform leaves in each row and column (Arai, Agui and Nakajima). */
const transformScale = [1, 1.387039845, 1.306562965, 1.175875602, 1, 0.785694958, 0.5411961, 0.275899379]

function stepsAt(quality: number, steps: readonly number[]): Uint8Array {
  const percent = quality < 50 ? 5000 / quality : 200 - quality * 2
  return Uint8Array.from(steps, (step) => Math.min(255, Math.max(1, Math.floor((step * percent + 50) / 100))))
}

function divisors(steps: Uint8Array): Float32Array {
  return Float32Array.from(steps, (step, index) => {
    const scale = (transformScale[index >> 3] ?? 1) * (transformScale[index & 7] ?? 1)
    return 1 / (step * scale * 8)
  })
}

/** Eight values, `stride` apart, through the forward transform in place. */
function transform(d: Float32Array, at: number, stride: number): void {
  const i1 = at + stride
  const i2 = i1 + stride
  const i3 = i2 + stride
  const i4 = i3 + stride
  const i5 = i4 + stride
  const i6 = i5 + stride
  const i7 = i6 + stride
  const [v0, v1, v2, v3] = [d[at] as number, d[i1] as number, d[i2] as number, d[i3] as number]
  const [v4, v5, v6, v7] = [d[i4] as number, d[i5] as number, d[i6] as number, d[i7] as number]
  const s07 = v0 + v7
  const d07 = v0 - v7
  const s16 = v1 + v6
  const d16 = v1 - v6
  const s25 = v2 + v5
  const d25 = v2 - v5
  const s34 = v3 + v4
  const d34 = v3 - v4
  const outer = s07 + s34
  const outerDifference = s07 - s34
  const inner = s16 + s25
  const turned = (s16 - s25 + outerDifference) * 0.707106781
  d[at] = outer + inner
  d[i4] = outer - inner
  d[i2] = outerDifference + turned
  d[i6] = outerDifference - turned
  const o1 = d34 + d25
  const o2 = d25 + d16
  const o3 = d16 + d07
  const z5 = (o1 - o3) * 0.382683433
  const z2 = 0.5411961 * o1 + z5
  const z4 = 1.306562965 * o3 + z5
  const z3 = o2 * 0.707106781
  const z11 = d07 + z3
  const z13 = d07 - z3
  d[i5] = z13 + z2
  d[i3] = z13 - z2
  d[i1] = z11 + z4
  d[i7] = z11 - z4
}

/** Writes codes bit by bit, with the zero byte that must follow each 255 (T.81, F.1.2.3). */
class BitWriter {
  bytes: Buffer
  length = 0
  #bits = 0
  #held = 0

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size)
  }

  write(value: number, count: number): void {
    this.#bits = (this.#bits << count) | value
    this.#held += count
    while (this.#held >= 8) {
      this.#held -= 8
      const byte = (this.#bits >> this.#held) & 255
      this.bytes[this.length++] = byte
      if (byte === 255) this.bytes[this.length++] = 0
    }
    this.#bits &= (1 << this.#held) - 1
  }

  /** Fills the last byte with ones. */
  finish(): Buffer {
    if (this.#held > 0) this.write((1 << (8 - this.#held)) - 1, 8 - this.#held)
    return this.bytes.subarray(0, this.length)
  }

  /** Makes sure that a whole block fits: 64 coefficients of at most 26 bits, each byte perhaps followed by a zero. */
  reserve(): void {
    if (this.bytes.length - this.length > 1024) return
    const larger = Buffer.allocUnsafe(this.bytes.length * 2)
    this.bytes.copy(larger, 0, 0, this.length)
    this.bytes = larger
  }
}

/** Transforms, quantises and writes one block; returns its DC value, which the next block is told against. */
function writeBlock(
  out: BitWriter,
  block: Float32Array,
  division: Float32Array,
  before: number,
  dc: Codes,
  ac: Codes,
): number {
  for (let row = 0; row < 64; row += 8) transform(block, row, 1)
  for (let column = 0; column < 8; column++) transform(block, column, 8)
  out.reserve()
  const level = Math.round((block[0] as number) * (division[0] as number))
  writeValue(out, level - before, 0, dc)
  let zeros = 0
  for (let index = 1; index < 64; index++) {
    const at = zigZagOrder[index] as number
    const scaled = (block[at] as number) * (division[at] as number)
    if (scaled > -0.5 && scaled < 0.5) {
      zeros++
      continue
    }
    for (; zeros > 15; zeros -= 16) out.write(ac.codes[0xf0] as number, ac.lengths[0xf0] as number)
    writeValue(out, Math.round(scaled), zeros, ac)
    zeros = 0
  }
  if (zeros > 0) out.write(ac.codes[0] as number, ac.lengths[0] as number)
  return level
}

/** A run of zeros and a value: the code of the run and the value's size, then the value's bits. */
function writeValue(out: BitWriter, value: number, zeros: number, table: Codes): void {
  const size = 32 - Math.clz32(value < 0 ? -value : value)
  const symbol = (zeros << 4) | size
  out.write(table.codes[symbol] as number, table.lengths[symbol] as number)
  if (size > 0) out.write(value < 0 ? value + (1 << size) - 1 : value, size)
}

function header(width: number, height: number, steps: readonly [Uint8Array, Uint8Array]): Buffer {
  const segment = (marker: number, ...parts: readonly Uint8Array[]): Buffer => {
    const payload = Buffer.concat(parts)
    return Buffer.concat([Buffer.from([0xff, marker, (payload.length + 2) >> 8, (payload.length + 2) & 255]), payload])
  }
  const byte = (...values: number[]): Buffer => Buffer.from(values)
  const zigZagged = (table: Uint8Array): Buffer => Buffer.from(zigZag.map((at) => table[at] ?? 1))
  const { luminanceDc, luminanceAc, chrominanceDc, chrominanceAc } = huffmanTables
  const huffman = [luminanceDc, luminanceAc, chrominanceDc, chrominanceAc].flatMap((table, index) => [
    byte([0x00, 0x10, 0x01, 0x11][index] ?? 0),
    table.counts,
    table.symbols,
  ])
  const frame = byte(8, height >> 8, height & 255, width >> 8, width & 255, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1)
  return Buffer.concat([
    byte(0xff, 0xd8),
    segment(0xdb, byte(0), zigZagged(steps[0]), byte(1), zigZagged(steps[1])),
    segment(0xc0, frame),
    segment(0xc4, ...huffman),
    segment(0xda, byte(3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0)),
  ])
}

/**
 * Encodes RGBA pixels as a baseline JPEG with halved colour resolution (4:2:0), about three times as fast as jpeg-js.
 * The picture has neither JFIF nor EXIF data. Quality is 1 to 100 as usual.
 */
export function encodeJpeg(pixels: Uint8ClampedArray, width: number, height: number, quality: number): Buffer {
  const steps = [stepsAt(quality, luminanceSteps), stepsAt(quality, chrominanceSteps)] as const
  const division = [divisors(steps[0]), divisors(steps[1])] as const
  const out = new BitWriter(Math.max(4096, Math.round(width * height * 0.3)))
  const brightness = Array.from({ length: 4 }, () => new Float32Array(64))
  const blue = new Float32Array(64)
  const red = new Float32Array(64)
  let [yBefore, blueBefore, redBefore] = [0, 0, 0]
  for (let top = 0; top < height; top += 16) {
    for (let left = 0; left < width; left += 16) {
      blue.fill(0)
      red.fill(0)
      for (let row = 0; row < 16; row++) {
        const line = Math.min(top + row, height - 1) * width
        for (let column = 0; column < 16; column++) {
          const x = left + column
          const at = (line + (x < width ? x : width - 1)) * 4
          const r = pixels[at] as number
          const g = pixels[at + 1] as number
          const b = pixels[at + 2] as number
          const block = brightness[((row >> 3) << 1) | (column >> 3)] as Float32Array
          block[((row & 7) << 3) | (column & 7)] = 0.299 * r + 0.587 * g + 0.114 * b - 128
          const small = ((row >> 1) << 3) | (column >> 1)
          blue[small] = (blue[small] as number) + (-0.168736 * r - 0.331264 * g + 0.5 * b) * 0.25
          red[small] = (red[small] as number) + (0.5 * r - 0.418688 * g - 0.081312 * b) * 0.25
        }
      }
      for (const block of brightness) yBefore = writeBlock(out, block, division[0], yBefore, dcCodes[0], acCodes[0])
      blueBefore = writeBlock(out, blue, division[1], blueBefore, dcCodes[1], acCodes[1])
      redBefore = writeBlock(out, red, division[1], redBefore, dcCodes[1], acCodes[1])
    }
  }
  return Buffer.concat([header(width, height, steps), out.finish(), Buffer.from([0xff, 0xd9])])
}
