import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ColumnReading, maxProjects, projectIdProblem } from '../../../shared/project-list.ts'
import { inTurns } from '../lib/in-turns.ts'
import { ListProblem, listTooLong, readTable, requireFewLines, type TableRow } from '../lib/read-table.ts'

/** Longer names and addresses are a mistake, such as an unclosed quotation mark. */
const maxTextLength = 500

/** Rows that are read at once: with the most columns, other calls wait about 20 ms for them. */
const rowsPerTurn = 200

/** A row of a list of projects. `line` is where it ends, from 1. */
export interface ProjectListRow {
  readonly line: number
  readonly id: string
  readonly name: string | undefined
  readonly address: string | undefined
  /**
   * Reason why it cannot be added, as the text after "line 3:"; null if it can be. A row without an id stands for the
   * list as a whole.
   */
  readonly problem: string | null
  /** True if a row above has the same project, name, and address. */
  readonly isRepeated: boolean
}

/** A list of projects that was read. */
export interface ProjectListReading {
  readonly rows: readonly ProjectListRow[]
  /** Null if the list has one column or cannot be read. */
  readonly reading: ColumnReading | null
}

/**
 * Reads the projects of a table: a header row that names the id (`id`, `project id`), the name, and the address as
 * spreadsheets do, in any order and case; or no header, and columns of ids, names, and addresses. Commas, semicolons,
 * or tabs; any line ending. Throws only `wrong-usage`, for more than `maxProjects` rows.
 */
export async function readProjectRows(text: string): Promise<ProjectListReading> {
  try {
    const table: TableRow[] = []
    for await (const rows of inTurns(await readTable(text, maxProjects), rowsPerTurn)) {
      table.push(...rows.map((row) => ({ ...row, cells: row.cells.map(withoutPageUrl) })))
    }
    const [first, ...rest] = table
    if (first === undefined) throw new ListProblem(1, 'there is no project in the file')
    const columns = await findProjectColumns(first, rest)
    if (columns.header === undefined) {
      if (table.length > maxProjects) throw listTooLong(maxProjects)
      return await readProjects(table, columns)
    }
    if (rest.length === 0) throw new ListProblem(first.line, 'no project follows the header')
    return await readProjects(rest, columns)
  } catch (error) {
    if (!(error instanceof ListProblem)) throw error
    const none = { id: '', name: undefined, address: undefined, isRepeated: false }
    return { rows: [{ ...none, line: error.line, problem: error.message }], reading: null }
  }
}

/**
 * Like `readProjectRows`, for pasted text: also ids between commas, semicolons, and spaces. Names and addresses without
 * a header must not become ids, so the words of a line are taken as ids only if every word in the text looks like one.
 */
export async function readPastedRows(pasted: string): Promise<ProjectListReading> {
  const ids = readIds(pasted)
  await nextTurn()
  return ids === undefined ? readProjectRows(pasted) : readProjects(ids, oneColumn)
}

/** Returns the words of a text that is a list of ids, or undefined. */
function readIds(text: string): TableRow[] | undefined {
  requireFewLines(text, maxProjects)
  const ids: TableRow[] = []
  let isList = false
  for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
    const idsBefore = ids.length
    let serviceIds = 0
    for (const [word] of line.matchAll(/[^\s,;]+/g)) {
      const id = withoutPageUrl(word)
      if (!looksLikeId(id)) return undefined
      if (isServiceId(id)) serviceIds += 1
      ids.push({ line: index + 1, cells: [id] })
      if (ids.length > maxProjects) throw listTooLong(maxProjects)
    }
    const words = ids.length - idsBefore
    // A service id with one other word is a project with its name.
    if (words > 1 && serviceIds === 1) return undefined
    isList ||= words > 1
  }
  return isList ? ids : undefined
}

