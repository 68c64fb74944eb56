import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { readTable } from '../../electron/engine/lib/read-table.ts'
import { batchResultCsv } from '../../electron/engine/orders/batch-csv.ts'
import { csvText } from '../../shared/csv.ts'
import { anyCharacter } from '../support/any-character.ts'

/** Characters that a spreadsheet may separate cells at, whatever the file's own separator is. */
const separators = [',', ';', '\t', '|'] as const

/**
 * Returns the cells that a spreadsheet reads from a line, and those that one reads which ignores quotation marks.
 */
function cellsOf(csv: string): string[] {
  return separators.flatMap((delimiter) => {
    const rules = { delimiter, relax_quotes: true, relax_column_count: true }
    const naive = csv.split(new RegExp(`[\\r\\n${delimiter}]`))
    return [...quotedCells(csv, rules), ...naive.map((cell) => cell.replace(/^"+/, ''))]
  })
}

function quotedCells(csv: string, rules: { readonly delimiter: string }): string[] {
  try {
    return parse(csv, rules).flat()
  } catch {
    return []
  }
}

const startsFormula = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u

function expectInert(cells: readonly string[]): void {
  const csv = csvText([cells])
  expect(
    cellsOf(csv).filter((cell) => startsFormula.test(cell)),
    JSON.stringify(csv),
  ).toEqual([])
  expect(csv.replace(/\r\n$/, '')).not.toMatch(/\p{Cc}/u)
}

describe('a written table', () => {
  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(1)',
    '＝1+1',
    ' =1',
    '\u00A0=1',
    '\uFEFF=1',
    '\u200B=1',
    '"=1"',
    '""=1',
    "'=1",
    '\0=1+1',
    '\u0001\u007F=1',
    '\t=1',
    '\r\n=1',
    'a;=1',
    'a; =1',
    'a|=1',
    'a\t=1',
    'a\n=1',
    'a;\0=1',
    'x;"=1+1;',
    'a;"";=1',
    'a;;=1',
    '|-1',
    'O;’=1',
    '=HYPERLINK("https://x.example";"a")',
    `=cmd|'/C calc'!A0`,
  ])('starts no formula with %j in any cell, however it is separated', (text) => {
    expectInert([text])
    expectInert(['p1', text, 'end'])
  })

  const part = fc.constantFrom(...'=+-@;|\t"\'\0\r\n\u0085\u200B\uFEFF ab1,＝'.split(''))
  const text = fc.oneof(
    fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: anyCharacter, maxLength: 30 }),
  )

  test('starts no formula with any text', () => {
    // The file's own separator, which every import knows, is in quotation marks.
    const withoutCommas = text.map((one) => one.replaceAll(',', ''))
    fc.assert(
      fc.property(fc.array(withoutCommas, { minLength: 1, maxLength: 5 }), (cells) => expectInert(cells)),
      { numRuns: 1000 },
    )
  })

  test('is read again with every value, but without control characters', async () => {
    const plain = (one: string) => Buffer.from(one.replace(/[\t\r\n]+/g, ' ').replace(/\p{Cc}/gu, '')).toString()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 5 }), async (rows) => {
        const row = { line: 2, projectId: 'p1', outcome: 'placed', serviceId: 'x', status: null, message: 'x' } as const
        const results = rows.map(([projectName, homeownerName]) => ({ ...row, projectName, homeownerName }))
        const read = await readTable(batchResultCsv(results), 10)
        expect(read.slice(1).map(({ cells }) => cells.slice(2, 4))).toEqual(rows.map((texts) => texts.map(plain)))
      }),
      { numRuns: 300 },
    )
  })

  test('that another program wrote is read unchanged', async () => {
    const [, row] = await readTable(`id,name\na1,"'=1;'-a"`, 1)
    expect(row?.cells).toEqual(['a1', "'=1;'-a"])
  })
})

test('the result of an order list has no formula in a name or a message', () => {
  const row = {
    line: 2,
    projectId: 'p1',
    projectName: '\0=1',
    outcome: 'refused',
    serviceId: null,
    status: null,
  } as const
  const csv = batchResultCsv([{ ...row, homeownerName: 'Ann;=1', message: '=1|=2\t@3' }])
  expect(parse(csv, { bom: true })[1]).toEqual(['2', 'p1', "'=1", "Ann;'=1", 'refused', '', '', "'=1|'=2 @3"])
})
