import { CsvError, parse } from 'csv-parse/sync'

/** A row of a table. `line` is where it ends, from 1. */
export interface TableRow {
  readonly line: number
  /** Without the empty ones at its end. */
  readonly cells: readonly string[]
}

/** A row as it was read. */
export interface ReadRow extends TableRow {
  /** How many cells stand in it, the empty ones at its end too. */
  readonly width: number
}

/** What keeps a list from being read as one at all; the message ends a sentence, as `ProjectRow.problem` does. */
export class ListProblem extends Error {
  readonly line: number

  constructor(line: number, problem: string, cause?: unknown) {
    super(problem, { cause })
    this.line = line
  }
}

/** What is wider is no list. */
const mostColumns = 100

/** How much of a list is searched for what stands between its cells. */
const searchedLength = 64 * 1024

/**
 * The cells of a CSV file, or of rows copied from a spreadsheet: commas, semicolons or tabs; any line ends; a mark of the encoding
 * before it. Rows without anything in them are left out. Throws `ListProblem`.
 */
export function readTable(text: string): ReadRow[] {
  const delimiter = delimiterOf(text)
  try {
    return readCells(text, delimiter, '"')
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    try {
      // A spreadsheet quotes only cells that need it, and those as a whole: one such as `"Big" Elm` is what it says.
      if (delimiter === '\t') return withoutQuotes(readCells(text, delimiter, null))
    } catch (thrown) {
      if (!(thrown instanceof CsvError)) throw thrown
    }
    const line: unknown = error.lines
    throw new ListProblem(typeof line === 'number' ? line : 1, 'a quotation mark is out of place', error)
  }
}

function withoutQuotes(rows: readonly ReadRow[]): ReadRow[] {
  const isQuoted = (cell: string) => /^"(?:[^"]|"")*"$/.test(cell)
  const plain = (cell: string) => (isQuoted(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell)
  return rows.map((row) => ({ ...row, cells: row.cells.map(plain) }))
}

/** `quote` null: quotation marks are letters like all others. Throws `CsvError`. */
function readCells(text: string, delimiter: string, quote: '"' | null): ReadRow[] {
  const records = parse(text, {
    bom: true,
    delimiter,
    quote,
    info: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // A quotation mark inside a text is one, as in 12" or Joe "Bob" Miller.
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
  }) as unknown as { record: string[]; info: { lines: number } }[]
  return records.map(({ record, info }) => {
    const cells = record.slice(0, record.findLastIndex((cell) => cell !== '') + 1)
    if (cells.length > mostColumns) throw new ListProblem(info.lines, `there are more than ${mostColumns} columns`)
    return { line: info.lines, cells, width: record.length }
  })
}

/**
 * A tab where the first line has one: rows of a spreadsheet are pasted so, whatever commas are in them. Else what every line
 * has most of, or the first line where none has it in every line. Quoted text does not count.
 */
export function delimiterOf(text: string): string {
  const unquoted = text.slice(0, searchedLength).replace(/"[^"]*"/g, '')
  const lines = unquoted.split(/[\r\n]+/).filter((line) => line.trim() !== '')
  const first = lines[0] ?? ''
  if (first.includes('\t')) return '\t'
  const inAll = (delimiter: string) => Math.min(...lines.slice(0, 100).map((line) => line.split(delimiter).length))
  const inFirst = (delimiter: string) => first.split(delimiter).length
  const lead = inAll(';') - inAll(',') || inFirst(';') - inFirst(',')
  return lead > 0 ? ';' : ','
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