/** URL of a project's page: `https://host/…/projects/<id>` with any suffix. Bounded: no text makes it slow. */
const pageUrl = /^https?:\/\/[^\s,;"']{1,300}?\/projects?\/([0-9a-f]{24})(?![0-9a-z])[^\s,;"']*$/i

/** Returns the id instead of the URL of a project's page, which is easier to copy. */
function withoutPageUrl(text: string): string {
  return text.replace(pageUrl, '$1')
}

const oneColumn: ProjectColumns = {
  header: undefined,
  columnsOf: { id: [0], name: [], address: [] },
  requiresLikelyIds: false,
}

async function readProjects(table: readonly TableRow[], columns: ProjectColumns): Promise<ProjectListReading> {
  const { header, columnsOf } = columns
  const before = new Map<string, ProjectListRow>()
  const readRow = ({ line, cells }: TableRow): ProjectListRow => {
    const text = (field: ProjectField) => textOf(columnsOf[field].map((column) => cells[column] ?? ''))
    const id = cells[columnsOf.id[0] ?? 0] ?? ''
    const name = text('name')
    const address = text('address')
    const known = before.get(id)
    const isRepeated = known !== undefined && known.name === name && known.address === address
    const problem =
      projectIdProblem(id) ??
      (columns.requiresLikelyIds && !looksLikeId(id) ? 'the ID does not look like a project ID' : undefined) ??
      textProblem('name', name) ??
      textProblem('address', address) ??
      (header !== undefined && cells.length > header.cells.length
        ? 'there are more cells than the header names; a text with a comma in it needs quotation marks'
        : undefined) ??
      (known === undefined || isRepeated ? null : `the ID is that of line ${known.line}, with another name or address`)
    const row = { line, id, name, address, problem, isRepeated: isRepeated && problem === null }
    if (problem === null && known === undefined) before.set(id, row)
    return row
  }
  const rows: ProjectListRow[] = []
  for await (const piece of inTurns(table, rowsPerTurn)) rows.push(...piece.map(readRow))
  return { rows, reading: describeColumns(columns, table) }
}

/** A quoted cell may span lines, as addresses do in spreadsheets. */
function textOf(cells: readonly string[]): string | undefined {
  const texts = cells.map((cell) => cell.replace(/\s+/g, ' ').trim()).filter((text) => text !== '')
  return texts.length === 0 ? undefined : texts.join(', ')
}

function textProblem(field: ProjectField, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (text.length > maxTextLength) return `the ${field} is longer than ${maxTextLength} characters`
  return /\p{Cc}/u.test(text) ? `the ${field} has a control character in it` : undefined
}

export const projectFields = ['id', 'name', 'address'] as const
export type ProjectField = (typeof projectFields)[number]

/** Columns of the fields. An address may consist of several columns. */
export interface ProjectColumns {
  /** Undefined if the first row is a project. */
  readonly header: TableRow | undefined
  readonly columnsOf: Readonly<Record<ProjectField, readonly number[]>>
  /** Without a header, the values in the id column must look like ids. */
  readonly requiresLikelyIds: boolean
}

/** Common column headers, reduced to letters and digits. The first group that a list has is used. */
const headersOf: Readonly<Record<ProjectField, readonly (readonly string[])[]>> = {
  id: [['id', 'projectid']],
  name: [
    ['name', 'projectname'],
    ['project', 'site', 'sitename', 'job', 'jobname'],
    ['customer', 'customername', 'client', 'clientname', 'homeowner', 'homeownername'],
  ],
  address: [
    ['address', 'projectaddress'],
    ['siteaddress', 'streetaddress', 'installaddress', 'installationaddress', 'customeraddress'],
    ['street', 'location'],
  ],
}

/** Headers for names that some lists use for the id. */
const mayHeadIds: ReadonlySet<string> = new Set(['project', 'site', 'job'])

/** Returns whether a word can hardly be anything but an id: no name, no house number, no ZIP code. */
function looksLikeId(word: string): boolean {
  if (isServiceId(word) || /^\d{6,}$/.test(word)) return true
  return /^[^\s,;"'/\\]+$/.test(word) && /\d/.test(word) && /\p{L}/u.test(word)
}

/** Returns whether a word has the form of an id in the service's specification. */
function isServiceId(word: string): boolean {
  return /^[0-9a-f]{24}$/i.test(word)
}

/**
 * Finds the columns of ids, names, and addresses: by the header, or else by words that look like ids; the columns after
 * the ids are then the name and the address. Rejects with `ListProblem` if they cannot be determined.
 */
async function findProjectColumns(first: TableRow, rest: readonly TableRow[]): Promise<ProjectColumns> {
  // A row with a service id is a project, even if its name is "ID" or "Site".
  const named = first.cells.some(isServiceId) ? {} : namedColumns(first)
  const isHeader = named.id !== undefined || (Object.keys(named).length > 0 && !first.cells.some(looksLikeId))
  if (!isHeader) return columnsWithoutHeader([first, ...rest])
  const id = named.id ?? (await columnOfIds(first, rest, (column) => !isHeadOfText(first.cells[column] ?? '')))
  const name = named.name === id ? columnNamed(first, 'name', id) : named.name
  return {
    header: first,
    columnsOf: { id: [id], name: asList(name), address: asList(named.address) },
    requiresLikelyIds: false,
  }
}

function namedColumns(first: TableRow): Partial<Record<ProjectField, number>> {
  const found = projectFields.flatMap((field) => {
    const column = columnNamed(first, field)
    return column === undefined ? [] : [[field, column] as const]
  })
  return Object.fromEntries(found)
}

function columnNamed({ line, cells }: TableRow, field: ProjectField, except?: number): number | undefined {
  const headers = cells.map(plainHeader)
  for (const group of headersOf[field]) {
    const columns = headers.flatMap((header, column) => (column !== except && group.includes(header) ? [column] : []))
    if (columns.length > 1) throw new ListProblem(line, `two columns are named ${field}`)
    if (columns.length === 1) return columns[0]
  }
  return undefined
}

function isHeadOfText(header: string): boolean {
  const plain = plainHeader(header)
  return !mayHeadIds.has(plain) && [...headersOf.name, ...headersOf.address].flat().includes(plain)
}

function plainHeader(cell: string): string {
  return cell.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

async function columnsWithoutHeader(rows: readonly TableRow[]): Promise<ProjectColumns> {
  const columns = columnNumbers(rows).filter((column) => rows.some(({ cells }) => (cells[column] ?? '') !== ''))
  const isOneColumn = columns.length === 1
  const [first] = rows
  const id = isOneColumn ? (columns[0] ?? 0) : await columnOfIds(first ?? { line: 1, cells: [] }, rows, () => true)
  const [name, ...address] = columns.filter((column) => column !== id)
  return { header: undefined, columnsOf: { id: [id], name: asList(name), address }, requiresLikelyIds: !isOneColumn }
}

function columnNumbers(rows: readonly TableRow[]): number[] {
  const width = rows.reduce((widest, { cells }) => Math.max(widest, cells.length), 0)
  return Array.from({ length: width }, (_, column) => column)
}

/** Returns the column in which at least half of the rows look like ids. */
async function columnOfIds(
  first: TableRow,
  rows: readonly TableRow[],
  isAllowed: (column: number) => boolean,
): Promise<number> {
  for (const isId of [isServiceId, looksLikeId]) {
    const counts = columnNumbers(rows)
      .filter(isAllowed)
      .map((column) => ({ column, count: 0 }))
    for await (const piece of inTurns(rows, rowsPerTurn)) {
      for (const { cells } of piece) for (const one of counts) if (isId(cells[one.column] ?? '')) one.count += 1
    }
    const [best, second] = counts.sort((a, b) => b.count - a.count)
    if (best === undefined || best.count === 0 || best.count * 2 < rows.length) continue
    if (second?.count === best.count) {
      throw new ListProblem(
        first.line,
        'more than one column looks like IDs; the first row has to name id, name and address',
      )
    }
    return best.column
  }
  throw new ListProblem(first.line, 'the first row names no id column; it has to name id, name and address')
}

function asList(column: number | undefined): number[] {
  return column === undefined ? [] : [column]
}

/**
 * Returns how the columns were read, and which non-empty ones were ignored, by header or number; null if there is only
 * one.
 */
function describeColumns({ header, columnsOf }: ProjectColumns, table: readonly TableRow[]): ColumnReading | null {
  const titleOf = (column: number) => header?.cells[column] || `column ${column + 1}`
  const inUse = projectFields.flatMap((field) => columnsOf[field])
  const ignored = (header?.cells ?? []).flatMap((_, column) =>
    !inUse.includes(column) && table.some(({ cells }) => (cells[column] ?? '') !== '') ? [column] : [],
  )
  if (inUse.length + ignored.length === 1) return null
  return {
    id: titleOf(columnsOf.id[0] ?? 0),
    name: columnsOf.name.map(titleOf),
    address: columnsOf.address.map(titleOf),
    ignored: ignored.map(titleOf),
  }
}
