import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readOrderList } from '../../../electron/engine/orders/batch-csv.ts'
import { listText } from '../../../electron/engine/lib/read-table.ts'
import { orderFieldNames } from '../../../shared/order/order-fields.ts'
import { orderTemplateCsv } from '../../../shared/order/order-template.ts'
import { anyCharacter } from '../../support/any-character.ts'

const rowsOf = async (text: string) => (await readOrderList(text)).rows
const messages = async (text: string) =>
  (await rowsOf(text)).map(({ line, problems }) => [
    line,
    ...problems.map(({ field, message }) => `${field}: ${message}`),
  ])

describe('a list of orders', () => {
  it('has its columns in any order, case, and separator, by name, label, or path', async () => {
    const texts = { projectId: 'p1', homeownerName: 'Ann Lee', ridge: '18', moduleSpacingLong: '1' }
    const row = { line: 2, texts, problems: [] }
    for (const text of [
      'projectId,homeownerName,ridge,moduleSpacingLong\np1,Ann Lee,18,1\n',
      'RIDGE;Project ID;Spacing, long edge;Homeowner\r\n18;p1;1;Ann  Lee\r\n',
      '"form.fireSetbacks.ridge"\tProject\tmodule_spacing_long\tHOMEOWNER NAME\n18\tp1\t1\tAnn Lee',
      '\uFEFFprojectId,homeownerName,ridge,moduleSpacingLong,\r"p1","Ann\nLee",18,1',
    ]) {
      expect((await rowsOf(text)).map((read) => ({ ...read, line: 2 }))).toEqual([row])
    }
    for (const name of orderFieldNames) {
      expect(await rowsOf(`projectId,${name === 'projectId' ? 'x' : name}\np1,1`)).toMatchObject([{ problems: [] }])
    }
    const latin = listText({
      base64: Buffer.from('\uFEFFprojectId,homeownerName\np1,Zoë', 'utf16le').toString('base64'),
    })
    expect((await rowsOf(latin))[0]?.texts.homeownerName).toBe('Zoë')
  })

  it('reports non-empty columns that are not fields', async () => {
    const list = await readOrderList('projectId,,Sales rep,Note\np1,,Kim,\np2,loose,,')
    expect(list.ignoredColumns).toEqual(['column 2', 'Sales rep'])
  })

  it('that cannot be parsed is one invalid row with the reason', async () => {
    expect(await messages('')).toEqual([[1, 'null: There is nothing in the list.']])
    expect(await messages('projectId,ridge')).toEqual([[1, 'null: No order follows the header.']])
    expect((await messages('p1,Ann\np2,Bob'))[0]?.[1]).toMatch(/first row has to name the columns/)
    expect(await messages('projectId,ridge,Ridge\np1,1,2')).toEqual([
      [1, 'null: Two columns are named ridge. Remove one of them.'],
    ])
    const allAtOnce = (await messages('ridge,Ridge,eave,eave'))[0]?.[1]
    expect(allAtOnce).toMatch(/named ridge\..* named eave\..* has to be projectId\..* No order follows the header\.$/)
  })

  it('loses only one row to a misplaced quotation mark', async () => {
    const list =
      'projectId,homeownerName,projectAddress\np1,Ann,1 Elm St\np2,"Bob,2 Elm St\np3,Cy,"3 Elm St, Ny"\np4,Di,4 Elm St'
    expect(await messages(list)).toEqual([[2], [3, 'null: A quotation mark is out of place.'], [4], [5]])
    expect(await messages('projectId,homeownerName\np1,Ann\np2,"Bob\np3,Cy')).toEqual([
      [2],
      [3, 'null: A quotation mark is out of place.'],
      [4],
    ])
    // One inside a text is a literal quotation mark.
    expect((await rowsOf('projectId,homeownerName\np1,Joe "Bob" Hill'))[0]?.texts.homeownerName).toBe('Joe "Bob" Hill')
  })

  it('refuses a row whose values are in the wrong columns', async () => {
    expect((await messages('projectId,projectAddress\np1,1 Elm St, Springfield'))[0]?.[1]).toMatch(
      /more cells than the header/,
    )
  })

  it('refuses a row with a missing cell, and accepts one whose last cells are empty', async () => {
    const header = 'projectId,homeownerName,ridge,eave'
    expect(await messages(`${header}\np1,Ann,8\np2,Bob,36,8\np3,Cy,,`)).toEqual([
      [2, expect.stringMatching(/fewer cells \(3\) than the header names \(4\)/)],
      [3],
      [4],
    ])
    expect((await rowsOf(`${header}\np1,Ann,8`))[0]?.texts).toEqual({})
    // An empty column without a header.
    expect(await messages(`${header},,\np1,Ann,36,8`)).toEqual([[2]])
  })

  it('refuses ids that a spreadsheet has converted to numbers', async () => {
    expect((await messages('projectId\n6.47E+23'))[0]?.[1]).toMatch(/projectId: A spreadsheet/)
    expect(await messages('projectId\n65f1c0ffee65f1c0ffee65f1')).toEqual([[2]])
  })

  it('refuses the example of the template, even if only part of it was filled in', async () => {
    const fieldsOf = async (text: string) =>
      (await rowsOf(text)).map(({ problems }) => problems.map(({ field }) => field))
    const template = orderTemplateCsv()
    expect(await fieldsOf(template)).toEqual([['projectId', 'homeownerName', 'projectAddress']])
    expect(await fieldsOf(template.replace('EXAMPLE-PROJECT-ID', 'p1'))).toEqual([['homeownerName', 'projectAddress']])
  })
})

