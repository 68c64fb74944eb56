import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonBounds } from '../../../electron/engine/service/readers/json-bounds.ts'

const none = { marks: Infinity, names: Infinity, members: Infinity, depth: Infinity }

/** Feeds a text in pieces of these lengths, which are repeated; returns whether it is within the limits. */
function isWithin(text: string, limits: ConstructorParameters<typeof JsonBounds>[0], pieces: readonly number[] = [1]) {
  const bounds = new JsonBounds(limits)
  const bytes = Buffer.from(text)
  for (let start = 0, index = 0; start < bytes.length; index++) {
    const length = pieces[index % pieces.length] ?? 1
    if (!bounds.add(bytes.subarray(start, start + length))) return false
    start += length
  }
  return true
}

function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? [] : Object.keys(value)
  return [...own, ...Object.values(value).flatMap(namesIn)]
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

test('marks, names, and levels of any JSON are counted, however its bytes arrive', () => {
  const text = fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ':', ',', 'a', '☀', '\n', '\u{1f600}') })
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: 'medium' },
      fc.oneof(text, fc.integer(), fc.constantFrom(null, true)),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(text, tie('json'), { maxKeys: 4 }),
    ),
  }))
  fc.assert(
    fc.property(
      json,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      fc.nat(4),
      (value, pieces, indent) => {
        const body = JSON.stringify(value, null, indent)
        const marks = body.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/[[{,:]/g)?.length ?? 0
        const names = new Set(namesIn(value).map((name) => JSON.stringify(name))).size
        const depth = depthOf(value)
        expect(isWithin(body, { ...none, marks, names, depth }, pieces)).toBe(true)
        if (marks > 0) expect(isWithin(body, { ...none, marks: marks - 1 }, pieces)).toBe(false)
        if (names > 0) expect(isWithin(body, { ...none, names: names - 1 }, pieces)).toBe(false)
        if (depth > 0) expect(isWithin(body, { ...none, depth: depth - 1 }, pieces)).toBe(false)
      },
    ),
    { numRuns: 1000 },
  )
})

test.each<[string, string, boolean]>([
  ['64 levels', `${'['.repeat(64)}${']'.repeat(64)}`, true],
  ['66 levels', `${'['.repeat(66)}${']'.repeat(66)}`, false],
  ['2,100,000 values', `[${'0,'.repeat(2_100_000)}0]`, false],
  ['2,000,000 empty objects', `[${'{},'.repeat(2_000_000)}{}]`, false],
  [
    '10,000 records of 24 fields',
    JSON.stringify(Array(10_000).fill(Object.fromEntries([...'abcdefghijklmnopqrstuvwx'].map((name) => [name, 1])))),
    true,
  ],
  [
    '20,000 records by id',
    JSON.stringify(Object.fromEntries(Array.from({ length: 19_999 }, (_, id) => [`id${id}`, { a: 1 }]))),
    true,
  ],
  [
    '12 objects of 1,900 members',
    JSON.stringify(Array(12).fill(Object.fromEntries(Array.from({ length: 1_900 }, (_, id) => [`id${id}`, 1])))),
    true,
  ],
  [
    '20 objects of 2,000 members',
    JSON.stringify(Array(20).fill(Object.fromEntries(Array.from({ length: 2_000 }, (_, id) => [`id${id}`, 1])))),
    false,
  ],
  [
    '30,000 different names',
    JSON.stringify(Object.fromEntries(Array.from({ length: 30_000 }, (_, id) => [`id${id}`, 1]))),
    false,
  ],
  ['a text of brackets', JSON.stringify('[{,:'.repeat(1_000_000)), true],
])('%s: %#', (_name, body, isAccepted) => {
  expect(isWithin(body, undefined, [65_536])).toBe(isAccepted)
})

test('names that were made to have the same FNV-1a hash are counted', () => {
  // Any two of a row have the same hash after the same start; so have all sentences that take one word of each row.
  const rows = [
    ['agub4qY', 'anagf6J', 'aolvZIf', 'aszSwpU'],
    ...Array<string[]>(3).fill(['acS0IcO', 'acWcfLp', 'adbhjKT', 'akwDUbx']),
  ]
  const sentences = rows.reduce<string[]>(
    (starts, words) => starts.flatMap((start) => words.map((word) => start + word)),
    [''],
  )
  expect(new Set(sentences.map(fnv1a)).size).toBe(1)
  expect(new Set(sentences).size).toBe(sentences.length)
  const body = JSON.stringify(Object.fromEntries(sentences.map((name) => [name, 0])))
  // Some may have the same hash by chance.
  expect(isWithin(body, { ...none, names: sentences.length / 2 }, [65_536])).toBe(false)
})

function fnv1a(text: string): number {
  return Buffer.from(text).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5 | 0)
}

test('any bytes are only counted', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1000 }), (bytes) => {
      const isAccepted = new JsonBounds().add(bytes)
      if (bytes.filter((byte) => byte === 0x5b || byte === 0x7b).length <= 64) expect(isAccepted).toBe(true)
    }),
  )
})
