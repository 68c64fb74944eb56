import type { ColumnReading } from '../../../shared/project-preview.ts'
import { ListProblem, type TableRow } from '../lib/read-table.ts'

export const projectFields = ['id', 'name', 'address'] as const
export type ProjectField = (typeof projectFields)[number]

/** Which columns hold what. Several columns of the address are its parts. */
export interface ProjectColumns {
  /** Undefined where the first row is a project. */
  readonly header: TableRow | undefined
  readonly columnsOf: Readonly<Record<ProjectField, readonly number[]>>
  /** Without a header, what stands where the id belongs must look like one. */
  readonly requiresLikelyIds: boolean
}

/** How spreadsheets head the columns, letters and digits alone. Of those that a list has, the first group is taken. */
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

/** Headers of names below which some write the id. */
const mayHeadIds: ReadonlySet<string> = new Set(['project', 'site', 'job'])

/** Whether a word can hardly be anything but an id: no name, no house number, no ZIP code. */
export function looksLikeId(word: string): boolean {
  if (isServiceId(word) || /^\d{6,}$/.test(word)) return true
  return /^[^\s,;"'/\\]+$/.test(word) && /\d/.test(word) && /\p{L}/u.test(word)
}

/** As all ids of the service are, by its specification. */
export function isServiceId(word: string): boolean {
  return /^[0-9a-f]{24}$/i.test(word)
}

/**
 * Which columns hold the ids, names and addresses: by the header; else the ids are where words look like ids, and what
 * follows is the name, then the address. Throws `ListProblem` when it cannot be told.
 */
export function findProjectColumns(first: TableRow, rest: readonly TableRow[]): ProjectColumns {
  // A row with an id of the service is a project, even one whose name is "ID" or "Site".
  const named = first.cells.some(isServiceId) ? {} : namedColumns(first)
  const isHeader = named.id !== undefined || (Object.keys(named).length > 0 && !first.cells.some(looksLikeId))
  if (!isHeader) return columnsWithoutHeader([first, ...rest])
  const id = named.id ?? columnOfIds(first, rest, (column) => !isHeadOfText(first.cells[column] ?? ''))
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

function columnsWithoutHeader(rows: readonly TableRow[]): ProjectColumns {
  const used = [...new Set(rows.flatMap(({ cells }) => cells.flatMap((cell, column) => (cell === '' ? [] : [column]))))]
  const columns = used.sort((a, b) => a - b)
  const isOneColumn = columns.length === 1
  const [first] = rows
  const id = isOneColumn ? (columns[0] ?? 0) : columnOfIds(first ?? { line: 1, cells: [] }, rows, () => true)
  const [name, ...address] = columns.filter((column) => column !== id)
  return { header: undefined, columnsOf: { id: [id], name: asList(name), address }, requiresLikelyIds: !isOneColumn }
}

/** The column where half of the rows or more have what looks like an id. */
function columnOfIds(first: TableRow, rows: readonly TableRow[], may: (column: number) => boolean): number {
  const width = rows.reduce((widest, { cells }) => Math.max(widest, cells.length), 0)
  const candidates = Array.from({ length: width }, (_, column) => column).filter(may)
  for (const isId of [isServiceId, looksLikeId]) {
    const counts = candidates
      .map((column) => ({ column, count: rows.filter(({ cells }) => isId(cells[column] ?? '')).length }))
      .sort((a, b) => b.count - a.count)
    const [best, second] = counts
    if (best === undefined || best.count === 0 || best.count * 2 < rows.length) continue
    if (second?.count === best.count) {
      throw new ListProblem(
        first.line,
        'more than one column looks like ids; the first row has to name id, name and address',
      )
    }
    return best.column
  }
  throw new ListProblem(first.line, 'the first row names no id column; it has to name id, name and address')
}

function asList(column: number | undefined): number[] {
  return column === undefined ? [] : [column]
}

/** Which columns were read as what, and which with something in them were not, by their headers or numbers; null: there is one. */
export function describeColumns(
  { header, columnsOf }: ProjectColumns,
  table: readonly TableRow[],
): ColumnReading | null {
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