describe('a list of orders of any text', () => {
  const cell = fc.oneof(
    fc.constantFrom('projectId', 'homeownerName', 'ridge', 'p1', '18', '', ' ', '"', "'=1", '=1', '\0', 'é', '\uFEFF'),
    fc.string({ unit: anyCharacter, maxLength: 8 }),
  )
  const separator = fc.constantFrom(',', ';', '\t', '\n', '\r\n', '\r', '"', ',"', '",')
  const text = fc.oneof(
    fc.array(fc.tuple(cell, separator), { maxLength: 30 }).map((parts) => parts.flat().join('')),
    fc
      .array(fc.tuple(cell, separator), { maxLength: 30 })
      .map((parts) => `projectId,homeownerName,ridge\n${parts.flat().join('')}`),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  )

  it('has rows in the order of their lines, each with texts of fields or a reason', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (written) => {
        const { rows } = await readOrderList(written)
        expect(rows).not.toHaveLength(0)
        for (const [index, { line, texts, problems }] of rows.entries()) {
          expect(line).toBeGreaterThanOrEqual(rows[index - 1]?.line ?? 1)
          expect(Object.keys(texts).filter((name) => !orderFieldNames.some((field) => field === name))).toEqual([])
          expect(Object.values(texts).filter((one) => one !== one.trim() || one === '')).toEqual([])
          expect(problems.filter(({ message }) => !/^\S.*\.$/s.test(message))).toEqual([])
        }
      }),
      { numRuns: 300 },
    )
  })

  it('has at most 2,000 rows, also after a misplaced quotation mark', async () => {
    const list = (rows: number, first = 'Ann') => `projectId,homeownerName\np1,${first}\n${'p2,Bob\n'.repeat(rows - 1)}`
    expect(await rowsOf(list(2000))).toHaveLength(2000)
    expect(await rowsOf(list(2000, '"Ann'))).toHaveLength(2000)
    for (const text of [list(2001), list(2001, '"Ann'), list(1_000_000)]) {
      await expect(readOrderList(text)).rejects.toMatchObject({
        code: 'wrong-usage',
        message: expect.stringContaining('at most 2,000 rows are read at once') as string,
      })
    }
  })
})
