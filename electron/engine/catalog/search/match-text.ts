import type { FoundWord } from '../../../../shared/search.ts'
import type { Term } from './parse-query.ts'

/** A word of a text, as the index has it, and where it is. */
export interface Token {
  /** In lower case, without diacritics. */
  readonly word: string
  readonly start: number
  readonly end: number
}

/** Returns the words of a text as the tokenizer `unicode61` finds them. */
export function tokensOf(text: string): Token[] {
  return [...text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].flatMap(({ 0: found, index }) => {
    const word = fold(found)
    return word === '' ? [] : [{ word, start: index, end: index + found.length }]
  })
}

/** Returns a text in lower case and without diacritics. */
export function fold(text: string): string {
  // Most words are ASCII, for which the rest would take ten times as long.
  if (/^[a-z0-9]+$/i.test(text)) return text.toLowerCase()
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/** Half-open range of a text, in UTF-16 code units. */
type Range = [start: number, end: number]

/** Texts that are longer are searched for what to show only up to here: pages of reports are shorter. */
const maxSearched = 20_000

/**
 * Returns where terms are found in the first 20,000 characters of a text: whole words, words that start as the last
 * term, and identifiers. The ranges are in order and do not overlap.
 */
export function findTerms(longText: string, terms: readonly Term[]): Range[] {
  const text = longText.slice(0, maxSearched)
  const tokens = tokensOf(text)
  const lower = text.toLowerCase()
  const find = (term: Term) => {
    const words = tokensOf(term.text).map(({ word }) => word)
    return wordsIn(tokens, words, term.isPrefix && [...(words.at(-1) ?? '')].length >= minPrefix)
  }
  const amounts = terms.flatMap((_, at) => amountAt(terms, at) ?? [])
  const shown = amounts
    .map((amount) => ({ ...amount, found: [amount.joined, amount.spaced].flatMap(find) }))
    .filter(({ found }) => found.length > 0)
  // Numbers and short units are everywhere. A longer unit may be an ordinary word: "12 Elm".
  const isOnlyShown = (term: Term) =>
    !/^\p{L}{3}/u.test(term.text) && shown.some((amount) => amount.terms.includes(term))
  const rest = terms.filter((term) => !isOnlyShown(term))
  const ranges = rest.flatMap((term): Range[] => {
    const found = find(term)
    // Changing the case may change the length of a text.
    if (found.length > 0 || !isPart(term) || lower.length !== text.length) return found
    return partsIn(lower, term.text.toLowerCase())
  })
  return merge([...shown.flatMap(({ found }) => found), ...ranges])
}

/** A prefix of one letter would match a large part of all words, which is slow and helps nobody. */
export const minPrefix = 2

/** A number with its unit, which match with and without the space between them: "200A", "7.6 kWh". */
interface Amount {
  /** One term, or two. */
  readonly terms: readonly Term[]
  readonly joined: Term
  readonly spaced: Term
}

/** A unit may be followed by a sign, as at the end of a sentence. */
const numberWithUnit = /^(\d+(?:[.,]\d+)*) ?(\p{L}{1,4})[.,]?$/u

/** Returns the number with its unit that starts at a term of a query, or `undefined` if none does. */
export function amountAt(terms: readonly Term[], at: number): Amount | undefined {
  for (const used of [terms.slice(at, at + 1), terms.slice(at, at + 2)]) {
    const last = used.at(-1)
    const [, number, unit] = numberWithUnit.exec(used.map(({ text }) => text).join(' ')) ?? []
    if (last === undefined || unit === undefined || used.some(({ isPhrase }) => isPhrase)) continue
    const spell = (space: string): Term => ({ ...last, text: `${number}${space}${unit}` })
    return { terms: used, joined: spell(''), spaced: spell(' ') }
  }
  return undefined
}

function wordsIn(tokens: readonly Token[], words: readonly string[], isPrefix: boolean): Range[] {
  if (words.length === 0) return []
  return tokens.flatMap((token, index): Range[] => {
    const matches = words.every((word, offset) => {
      const other = tokens[index + offset]?.word
      return isPrefix && offset === words.length - 1 ? other?.startsWith(word) : other === word
    })
    return matches ? [[token.start, tokens[index + words.length - 1]?.end ?? token.end]] : []
  })
}

function partsIn(text: string, part: string): Range[] {
  const ranges: Range[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length))
    ranges.push([at, at + part.length])
  return ranges
}

