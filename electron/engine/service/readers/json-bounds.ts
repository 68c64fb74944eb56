/**
 * Maximum nesting of an answer. A form of sections, groups, and follow-up questions has about a dozen levels, each
 * worth two of JSON.
 */
export const maxDepth = 64

/**
 * Maximum number of brackets, commas, and colons outside texts: a member of an object has two. Enough for ten thousand
 * records with two dozen fields each; parsed, these take some 50 MB.
 */
const maxMarks = 500_000

interface JsonLimits {
  readonly marks: number
  readonly depth: number
}

const defaultLimits: JsonLimits = { marks: maxMarks, depth: maxDepth }

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Bounds a JSON text while its bytes arrive: a few bytes can demand a hundred times their size once they are parsed.
 * The parser decides if it is JSON at all.
 */
export class JsonBounds {
  readonly #limits: JsonLimits
  #marks = 0
  #depth = 0
  #isInText = false
  #isEscaped = false

  constructor(limits: JsonLimits = defaultLimits) {
    this.#limits = limits
  }

  /** Takes the next bytes. Returns false once the text exceeds a limit. */
  add(bytes: Uint8Array): boolean {
    // Local variables, because the loop sees every byte that the service sends.
    let [marks, depth, isInText, isEscaped] = [this.#marks, this.#depth, this.#isInText, this.#isEscaped]
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index] as number
      if (isInText) {
        if (byte === quote && !isEscaped) isInText = false
        else isEscaped = byte === backslash && !isEscaped
      } else if (byte === quote) {
        isInText = true
      } else if (byte === comma || byte === colon) {
        marks++
      } else if (byte === openObject || byte === openArray) {
        marks++
        depth++
        if (depth > this.#limits.depth) return false
      } else if (byte === closeObject || byte === closeArray) {
        if (depth > 0) depth--
      }
    }
    this.#marks = marks
    this.#depth = depth
    this.#isInText = isInText
    this.#isEscaped = isEscaped
    return marks <= this.#limits.marks
  }
}
