import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { decodeText, guessText, requireText } from '../../electron/engine/lib/decode-text.ts'
import { readPastedRows, readProjectRows } from '../../electron/engine/projects/project-rows.ts'
import { projectsToAdd, readProjectList } from '../../electron/headless/commands/projects.ts'
import { listTooLarge } from '../../shared/csv.ts'
import { AppError } from '../../shared/errors.ts'
import { projectIdProblem } from '../../shared/project-list.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { anyCharacter } from '../support/any-character.ts'

const read = (text: string) => readProjectList(text, 'list.csv')

async function problemOf(text: string): Promise<AppError> {
  try {
    await read(text)
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    return error as AppError
  }
  throw new Error('The list was accepted.')
}

/** Returns how often texts were tested or changed, at most, in one turn of the event loop while `read` runs. */
async function mostTestsPerTurn(read: () => Promise<unknown>): Promise<number> {
  const spies = [vi.spyOn(RegExp.prototype, 'test'), vi.spyOn(String.prototype, 'replace')]
  let most = 0
  const endTurn = () => {
    most = Math.max(most, ...spies.map((spy) => spy.mock.calls.length))
    for (const spy of spies) spy.mockClear()
  }
  const startTurn = () => {
    endTurn()
    turn = setImmediate(startTurn)
  }
  let turn = setImmediate(startTurn)
  try {
    await read()
    endTurn()
  } finally {
    clearImmediate(turn)
    for (const spy of spies) spy.mockRestore()
  }
  return most
}

