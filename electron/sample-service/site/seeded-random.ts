/** Returns four 32-bit words that depend on every character of the text (the cyrb128 construction). */
function hashWords(text: string): [number, number, number, number] {
  let a = 1779033703
  let b = 3144134277
  let c = 1013904242
  let d = 2773480762
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    a = b ^ Math.imul(a ^ code, 597399067)
    b = c ^ Math.imul(b ^ code, 2869860233)
    c = d ^ Math.imul(c ^ code, 951274213)
    d = a ^ Math.imul(d ^ code, 2716044179)
  }
  a = Math.imul(c ^ (a >>> 18), 597399067)
  b = Math.imul(d ^ (b >>> 22), 2869860233)
  c = Math.imul(a ^ (c >>> 17), 951274213)
  d = Math.imul(b ^ (d >>> 19), 2716044179)
  a ^= b ^ c ^ d
  return [a >>> 0, (b ^ a) >>> 0, (c ^ a) >>> 0, (d ^ a) >>> 0]
}

/**
 * A seeded source of random numbers (sfc32). The key names the subject, for example `42/project/3`, so that each part
 * of the sample is the same in whatever order the parts are built.
 */
export class SeededRandom {
  #a: number
  #b: number
  #c: number
  #d: number

  constructor(key: string) {
    ;[this.#a, this.#b, this.#c, this.#d] = hashWords(key)
    for (let round = 0; round < 8; round++) this.next()
  }

  /** Returns a number from 0 up to, not including, 1. */
  next(): number {
    const sum = (this.#a + this.#b + this.#d) | 0
    this.#d = (this.#d + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    return (sum >>> 0) / 4294967296
  }

  /** Returns a number from `low` up to `high`. */
  between(low: number, high: number): number {
    return low + (high - low) * this.next()
  }

  /** Returns a whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[Math.floor(this.next() * choices.length)]
    if (choice === undefined) throw new RangeError('There is nothing to pick from')
    return choice
  }
}

/**
 * Returns an id like those of the service's specification: 24 hexadecimal digits, the first eight being the time in
 * seconds.
 */
export function sampleId(key: string, createdAtMs: number): string {
  const [a, b] = hashWords(key)
  const hex = (word: number): string => word.toString(16).padStart(8, '0')
  return hex(Math.floor(createdAtMs / 1000) >>> 0) + hex(a) + hex(b)
}
