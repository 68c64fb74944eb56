import { CsvError, parse } from 'csv-parse/sync'
import { AppError } from '../../../shared/errors.ts'
import type { NewProject } from '../../engine/engine.ts'
import { formatCount } from '../format/count-of.ts'
import { plainText } from '../format/plain-text.ts'
import { projectIdProblem } from '../../../shared/project-id.ts'

/** Names and addresses longer than this are a mistake, such as a quotation mark that is never closed. */
const longestText = 500

/** Problems are listed up to this many; with more than that, the file is another one than meant. */
const listedProblems = 20

type Field = 'id' | 'name' | 'address'

const fieldOfHeader: Readonly<Record<string, Field>> = {
  id: 'id',
  projectid: 'id',
  name: 'name',
  projectname: 'name',
  address: 'address',
  projectaddress: 'address',
}

interface Row {
  readonly line: number
  readonly cells: readonly string[]
}

interface Problem {
  readonly line: number
  readonly what: string
}

/** Which column holds which field. */
type Columns = ReadonlyMap<Field, number>

/**
 * The projects of a CSV text: a header row with `id` (or `project id`), `name`, `address` in any order and case, other
 * columns ignored; or no header and one column of ids. Commas, semicolons or tabs; any line ends.
 * Throws `wrong-usage` that lists every bad row with its line, and then gives none of the projects.
 */
export function readProjectList(text: string, fileName: string): NewProject[] {
  const rows = readRows(text, fileName)
  const [first, ...rest] = rows
  if (first === undefined) throw badList(fileName, [{ line: 1, what: 'there is no project in the file' }])

  const columns = readHeader(first, fileName)
  if (columns === undefined) return readProjects(rows, undefined, fileName)
  if (rest.length === 0) throw badList(fileName, [{ line: first.line, what: 'no project follows the header' }])
  return readProjects(rest, columns, fileName)
}

function readRows(text: string, fileName: string): Row[] {
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
    throw badList(
      fileName,
      [{ line: typeof line === 'number' ? line : 1, what: 'a quotation mark is out of place' }],
      error,
    )
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
function readHeader({ line, cells }: Row, fileName: string): Columns | undefined {
  const columns = new Map<Field, number>()
  for (const [i, cell] of cells.entries()) {
    const field = fieldOfHeader[cell.toLowerCase().replace(/[\s_-]/g, '')]
    if (field === undefined) continue
    if (columns.has(field)) throw badList(fileName, [{ line, what: `two columns are named ${field}` }])
    columns.set(field, i)
  }
  if (columns.has('id')) return columns
  if (columns.size === 0 && filled(cells) === 1) return undefined
  throw badList(fileName, [{ line, what: 'the first row names no id column; it has to name id, name and address' }])
}

/** `columns` is undefined for a list without a header: one column of ids. */
function readProjects(rows: readonly Row[], columns: Columns | undefined, fileName: string): NewProject[] {
  const projects = new Map<string, NewProject & { readonly line: number }>()
  const problems: Problem[] = []
  for (const { line, cells } of rows) {
    const cell = (field: Field) => cells[columns?.get(field) ?? -1] ?? ''
    const id = columns === undefined ? (cells[0] ?? '') : cell('id')
    const name = oneLine(cell('name'))
    const address = oneLine(cell('address'))
    const before = projects.get(id)
    const isTwofold = before !== undefined && (before.name !== name || before.address !== address)
    const what =
      projectIdProblem(id) ??
      textProblem('name', name) ??
      textProblem('address', address) ??
      (columns === undefined && filled(cells) > 1
        ? 'there is more than an id, and no header names the columns'
        : undefined) ??
      (isTwofold ? `the id is that of line ${before.line}, with another name or address` : undefined)
    if (what === undefined) projects.set(id, { id, name, address, line })
    else problems.push({ line, what })
  }
  if (problems.length > 0) throw badList(fileName, problems)
  return [...projects.values()].map(({ id, name, address }) => ({ id, name, address }))
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

function badList(fileName: string, problems: readonly Problem[], cause?: unknown): AppError {
  const listed = problems.slice(0, listedProblems).map(({ line, what }) => `  line ${line}: ${what}`)
  const more = problems.length - listed.length
  if (more > 0) listed.push(`  and ${formatCount(more)} more`)
  return new AppError(
    'wrong-usage',
    `No project was added, because ${plainText(fileName)} has to be put right first:\n${listed.join('\n')}`,
    { details: { rows: problems }, cause },
  )
}
