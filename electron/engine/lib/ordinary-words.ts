/**
 * Tells what a person wrote from what a machine made: where a secret may stand, and a person's words may stand as well.
 * In doubt it is no person's: letters mixed with digits, letters of both cases within a word, and anything long are the
 * marks of tokens, keys, hashes and signatures, of which none is shorter in letters of one case alone.
 */

const longestWord = 15
const longestChunk = 24
const mostParts = 3
const longestText = 1_000

/** A date with a time has twelve. */
const mostDigits = 12

const capitals = /^[\p{Lu}\p{M}]+$/u
const letters = /^\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]*$/u
const shortNumber = /^\d{1,4}$/
const measure = /^\d{1,4}(?:[.,]\d{1,3})?(?:[x×]\d{1,4}(?:[.,]\d{1,3})?){0,2}(?:mm|cm|m|in|ft)?$/i
const marks = /^[\p{P}\p{S}]{1,2}$/u

/** What opens and closes a piece of a sentence. */
const before = /^[("'“‘[]{1,3}/
const behind = /[)"'”’\].,:;!?…]{1,3}$/

/** Between words; between digits also what dates, times and numbers have. A colon between letters joins a name and a password. */
const joint = /[-/'’&+]|(?<=\d)[.,:](?=\d)/

/** Endings of what is archived. No token has one. */
const fileEnding = /\.(?:jpe?g|png|pdf|heic|heif|webp|gif|tiff?|mp4|mov|json)$/i

/** Schemes of an Authorization header, or of what was meant as one. */
const scheme = /^\s*(?:bearer|basic|digest|token|negotiate|ntlm|hawk|api-?key|aws4\S*)(?:[\s:]|$)/i

/** Whether a text without blanks is one word, two that are joined, a measure or a mark, as in a sentence. */
export function isOrdinaryWord(chunk: string): boolean {
  if (chunk.length > longestChunk) return false
  if (marks.test(chunk)) return true
  const bare = chunk.replace(before, '').replace(behind, '')
  if (measure.test(bare)) return true
  const parts = bare.split(joint)
  return parts.length <= mostParts && parts.every(isWordOrNumber)
}

/** Whether a text without blanks is the rest of a path to one of our files, of which a folder is called by a person's words. */
export function isFilePath(chunk: string): boolean {
  const end = chunk.indexOf('/')
  return end > 0 && isOrdinaryWord(chunk.slice(0, end)) && fileEnding.test(chunk.slice(-6))
}

/** Whether a whole value reads as a person's words, not as what an Authorization header or a signed link is made of. */
export function readsAsWords(value: string): boolean {
  if (value.length > longestText || scheme.test(value)) return false
  if (!/\p{L}/u.test(value) || (value.match(/\d/g)?.length ?? 0) > mostDigits) return false
  return wordsOf(value).every(isOrdinaryWord)
}

/** The pieces between blanks. */
export function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((chunk) => chunk !== '')
}

function isWordOrNumber(part: string): boolean {
  if (shortNumber.test(part)) return true
  return part.length <= longestWord && (letters.test(part) || capitals.test(part))
}