/** Returns whether a term is long enough to be found within an identifier: three characters. */
export function isPart({ text }: Term): boolean {
  return [...text].length >= 3
}

function merge(ranges: readonly Range[]): Range[] {
  const merged: Range[] = []
  for (const [start, end] of ranges.toSorted((one, other) => one[0] - other[0] || one[1] - other[1])) {
    const last = merged.at(-1)
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged
}

/** Returns the words on a photo with any of the texts, which may go over several words; see `findTerms`. */
export function findWords(words: readonly FoundWord[], texts: readonly string[]): FoundWord[] {
  let whole = ''
  const starts = words.map((word) => {
    const start = whole.length
    whole += `${word.text} `
    return start
  })
  const ranges = findTerms(
    whole,
    texts.map((text) => ({ text, isPhrase: true, isPrefix: false })),
  )
  return words.filter((word, index) => {
    const start = starts[index] ?? 0
    return ranges.some(([from, to]) => from < start + word.text.length && to > start)
  })
}

/** Maximum length of a snippet, and of the text before what was found, in characters. */
const maxSnippet = 160
const maxBefore = 50

export interface Snippet {
  readonly snippet: string
  readonly marks: Range[]
}

/**
 * Returns one line of a text with what was found, or with its beginning. Where a short text has several lines, the line
 * with most of what was found is shown.
 */
export function makeSnippet(text: string, terms: readonly Term[]): Snippet {
  const whole = text.slice(0, maxSearched).toWellFormed()
  const lines = whole.split(/[\n\r\u2028\u2029]+/).filter((line) => line.trim() !== '')
  const candidates = whole.length <= 2 * maxSnippet && lines.length > 1 ? lines : [whole]
  const found = candidates
    .map((line) => line.replace(/[\p{Cc}\p{Zs}\u2028\u2029]+/gu, ' ').trim())
    .map((line) => ({ line, ranges: findTerms(line, terms) }))
  const best = found.reduce(
    (one, other) => (other.ranges.length > one.ranges.length ? other : one),
    found[0] ?? { line: '', ranges: [] },
  )
  return cut(best.line, best.ranges)
}

/** Returns the part of a line that shows the most of what was found. */
function cut(line: string, ranges: readonly Range[]): Snippet {
  if (line.length <= maxSnippet) return { snippet: line, marks: ranges.map(([start, end]): Range => [start, end]) }
  const from = wordStart(line, fullestPart(ranges))
  const to = wordEnd(line, Math.min(line.length, from + maxSnippet), from)
  const before = from > 0 ? '…' : ''
  const snippet = `${before}${line.slice(from, to).trimEnd()}${to < line.length ? '…' : ''}`
  const marks = ranges
    .map(([start, end]): Range => [Math.max(start, from) - from, Math.min(end, to) - from])
    .filter(([start, end]) => start < end)
    .map(([start, end]): Range => [start + before.length, end + before.length])
  return { snippet, marks }
}

/** Returns the start of the part of a line with the most ranges, the first such part. */
function fullestPart(ranges: readonly Range[]): number {
  const starts = ranges.map(([start]) => Math.max(0, start - maxBefore))
  let [fullest, most] = [starts[0] ?? 0, 0]
  // The ranges of a part: from `first` up to `next`. Both only grow.
  let [first, next] = [0, 0]
  for (const from of starts) {
    while ((ranges[first]?.[0] ?? from) < from) first += 1
    while ((ranges[next]?.[1] ?? Infinity) <= from + maxSnippet) next += 1
    if (next - first > most) [fullest, most] = [from, next - first]
  }
  return fullest
}

/** Returns the start of the word at or after a position, unless it is far away. */
function wordStart(line: string, at: number): number {
  if (at === 0 || line[at - 1] === ' ') return at
  const space = line.indexOf(' ', at)
  if (space >= 0 && space - at < 20) return space + 1
  return isLowSurrogate(line, at) ? at + 1 : at
}

function wordEnd(line: string, at: number, from: number): number {
  if (at === line.length) return at
  const space = line.lastIndexOf(' ', at)
  if (space > from && at - space < 20) return space
  return isLowSurrogate(line, at) ? at - 1 : at
}

const isLowSurrogate = (line: string, at: number) => /[\uDC00-\uDFFF]/.test(line[at] ?? '')
