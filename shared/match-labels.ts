/** The labels of a question. */
export interface Labels {
  readonly section: string
  readonly question: string
}

/** Characters and words of a label that are compared: far more than any label that a person wrote. */
const [maxRead, maxWords] = [400, 60]

/** Returns the words of a text: letters and digits in lower case without accents, and `*` if `wild` is true. */
function wordsOf(text: string, wild = false): string[] {
  const plain = text
    .slice(0, maxRead)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  const words = plain.split(wild ? /[^\p{L}\p{N}*]+/u : /[^\p{L}\p{N}]+/u)
  return words.filter((word) => word !== '').slice(0, maxWords)
}

interface Pattern {
  readonly wanted: readonly string[]
  readonly excluded: readonly string[]
}

/** Returns a pattern, or null if it has no word that a question must have. */
function parsePattern(text: string): Pattern | null {
  const tokens = text.split(/\s+/u)
  const words = (isExcluded: boolean) =>
    tokens
      .filter((token) => token.startsWith('-') === isExcluded)
      .flatMap((token) => wordsOf(token, true))
      .filter((word) => /[^*]/.test(word))
  const wanted = words(false)
  return wanted.length === 0 ? null : { wanted, excluded: words(true) }
}

/** Returns whether a text is a pattern; see `createMatcher`. */
export function isPattern(text: string): boolean {
  return parsePattern(text) !== null
}

/**
 * Returns a predicate: true if the labels of a question match one of the patterns. A pattern is words that all have to
 * be in the labels of the question and its section, in any order, whatever their case and accents; `*` in a word stands
 * for any letters, and a word after `-` must not be there. The time is linear in the labels, whatever the pattern.
 */
export function createMatcher(patterns: readonly string[]): (labels: Labels) => boolean {
  const parsed = patterns.flatMap((pattern) => parsePattern(pattern) ?? [])
  return ({ section, question }) => {
    const words = new Set([...wordsOf(question), ...wordsOf(section)])
    const has = (word: string) =>
      word.includes('*') ? [...words].some((candidate) => matchesWord(word, candidate)) : words.has(word)
    return parsed.some(({ wanted, excluded }) => wanted.every(has) && !excluded.some(has))
  }
}

/** Returns whether a word has the parts between the asterisks in their order, the first and last ones at its ends. */
function matchesWord(pattern: string, word: string): boolean {
  const parts = pattern.split('*')
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  if (word.length < first.length + last.length || !word.startsWith(first) || !word.endsWith(last)) return false
  const end = word.length - last.length
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = word.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
