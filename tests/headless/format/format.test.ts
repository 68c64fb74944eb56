import { describe, expect, test } from 'vitest'
import { countOf } from '../../../electron/headless/format/count-of.ts'
import { cutToWidth, displayWidth } from '../../../electron/headless/format/display-width.ts'
import { formatBytes } from '../../../electron/headless/format/format-bytes.ts'
import { formatDuration, formatTimeLeft } from '../../../electron/headless/format/format-duration.ts'
import { formatTable } from '../../../electron/headless/format/format-table.ts'
import { plainText } from '../../../electron/app/log/plain-text.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [1234, '1.2 kB'],
  [9949, '9.9 kB'],
  [9950, '10 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [48_200_000, '48 MB'],
  [4_200_000_000, '4.2 GB'],
  [5_000_000_000_000_000, '5000 TB'],
])('%d bytes are written %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test.each([
  [0, '0 s'],
  [420, '0.4 s'],
  [1000, '1 s'],
  [9949, '9.9 s'],
  [12_400, '12 s'],
  [59_600, '1 min'],
  [125_000, '2 min 5 s'],
  [3_599_600, '1 h'],
  [4_800_000, '1 h 20 min'],
  [100 * 3_600_000, '4 d 4 h'],
])('%d ms last %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

test.each([
  [3_000, 'less than 10 s'],
  [31_000, '40 s'],
  [50_000, '50 s'],
  [51_000, '1 min'],
  [61_000, '2 min'],
  [4_700_000, '1 h 19 min'],
])('with %d ms left, the line says %s', (ms, text) => {
  expect(formatTimeLeft(ms)).toBe(text)
})

test('counts come with their noun', () => {
  expect([0, 1, 12_345].map((count) => countOf(count, 'file'))).toEqual(['no files', '1 file', '12,345 files'])
})

describe('text of the service on a terminal', () => {
  test('cannot move the cursor, ring, or change the title', () => {
    expect(plainText('Roof\u001b[2J\u0007 \u009b31m')).toBe('Roof\uFFFD[2J\uFFFD \uFFFD31m')
  })

  test('stays on its line', () => {
    expect(plainText('Maple\r\nStreet\u2028 12\n')).toBe('Maple Street  12')
  })

  test('cannot read in another direction than it is written', () => {
    expect(plainText('photo\u202Egpj.exe')).toBe('photo\uFFFDgpj.exe')
  })

  test('keeps letters of every script', () => {
    expect(plainText('Dächer – 屋根 👩🏽‍🔧')).toBe('Dächer – 屋根 👩🏽‍🔧')
  })
})

describe('columns', () => {
  test('are counted as a terminal draws them', () => {
    expect(['Dach', 'Dächer'.normalize('NFD'), '屋根', '👩🏽‍🔧'].map(displayWidth)).toEqual([4, 6, 4, 2])
  })

  test('a text that is too wide is cut between characters', () => {
    expect(cutToWidth('Maple Street', 20)).toBe('Maple Street')
    expect(cutToWidth('Maple Street', 7)).toBe('Maple…')
    expect(cutToWidth('屋根屋根', 4)).toBe('屋…')
    expect(cutToWidth('abc', 0)).toBe('')
  })

  test('of a table are aligned', () => {
    const columns = [{ title: 'Name', maxWidth: 6 }, { title: 'Files', align: 'right' as const }, { title: '' }]
    expect(
      formatTable(columns, [
        ['Attic', '5', 'complete'],
        ['Electrical', '12', ''],
        ['屋根', '3', 'x'],
      ]),
    ).toEqual(['Name    Files', 'Attic       5  complete', 'Elect…     12', '屋根        3  x'])
  })
})