describe('a list of projects', () => {
  test('has column names in the first row, in any order and case', async () => {
    expect(await read('Address,Project ID,NAME\n"1 Elm St, Ithaca",a1,Elm\n,b2,\n')).toEqual([
      { id: 'a1', name: 'Elm', address: '1 Elm St, Ithaca' },
      { id: 'b2', name: undefined, address: undefined },
    ])
  })

  test.each(['id', 'ID', 'projectId', 'project id', 'project_id'])('has its ids in the column "%s"', async (header) => {
    expect((await read(`${header}\na1`)).map(({ id }) => id)).toEqual(['a1'])
  })

  test('may have the URLs of the projects’ pages instead of their ids', async () => {
    const id = '507f1f77bcf86cd799439011'
    const ids = async (text: string) => (await readPastedRows(text)).rows.map((row) => [row.id, row.problem])
    expect(await ids(`https://app.example.com/projects/${id}`)).toEqual([[id, null]])
    expect(await ids(`https://app.example.com/#/projects/${id}/design?tab=2#top`)).toEqual([[id, null]])
    expect(await ids(`https://a.example/project/${id}\nhttps://a.example/projects/${id.replace('5', '6')}/x`)).toEqual([
      [id, null],
      [id.replace('5', '6'), null],
    ])
    expect(await read(`id,name\nhttps://app.example.com/projects/${id}/photos,Elm`)).toMatchObject([
      { id, name: 'Elm' },
    ])
    expect((await ids(`https://app.example.com/projects/${id}0`))[0]?.[1]).toBe('the ID has a slash in it')
  })

  test('may be one column of ids without a header', async () => {
    expect((await read('a1\n\n  b2  \n')).map(({ id }) => id)).toEqual(['a1', 'b2'])
  })

  test.each([
    ['a byte order mark', '\uFEFFid,name\na1,Elm'],
    ['Windows line ends', 'id,name\r\na1,Elm\r\n'],
    ['semicolons', 'id;name\na1;Elm'],
    ['tabs', 'id\tname\na1\tElm'],
    ['columns of others', 'id,owner,name\na1,Bob,Elm'],
    ['empty rows', '\n\nid,name\n,\na1,Elm\n'],
    ['commas in a list with semicolons', 'id;name;address\na1;Elm;1 Elm St, Ithaca, NY'],
    ['several kinds of line ends', 'id,name\r\na1,Elm\nb2,Oak\rc3,Ash'],
    ['cells without anything in them behind the last column', 'id,name,,,\na1,Elm,,,,,\n'],
  ])('may have %s', async (_, text) => {
    expect((await read(text))[0]).toMatchObject({ id: 'a1', name: 'Elm' })
  })

  test('may be saved as UTF-8 or UTF-16, or in the Windows character set, which is refused for orders', () => {
    const text = 'id,name\na1,Señor Núñez'
    expect(decodeText(Buffer.from(`\uFEFF${text}`, 'utf16le'))).toBe(text)
    expect(decodeText(Buffer.from(`\uFEFF${text}`, 'utf16le').swap16())).toBe(text)
    expect(decodeText(Buffer.from(text))).toBe(text)
    expect(decodeText(Buffer.from(`\uFEFF${text}`))).toBe(text)
    expect(decodeText(Buffer.from(text, 'latin1'))).toBeNull()
    expect(decodeText(Buffer.from(text, 'utf16le')), 'without its mark').toBeNull()
    expect(guessText(Buffer.from(text, 'latin1'), 'The list')).toBe(text)
    expect(guessText(Buffer.from(`\uFEFF${text}`, 'utf16le'), 'The list')).toBe(text)
    expect(() => guessText(Buffer.from(text, 'utf16le'), 'The list')).toThrow('not saved as UTF-8')
    expect(() => requireText(Buffer.from(text, 'latin1'), 'The list')).toThrow(/in Excel as "CSV UTF-8"/)
  })

  test('joins an address that spans lines', async () => {
    expect((await read('id,address\na1,"1 Elm St\nIthaca"'))[0]?.address).toBe('1 Elm St Ithaca')
  })

  test.each([
    'Project ID,Customer,Street address',
    'Project,Customer name,Site address',
    'Job,Client,Location',
    'Reference,Project,Project Address:',
    'ID,Homeowner,Street',
  ])('may have a header as in spreadsheets: %s', async (header) => {
    expect(await read(`${header}\n5f0a1,Elm,1 Elm St\n5f0a2,Oak,`)).toEqual([
      { id: '5f0a1', name: 'Elm', address: '1 Elm St' },
      { id: '5f0a2', name: 'Oak', address: undefined },
    ])
  })

  test('uses the project’s name as the name, even with a customer column', async () => {
    expect(await read('customer,id,project name\nMiller,a1,Elm')).toEqual([
      { id: 'a1', name: 'Elm', address: undefined },
    ])
  })

  test.each([
    ['an id, a name and an address', 'a1\tElm\t1 Elm St, Ithaca, NY\nb2\tOak\t'],
    ['an address in several columns', 'a1\tElm\t1 Elm St\tIthaca\tNY\nb2\tOak\t\t\t'],
    ['the id behind the name', 'Elm\ta1\t1 Elm St, Ithaca, NY\nOak\tb2\t'],
    ['commas', 'a1,Elm,1 Elm St, Ithaca, NY\nb2,Oak\n'],
    ['semicolons', 'a1;Elm;1 Elm St, Ithaca, NY\nb2;Oak\n'],
  ])('may be rows without a header, with %s', async (_, text) => {
    expect(await read(text)).toEqual([
      { id: 'a1', name: 'Elm', address: '1 Elm St, Ithaca, NY' },
      { id: 'b2', name: 'Oak', address: undefined },
    ])
  })

  test('may have quotation marks in texts', async () => {
    expect((await read('id\tname\na1\tJoe "Bob" Miller'))[0]?.name).toBe('Joe "Bob" Miller')
  })

  test('may have quotation marks anywhere in cells pasted from a spreadsheet', async () => {
    const rows = 'a1\t"Big" Elm\t"1 ""Elm"" St, Ithaca"\nb2\t"Oak\nc3\tFir 12"\t'
    const pasted = (await readPastedRows(rows)).rows
    expect(pasted.map(({ id, name, address, problem }) => [id, name, address, problem])).toEqual([
      ['a1', '"Big" Elm', '1 "Elm" St, Ithaca', null],
      ['b2', '"Oak', undefined, null],
      ['c3', 'Fir 12"', undefined, null],
    ])
  })

  test('reports how each column was read, and which were ignored', async () => {
    const reading = async (text: string) => (await readPastedRows(text)).reading
    const header = 'Owner,Customer,Project ID,,Site address'
    expect(await reading(`${header}\nBob,Elm,a1,x,1 Elm St`)).toEqual({
      id: 'Project ID',
      name: ['Customer'],
      address: ['Site address'],
      ignored: ['Owner', 'column 4'],
    })
    expect(await reading('a1\tElm\t1 Elm St\tIthaca')).toEqual({
      id: 'column 1',
      name: ['column 2'],
      address: ['column 3', 'column 4'],
      ignored: [],
    })
    expect(await reading('a1\nb2')).toBeNull()
  })

  test('has no header if its first row has an ID of the service, whatever the other cells', async () => {
    const [first, second] = ['5f0a1b2c3d4e5f6a7b8c9d0e', '5f0a1b2c3d4e5f6a7b8c9d0f']
    for (const [name, address] of [
      ['ID', '1 Elm St'],
      ['Site', 'Location'],
      ['Name', 'name'],
    ]) {
      expect(await read(`${first},${name},${address}\n${second},Oak,2 Oak St`)).toEqual([
        { id: first, name, address },
        { id: second, name: 'Oak', address: '2 Oak St' },
      ])
    }
  })

  test('is the same list with any header, delimiter, quoting, and line endings', async () => {
    const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ,;"'é-]{0,18}[A-Za-z]$/).map((text) => text.replace(/ +/g, ' '))
    const project = fc.record({ id: fc.stringMatching(/^[0-9a-f]{24}$/), name: word, address: word })
    const projects = fc.uniqueArray(project, { selector: ({ id }) => id, minLength: 1, maxLength: 8 })
    const shape = fc.record({
      header: fc.constantFrom(
        undefined,
        ['id', 'name', 'address'],
        ['Project ID', 'Customer name', 'Site address'],
        ['Project', 'Customer', 'Street address'],
      ),
      order: fc.constantFrom([0, 1, 2], [1, 0, 2], [1, 2, 0]),
      delimiter: fc.constantFrom('\t', ';', ','),
      lineEnd: fc.constantFrom('\n', '\r\n', '\r', '\r\n\r\n'),
      mark: fc.constantFrom('', '\uFEFF'),
      end: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(projects, shape, async (listed, { header, order, delimiter, lineEnd, mark, end }) => {
        const quoted = (text: string) => (/[,;"\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
        const line = (cells: readonly string[]) => order.map((i) => quoted(cells[i] ?? '')).join(delimiter)
        const rows = listed.map(({ id, name, address }) => line([id, name, address]))
        const text =
          mark + [...(header === undefined ? [] : [line(header)]), ...rows].join(lineEnd) + (end ? lineEnd : '')
        const { rows: found } = await readPastedRows(text)
        expect(found.map(({ id, name, address, problem }) => ({ id, name, address, problem }))).toEqual(
          listed.map((one) => ({ ...one, problem: null })),
        )
      }),
      { numRuns: 200 },
    )
  })

  test('may contain a project twice with the same data', async () => {
    expect(await read('id,name\na1,Elm\na1,Elm')).toHaveLength(1)
  })
})

describe('an invalid list', () => {
  test('has every bad row listed with its line and its error', async () => {
    const error = await problemOf(`id,name\n,Elm\nok,Fine\na b,Oak\na/b,Ash\n${'x'.repeat(201)},Fir\nok,Other`)
    expect(error.code).toBe('wrong-usage')
    expect(error.message).toBe(
      [
        'No project was added, because list.csv has errors:',
        '  line 2: the ID is empty',
        '  line 4: the ID has a space in it',
        '  line 5: the ID has a slash in it',
        '  line 6: the ID is longer than 200 characters',
        '  line 7: the ID is that of line 3, with another name or address',
      ].join('\n'),
    )
  })

  test.each([
    ['nothing at all', '', 'line 1: there is no project in the file'],
    ['a header alone', 'id,name\n', 'line 1: no project follows the header'],
    ['columns without a header or ids', 'Elm,1 Elm St\n', 'line 1: the first row names no id column'],
    ['columns that all look like ids', 'a1,b2\nc3,d4', 'line 1: more than one column looks like IDs'],
    ['a header in another language', 'Nummer,Kunde\na1,Elm\nb2,Oak', 'line 1: the ID does not look like a project ID'],
    [
      'an address that should be quoted',
      'id,address\na1,"1 Elm St, Ithaca"\nb2,2 Elm St, Ithaca',
      'line 3: there are more',
    ],
    ['hundreds of columns', `id${',x'.repeat(200)}`, 'line 1: there are more than 100 columns'],
    ['a header without ids', 'name,address\nElm,1 Elm St', 'line 1: the first row names no id column'],
    ['the same column twice', 'id,project id\na,b', 'line 1: two columns are named id'],
    ['an open quotation mark', 'id,name\na1,"Elm\nb2,Oak', 'a quotation mark is out of place'],
    ['a control character', 'id\na\u0000b', 'line 2: the ID has a control character in it'],
  ])('may have %s', async (_, text, expected) => {
    expect((await problemOf(text)).message).toContain(expected)
  })

  test('has a limited list of errors', async () => {
    const error = await problemOf(`id,name\n${',Elm\n'.repeat(1000)}`)
    expect(error.message.split('\n')).toHaveLength(22)
    expect(error.message).toContain('and 980 more')
  })

  test('that is too long or too large is refused with the limit, and read no further', async () => {
    const folder = temporaryFolder()
    const add = (text: string) => {
      writeFileSync(join(folder, 'list.csv'), text)
      return projectsToAdd([], { file: 'list.csv' }, folder)
    }
    const cpuOf = async (work: () => Promise<unknown>) => {
      const before = process.cpuUsage()
      await work()
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    const ids = Array.from({ length: 10_000 }, (_, row) => `id-${row}`)
    const readLongest = async () => expect(await add(`id\n${ids.join('\n')}`)).toHaveLength(10_000)
    expect(await add(ids.join('\n'))).toHaveLength(10_000)
    const refuseLonger = async () => {
      await expect(add('id-1\n'.repeat(1_000_000))).rejects.toMatchObject({
        code: 'wrong-usage',
        message: listTooLarge(),
      })
      for (const text of ['a\n'.repeat(1_000_000), `id\n${'id-1\n'.repeat(10_001)}`, '\n'.repeat(1_000_000)]) {
        await expect(add(text)).rejects.toMatchObject({
          code: 'wrong-usage',
          message: expect.stringMatching(/^The list is too long: at most 10,000 rows are read at once\./) as string,
        })
      }
    }
    // Their millions of rows would take hundreds of times as long. Other work of the process can distort one
    // measurement.
    let ratio = Infinity
    for (let round = 0; round < 5 && ratio >= 5; round += 1) {
      const longest = await cpuOf(readLongest)
      ratio = (await cpuOf(refuseLonger)) / longest
    }
    expect(ratio).toBeLessThan(5)
  })

  test.each([
    ['whose first row has no ids', 'x y'],
    ['with an id and 99 columns of its address', 'a1,x y'],
  ])('of thousands of wide rows, %s, is read in small pieces', async (_, start) => {
    const cells = ',x y'.repeat(100 - start.split(',').length)
    const text = Array.from({ length: 2_000 }, (_, row) => `${start}${row}${cells}\n`).join('')
    expect(await mostTestsPerTurn(() => readPastedRows(text))).toBeLessThan(100_000)
  })

  test('of nothing but delimiters is refused before it is split into cells', async () => {
    expect((await problemOf(','.repeat(4_000_000))).message).toContain('line 1: the row is longer than 64 KB')
    expect((await problemOf(`id\na1${';'.repeat(300_000)}`)).message).toContain('line 2: the row is longer than 64 KB')
  })

  test('has line numbers in its errors, whatever it contains', async () => {
    const junk = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc
        .array(
          fc.constantFrom('id', 'name', 'a1', ',', ';', '\t', '"', '\n', '\r\n', ' ', '\uFEFF', '/', 'é', '\u0000'),
          { maxLength: 40 },
        )
        .map((parts) => parts.join('')),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    )
    await fc.assert(
      fc.asyncProperty(junk, async (text) => {
        try {
          const rows = [...(await readProjectRows(text)).rows, ...(await readPastedRows(text)).rows]
          expect(rows).not.toHaveLength(0)
          for (const { id, problem } of rows) {
            if (problem === null) expect(projectIdProblem(id)).toBeUndefined()
            else expect(problem).not.toBe('')
          }
          for (const { id } of await read(text)) expect(id).toMatch(/^[^\s/\\]+$/)
        } catch (error) {
          expect(error).toBeInstanceOf(AppError)
          expect((error as AppError).code).toBe('wrong-usage')
          expect((error as AppError).message).toMatch(/^ {2}line \d+: /m)
        }
      }),
      { numRuns: 300 },
    )
  })
})
