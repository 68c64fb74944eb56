import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeText } from '../../../electron/engine/project-rows.ts'
import { readProjectList } from '../../../electron/headless/projects/read-project-list.ts'
import { AppError } from '../../../shared/errors.ts'

const read = (text: string) => readProjectList(text, 'list.csv')

function problemOf(text: string): AppError {
  try {
    read(text)
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    return error as AppError
  }
  throw new Error('The list was accepted.')
}

describe('a list of projects', () => {
  test('names its columns in the first row, in any order and case', () => {
    expect(read('Address,Project ID,NAME\n"1 Elm St, Ithaca",a1,Elm\n,b2,\n')).toEqual([
      { id: 'a1', name: 'Elm', address: '1 Elm St, Ithaca' },
      { id: 'b2', name: undefined, address: undefined },
    ])
  })

  test.each(['id', 'ID', 'projectId', 'project id', 'project_id'])('has its ids below "%s"', (header) => {
    expect(read(`${header}\na1`).map(({ id }) => id)).toEqual(['a1'])
  })

  test('may be one column of ids without a header', () => {
    expect(read('a1\n\n  b2  \n').map(({ id }) => id)).toEqual(['a1', 'b2'])
  })

  test.each([
    ['a byte order mark', '\uFEFFid,name\na1,Elm'],
    ['Windows line ends', 'id,name\r\na1,Elm\r\n'],
    ['semicolons', 'id;name\na1;Elm'],
    ['tabs', 'id\tname\na1\tElm'],
    ['columns of others', 'id,owner,name\na1,Bob,Elm'],
    ['empty rows', '\n\nid,name\n,\na1,Elm\n'],
    ['commas in a list with semicolons', 'id;name;address\na1;Elm;1 Elm St, Ithaca, NY'],
  ])('may have %s', (_, text) => {
    expect(read(text)[0]).toMatchObject({ id: 'a1', name: 'Elm' })
  })

  test('may be saved as UTF-16 or in the Windows character set', () => {
    const text = 'id,name\na1,Señor Núñez'
    expect(decodeText(Buffer.from(`\uFEFF${text}`, 'utf16le'))).toBe(text)
    expect(decodeText(Buffer.from(`\uFEFF${text}`, 'utf16le').swap16())).toBe(text)
    expect(decodeText(Buffer.from(text, 'latin1'))).toBe(text)
    expect(decodeText(Buffer.from(text))).toBe(text)
  })

  test('joins an address that spans lines', () => {
    expect(read('id,address\na1,"1 Elm St\nIthaca"')[0]?.address).toBe('1 Elm St Ithaca')
  })

  test('may name a project twice in the same way', () => {
    expect(read('id,name\na1,Elm\na1,Elm')).toHaveLength(1)
  })
})

describe('a list that is not right', () => {
  test('lists every bad row with its line, and what is wrong with it', () => {
    const error = problemOf(`id,name\n,Elm\nok,Fine\na b,Oak\na/b,Ash\n${'x'.repeat(201)},Fir\nok,Other`)
    expect(error.code).toBe('wrong-usage')
    expect(error.message).toBe(
      [
        'No project was added, because list.csv has to be put right first:',
        '  line 2: the id is empty',
        '  line 4: the id has a space in it',
        '  line 5: the id has a slash in it',
        '  line 6: the id is longer than 200 characters',
        '  line 7: the id is that of line 3, with another name or address',
      ].join('\n'),
    )
  })

  test.each([
    ['nothing at all', '', 'line 1: there is no project in the file'],
    ['a header alone', 'id,name\n', 'line 1: no project follows the header'],
    ['columns without a header', 'a1,Elm\n', 'line 1: the first row names no id column'],
    ['a header without ids', 'name,address\nElm,1 Elm St', 'line 1: the first row names no id column'],
    ['the same column twice', 'id,project id\na,b', 'line 1: two columns are named id'],
    ['a row of a column of ids with more than one', 'a1\nb2,Elm', 'line 2: there is more than an id'],
    ['an open quotation mark', 'id,name\na1,"Elm\nb2,Oak', 'a quotation mark is out of place'],
    ['a control character', 'id\na\u0000b', 'line 2: the id has a control character in it'],
  ])('may be so by %s', (_, text, expected) => {
    expect(problemOf(text).message).toContain(expected)
  })

  test('is not listed endlessly', () => {
    const error = problemOf(`id,name\n${',Elm\n'.repeat(1000)}`)
    expect(error.message.split('\n')).toHaveLength(22)
    expect(error.message).toContain('and 980 more')
  })

  test('is answered with lines, whatever it holds', () => {
    const junk = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(
          fc.constantFrom('id', 'name', 'a1', ',', ';', '\t', '"', '\n', '\r\n', ' ', '\uFEFF', '/', 'é', '\u0000'),
          { maxLength: 40 },
        )
        .map((parts) => parts.join('')),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => decodeText(bytes)),
    )
    fc.assert(
      fc.property(junk, (text) => {
        try {
          for (const { id } of read(text)) expect(id).toMatch(/^[^\s/\\]+$/)
        } catch (error) {
          expect(error).toBeInstanceOf(AppError)
          expect((error as AppError).code).toBe('wrong-usage')
          expect((error as AppError).message).toMatch(/^ {2}line \d+: /m)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
