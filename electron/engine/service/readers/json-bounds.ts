import { randomBytes } from 'node:crypto'
import { once } from '../../../../shared/format.ts'

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

/**
 * Maximum number of different names. The service uses some hundred; an object of records by id has one for each record.
 * A new name costs the parser far more time and memory than one that it knows.
 */
const maxNames = 20_000

/** Maximum number of members of a record: more than that are records by id. */
const maxRecordMembers = 250

/**
 * Maximum number of members, those of records apart. Each is searched for names with a meaning, which takes far longer
 * than in records, whose names are known.
 */
const maxMembers = 20_000

interface JsonLimits {
  readonly marks: number
  readonly names: number
  readonly members: number
  readonly depth: number
}

const defaultLimits: JsonLimits = { marks: maxMarks, names: maxNames, members: maxMembers, depth: maxDepth }

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Random for each process: whoever knows them can write any number of names with the same hash. */
const hashing = once(() => ({ empty: randomBytes(4).readInt32LE(), factor: randomBytes(4).readInt32LE() | 1 }))

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
  /** Hash (as FNV-1a) of the text that is being read or was read last. Names with the same hash count once. */
  #hash = hashing().empty
  readonly #names = new Set<number>()
  /** Number of members of the open object on each level. */
  readonly #recordMembers: number[] = []
  #members = 0

  constructor(limits: JsonLimits = defaultLimits) {
    this.#limits = limits
  }

  /** Takes the next bytes. Returns false once the text exceeds a limit. */
  add(bytes: Uint8Array): boolean {
    const { empty, factor } = hashing()
    // Local variables, because the loop sees every byte that the service sends.
    let [marks, depth, hash, isInText, isEscaped] = [
      this.#marks,
      this.#depth,
      this.#hash,
      this.#isInText,
      this.#isEscaped,
    ]
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index] as number
      if (isInText) {
        if (byte === quote && !isEscaped) {
          isInText = false
        } else {
          isEscaped = byte === backslash && !isEscaped
          hash = Math.imul(hash ^ byte, factor)
        }
      } else if (byte === quote) {
        isInText = true
        hash = empty
      } else if (byte === comma) {
        marks++
      } else if (byte === colon) {
        marks++
        if (this.#names.size <= this.#limits.names) this.#names.add(hash)
        const members = (this.#recordMembers[depth] ?? 0) + 1
        this.#recordMembers[depth] = members
        if (members > maxRecordMembers) this.#members++
      } else if (byte === openObject || byte === openArray) {
        marks++
        depth++
        if (depth > this.#limits.depth) return false
        this.#recordMembers[depth] = 0
      } else if (byte === closeObject || byte === closeArray) {
        if (depth > 0) depth--
      }
    }
    this.#marks = marks
    this.#depth = depth
    this.#hash = hash
    this.#isInText = isInText
    this.#isEscaped = isEscaped
    const limits = this.#limits
    return marks <= limits.marks && this.#names.size <= limits.names && this.#members <= limits.members
  }
}
