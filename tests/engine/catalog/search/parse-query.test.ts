import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findTerms, findWords, makeSnippet } from '../../../../electron/engine/catalog/search/match-text.ts'
import { parseQuery } from '../../../../electron/engine/catalog/search/parse-query.ts'
import type { FoundWord } from '../../../../shared/search.ts'
import { anyCharacter } from '../../../support/any-character.ts'

const day = (year: number, month = 1, date = 1) => new Date(year, month - 1, date).toISOString()

test('words, phrases, excluded words, and filters are distinguished', () => {
  expect(parseQuery('main “service panel” -roof -"old meter" project:"Delgado residence" kind:photos,report')).toEqual({
    terms: [
      { text: 'main', isPhrase: false, isPrefix: false },
      { text: 'service panel', isPhrase: true, isPrefix: false },
    ],
    excluded: [
      { text: 'roof', isPhrase: false, isPrefix: false },
      { text: 'old meter', isPhrase: true, isPrefix: false },
    ],
    projects: ['Delgado residence'],
    statuses: [],
    kinds: ['photo', 'report'],
    before: null,
    after: null,
    missingOnly: false,
    problems: [],
  })
  expect(parseQuery('Status:Completed missing after:2026-05 before:2026-06-01 before:2027')).toMatchObject({
    terms: [],
    statuses: ['completed'],
    missingOnly: true,
    after: day(2026, 5),
    before: day(2026, 6),
  })
  expect(parseQuery('before:soon after:2026-02-30 kind:video').problems.map(({ text }) => text)).toEqual([
    'kind:video',
    'before:soon',
    'after:2026-02-30',
  ])
})

test('what means nothing special is searched for', () => {
  const texts = (query: string) => parseQuery(query).terms.map(({ text }) => text)
  expect(texts('project: color:red - -- "unclosed phrase')).toEqual(['project:', 'color:red', '-', 'unclosed phrase'])
  expect(texts('"missing" AND NOT(x* {own}:y^2')).toEqual(['missing', 'AND', 'NOT(x*', '{own}:y^2'])
})

test('more than 32 words are reported, also excluded ones', () => {
  const many = Array.from({ length: 32 }, (_, n) => `word${n}`).join(' ')
  expect(parseQuery(`${many} kind:photo`).problems).toEqual([])
  for (const next of ['attic', '-attic', '"attic fan"']) {
    const { terms, excluded, problems } = parseQuery(`${many} ${next} roof kind:photo`)
    expect([terms.length, excluded.length]).toEqual([32, 0])
    const message = `A search has at most 32 words, and the rest starts at ${next}.`
    expect(problems).toEqual([{ text: next, message }])
  }
})

test('only the last word, while it is being typed, is a prefix', () => {
  const isPrefix = (query: string) => parseQuery(query).terms.map((term) => term.isPrefix)
  expect(isPrefix('main pan')).toEqual([false, true])
  expect(isPrefix('main pan ')).toEqual([false, false])
  expect(isPrefix('main "pan"')).toEqual([false, false])
})

test('every text can be parsed, and a snippet marks what it shows', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 400 }),
    fc.string({ unit: 'grapheme', maxLength: 400 }),
  )
  fc.assert(
    fc.property(text, text, (query, document) => {
      const { terms, excluded, problems } = parseQuery(query)
      expect(terms.length + excluded.length).toBeLessThanOrEqual(32)
      expect(problems.every(({ message }) => message.endsWith('.'))).toBe(true)
      const { snippet, marks } = makeSnippet(document, terms)
      expect(snippet).not.toMatch(/\p{Cc}/u)
      expect(snippet.isWellFormed()).toBe(true)
      let last = 0
      for (const [start, end] of marks) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(end).toBeGreaterThan(start)
        last = end
      }
      expect(last).toBeLessThanOrEqual(snippet.length)
    }),
  )
})

test('a snippet is the part of a text that shows the most of what was found', () => {
  const { terms } = parseQuery('west wall inv')
  const filler = 'Nothing of interest is said here. '.repeat(20)
  const { snippet, marks } = makeSnippet(
    `The wall. ${filler}An inverter on the West wall of the garage. ${filler}`,
    terms,
  )
  expect(snippet).toMatch(/^….*An inverter on the West wall of the garage.*…$/)
  expect(marks.map(([start, end]) => snippet.slice(start, end))).toEqual(['inverter', 'West', 'wall'])
  const report = `CHECKLIST REPORT a page of 200 pages. ${filler}Service size: 200 A, and a panel. ${filler}`
  for (const query of ['200A', '200 A', '200 a']) {
    const found = makeSnippet(report, parseQuery(query).terms)
    expect(found.marks.map(([start, end]) => found.snippet.slice(start, end))).toEqual(['200 A'])
  }
  expect(makeSnippet('Main breaker 200A', parseQuery('200 A').terms).marks).toEqual([[13, 17]])
  // A word after a number may be no unit.
  expect(findTerms('12 Elm Street, 34 Elm', parseQuery('12 Elm').terms)).toEqual([
    [0, 6],
    [18, 21],
  ])
  expect(findTerms('Núñez IMG_0100.jpg', parseQuery('nunez g_01').terms)).toEqual([
    [0, 5],
    [8, 12],
  ])
})

test('long texts with many matches have a short snippet and few highlights', () => {
  const terms = parseQuery('a b').terms
  for (const piece of ['a ', ' ', 'a\u2028', '\t ', 'ab']) {
    const { snippet, marks } = makeSnippet(piece.repeat(20_000), terms)
    expect(snippet.length).toBeLessThanOrEqual(162)
    expect(marks.length).toBeLessThanOrEqual(81)
  }
  const word: FoundWord = { text: 'a '.repeat(2_048), source: 'print', box: [0, 0, 1, 1] }
  const words = Array<FoundWord>(500).fill(word)
  expect(findWords(words, Array<string>(16).fill('a a b'))).toEqual([])
  expect(findWords(words, Array<string>(16).fill('a'))).not.toEqual([])
})

test('no other part of a text shows more than its snippet', () => {
  const range = fc.record({ gap: fc.integer({ min: 1, max: 200 }), length: fc.integer({ min: 1, max: 40 }) })
  fc.assert(
    fc.property(fc.array(range, { minLength: 1, maxLength: 20 }), (ranges) => {
      const text = ranges.map(({ gap, length }) => `${'- '.repeat(gap)}${'x'.repeat(length)} `).join('')
      const { marks } = makeSnippet(`${text}${'- '.repeat(200)}`, parseQuery('x').terms)
      const found = findTerms(text, parseQuery('x').terms)
      const most = Math.max(
        ...found.map(([start]) => {
          const from = Math.max(0, start - 50)
          return found.filter((other) => other[0] >= from && other[1] <= from + 160).length
        }),
      )
      expect(marks.length).toBeGreaterThanOrEqual(most)
    }),
  )
})
