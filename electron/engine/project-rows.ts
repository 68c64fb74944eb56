import { CsvError, parse } from 'csv-parse/sync'
import { projectIdProblem } from '../../shared/project-id.ts'

/** Names and addresses longer than this are a mistake, such as a quotation mark that is never closed. */
const longestText = 500

type Field = 'id' | 'name' | 'address'

const fieldOfHeader: Readonly<Record<string, Field>> = {
  id: 'id',
  projectid: 'id',
  name: 'name',
  projectname: 'name',
  address: 'address',
  projectaddress: 'address',
}

/** A project of a list. `line` is where it ends, from 1. */
export interface ProjectRow {
  readonly line: number
  readonly id: string
  readonly name: string | undefined
  readonly address: string | undefined
  /** Why it cannot be added, as what follows "line 3:"; null: it can. Without a project where it is the list's as a whole. */
  readonly problem: string | null
  /** The list has the same project, with the same name and address, further up. */
  readonly isRepeated: boolean
}

interface Row {
  readonly line: number
  readonly cells: readonly string[]
}

/** Which column holds which field. */
type Columns = ReadonlyMap<Field, number>

/** What keeps a list from being read as one at all. */
class ListProblem extends Error {
  readonly line: number

  constructor(line: number, problem: string, cause?: unknown) {
    super(problem, { cause })
    this.line = line
  }
}

/**
 * The text of a file that a person saved with some program: UTF-8 or UTF-16 by its mark, UTF-8 without one, and else
 * Windows-1252, which spreadsheets still write as "CSV".
 */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/**
 * The projects of a CSV text: a header row with `id` (or `project id`), `name`, `address` in any order and case, other
 * columns ignored; or no header and one column of ids. Commas, semicolons or tabs; any line ends.
 */
export function readProjectRows(text: string): ProjectRow[] {
  try {
    const rows = readRows(text)
    const [first, ...rest] = rows
    if (first === undefined) throw new ListProblem(1, 'there is no project in the file')
    const columns = readHeader(first)
    if (columns === undefined) return readProjects(rows, undefined)
    if (rest.length === 0) throw new ListProblem(first.line, 'no project follows the header')
    return readProjects(rest, columns)
  } catch (error) {
    if (!(error instanceof ListProblem)) throw error
    const none = { id: '', name: undefined, address: undefined, isRepeated: false }
    return [{ ...none, line: error.line, problem: error.message }]
  }
}

/**
 * Like `readProjectRows`, for what a person pastes: also ids between commas, semicolons and spaces. Names and addresses
 * without a header must not become ids: only where each of several words on a line has a digit in it are they taken for ids.
 */
export function readPastedRows(text: string): ProjectRow[] {
  const lines = text.split(/\r\n?|\n/).map((line) => line.split(/[\s,;]+/).filter((word) => word !== ''))
  const isListOfIds =
    lines.some((words) => words.length > 1) && lines.flat().every((word) => /^[^"]*\d[^"]*$/.test(word))
  if (!isListOfIds) return readProjectRows(text)
  const rows = lines.flatMap((words, index) => words.map((word) => ({ line: index + 1, cells: [word] })))
  return readProjects(rows, undefined)
}

function readRows(text: string): Row[] {
  try {
    const records = parse(text, {
      bom: true,
      delimiter: delimiterOf(text),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
    }) as unknown as { record: string[]; info: { lines: number } }[]
    return records.map(({ record, info }) => ({ line: info.lines, cells: record }))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const line: unknown = error.lines
    throw new ListProblem(typeof line === 'number' ? line : 1, 'a quotation mark is out of place', error)
  }
}

/** The delimiter that the first line has most of, outside quotation marks. */
function delimiterOf(text: string): string {
  const firstLine = /^\s*(.*)/.exec(text)?.[1] ?? ''
  const unquoted = firstLine.replace(/"[^"]*"/g, '')
  const count = (delimiter: string) => unquoted.split(delimiter).length
  return [';', '\t'].reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best), ',')
}

/** The columns that the first row names, or undefined when it is not a header but the first of a column of ids. */
function readHeader({ line, cells }: Row): Columns | undefined {
  const columns = new Map<Field, number>()
  for (const [i, cell] of cells.entries()) {
    const field = fieldOfHeader[cell.toLowerCase().replace(/[\s_-]/g, '')]
    if (field === undefined) continue
    if (columns.has(field)) throw new ListProblem(line, `two columns are named ${field}`)
    columns.set(field, i)
  }
  if (columns.has('id')) return columns
  if (columns.size === 0 && filled(cells) === 1) return undefined
  throw new ListProblem(line, 'the first row names no id column; it has to name id, name and address')
}

/** `columns` is undefined for a list without a header: one column of ids. */
function readProjects(rows: readonly Row[], columns: Columns | undefined): ProjectRow[] {
  const before = new Map<string, ProjectRow>()
  return rows.map(({ line, cells }) => {
    const cell = (field: Field) => cells[columns?.get(field) ?? -1] ?? ''
    const id = columns === undefined ? (cells[0] ?? '') : cell('id')
    const name = oneLine(cell('name'))
    const address = oneLine(cell('address'))
    const known = before.get(id)
    const isRepeated = known !== undefined && known.name === name && known.address === address
    const problem =
      projectIdProblem(id) ??
      textProblem('name', name) ??
      textProblem('address', address) ??
      (columns === undefined && filled(cells) > 1
        ? 'there is more than an id, and no header names the columns'
        : undefined) ??
      (known === undefined || isRepeated ? null : `the id is that of line ${known.line}, with another name or address`)
    const row = { line, id, name, address, problem, isRepeated: isRepeated && problem === null }
    if (problem === null && known === undefined) before.set(id, row)
    return row
  })
}

function filled(cells: readonly string[]): number {
  return cells.filter((cell) => cell !== '').length
}

/** A cell may span lines where it is quoted, as addresses do in spreadsheets. */
function oneLine(cell: string): string | undefined {
  const text = cell.replace(/\s+/g, ' ').trim()
  return text === '' ? undefined : text
}

function textProblem(field: Field, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (text.length > longestText) return `the ${field} is longer than ${longestText} characters`
  return /\p{Cc}/u.test(text) ? `the ${field} has a control character in it` : undefined
}
