import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonBounds } from '../../../electron/engine/service/readers/json-bounds.ts'

const none = { marks: Infinity, depth: Infinity }

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

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

test('marks and levels of any JSON are counted, however its bytes arrive', () => {
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
        const depth = depthOf(value)
        expect(isWithin(body, { marks, depth }, pieces)).toBe(true)
        if (marks > 0) expect(isWithin(body, { ...none, marks: marks - 1 }, pieces)).toBe(false)
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
  ['a text of brackets', JSON.stringify('[{,:'.repeat(1_000_000)), true],
])('%s: %#', (_name, body, isAccepted) => {
  expect(isWithin(body, undefined, [65_536])).toBe(isAccepted)
})

test('any bytes are only counted', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1000 }), (bytes) => {
      const isAccepted = new JsonBounds().add(bytes)
      if (bytes.filter((byte) => byte === 0x5b || byte === 0x7b).length <= 64) expect(isAccepted).toBe(true)
    }),
  )
})
