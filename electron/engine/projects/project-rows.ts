import { projectIdProblem } from '../../../shared/project-id.ts'
import type { ColumnReading } from '../../../shared/project-preview.ts'
import {
  describeColumns,
  findProjectColumns,
  isServiceId,
  looksLikeId,
  type ProjectColumns,
  type ProjectField,
} from './project-columns.ts'
import { ListProblem, readTable, type TableRow } from '../lib/read-table.ts'

/** Names and addresses longer than this are a mistake, such as a quotation mark that is never closed. */
const longestText = 500

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

/** A list of projects as it was read. */
export interface ProjectRows {
  readonly rows: readonly ProjectRow[]
  /** Null: the list has one column, or cannot be read. */
  readonly reading: ColumnReading | null
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
 * The projects of a table: a header row that names the id (`id`, `project id`), and in any order and case name and address as
 * spreadsheets do; or no header, and columns of ids, names and addresses. Commas, semicolons or tabs; any line ends. Never throws.
 */
export function readProjectRows(text: string): ProjectRows {
  try {
    const table = readTable(withoutAddresses(text))
    const [first, ...rest] = table
    if (first === undefined) throw new ListProblem(1, 'there is no project in the file')
    const columns = findProjectColumns(first, rest)
    if (columns.header === undefined) return readProjects(table, columns)
    if (rest.length === 0) throw new ListProblem(first.line, 'no project follows the header')
    return readProjects(rest, columns)
  } catch (error) {
    if (!(error instanceof ListProblem)) throw error
    const none = { id: '', name: undefined, address: undefined, isRepeated: false }
    return { rows: [{ ...none, line: error.line, problem: error.message }], reading: null }
  }
}

/**
 * Like `readProjectRows`, for what a person pastes: also ids between commas, semicolons and spaces. Names and addresses
 * without a header must not become ids: only where each of several words on a line looks like one are they taken for ids.
 */
export function readPastedRows(pasted: string): ProjectRows {
  const text = withoutAddresses(pasted)
  const lines = text.split(/\r\n?|\n/).map((line) => line.split(/[\s,;]+/).filter((word) => word !== ''))
  const isListOfIds =
    lines.some((words) => words.length > 1) &&
    lines.flat().every(looksLikeId) &&
    // An id of the service with one other word beside it has its name there.
    !lines.some((words) => words.length > 1 && words.filter(isServiceId).length === 1)
  if (!isListOfIds) return readProjectRows(text)
  const rows = lines.flatMap((words, index) => words.map((word) => ({ line: index + 1, cells: [word] })))
  return readProjects(rows, oneColumn)
}

/** `https://host/…/projects/<id>` with anything behind: how a project's page is addressed. Bounded, so that no text makes it slow. */
const pageAddress = /https?:\/\/[^\s,;"']{1,300}?\/projects?\/([0-9a-f]{24})(?![0-9a-z])[^\s,;"']*/gi

/** Ids in place of the addresses of projects' pages, which are easier to copy. */
function withoutAddresses(text: string): string {
  return text.replace(pageAddress, '$1')
}

const oneColumn: ProjectColumns = {
  header: undefined,
  columnsOf: { id: [0], name: [], address: [] },
  requiresLikelyIds: false,
}

function readProjects(table: readonly TableRow[], columns: ProjectColumns): ProjectRows {
  const { header, columnsOf } = columns
  const before = new Map<string, ProjectRow>()
  const rows = table.map(({ line, cells }) => {
    const text = (field: ProjectField) => textOf(columnsOf[field].map((column) => cells[column] ?? ''))
    const id = cells[columnsOf.id[0] ?? 0] ?? ''
    const name = text('name')
    const address = text('address')
    const known = before.get(id)
    const isRepeated = known !== undefined && known.name === name && known.address === address
    const problem =
      projectIdProblem(id) ??
      (columns.requiresLikelyIds && !looksLikeId(id) ? 'the id does not look like a project id' : undefined) ??
      textProblem('name', name) ??
      textProblem('address', address) ??
      (header !== undefined && cells.length > header.cells.length
        ? 'there are more cells than the header names; a text with a comma in it has to stand in quotation marks'
        : undefined) ??
      (known === undefined || isRepeated ? null : `the id is that of line ${known.line}, with another name or address`)
    const row = { line, id, name, address, problem, isRepeated: isRepeated && problem === null }
    if (problem === null && known === undefined) before.set(id, row)
    return row
  })
  return { rows, reading: describeColumns(columns, table) }
}

/** A cell may span lines where it is quoted, as addresses do in spreadsheets. */
function textOf(cells: readonly string[]): string | undefined {
  const parts = cells.map((cell) => cell.replace(/\s+/g, ' ').trim()).filter((part) => part !== '')
  return parts.length === 0 ? undefined : parts.join(', ')
}

function textProblem(field: ProjectField, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (text.length > longestText) return `the ${field} is longer than ${longestText} characters`
  return /\p{Cc}/u.test(text) ? `the ${field} has a control character in it` : undefined
}
