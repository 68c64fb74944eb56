import { CsvError, parse } from 'csv-parse/sync'

/** A row of a table. `line` is where it ends, from 1. */
export interface TableRow {
  readonly line: number
  /** Cells without trailing empty ones. */
  readonly cells: readonly string[]
}

/** A row with its full width. */
export interface ReadRow extends TableRow {
  /** Number of cells, trailing empty ones included. */
  readonly width: number
}

/** Reason why a list cannot be read at all; the message completes a sentence, as `ProjectListRow.problem` does. */
export class ListProblem extends Error {
  readonly line: number

  constructor(line: number, problem: string, cause?: unknown) {
    super(problem, { cause })
    this.line = line
  }
}

/** A text with more columns is not a list. */
const maxColumns = 100

/** Characters that are searched for the delimiter. */
const searchedLength = 64 * 1024

/**
 * Returns the cells of a CSV file, or of rows copied from a spreadsheet: commas, semicolons, or tabs; any line ending;
 * an optional byte order mark. Empty rows are left out. Throws `ListProblem`.
 */
export function readTable(text: string): ReadRow[] {
  const delimiter = delimiterOf(text)
  try {
    return readCells(text, delimiter, '"')
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    try {
      // Spreadsheets quote only cells that need it, and as a whole: a cell such as `"Big" Elm` is meant literally.
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

/** With `quote` `null`, quotation marks are ordinary characters. Throws `CsvError`. */
function readCells(text: string, delimiter: string, quote: '"' | null): ReadRow[] {
  const records = parse(text, {
    bom: true,
    delimiter,
    quote,
    info: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // A quotation mark inside a text is literal, as in 12" or Joe "Bob" Miller.
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
  }) as unknown as { record: string[]; info: { lines: number } }[]
  return records.map(({ record, info }) => {
    const cells = record.slice(0, record.findLastIndex((cell) => cell !== '') + 1)
    if (cells.length > maxColumns) throw new ListProblem(info.lines, `there are more than ${maxColumns} columns`)
    return { line: info.lines, cells, width: record.length }
  })
}

/**
 * Returns a tab if the first line has one: rows pasted from a spreadsheet have tabs, whatever commas they contain.
 * Otherwise the delimiter that is most frequent in every line, or in the first line if neither is in every line. Quoted
 * text does not count.
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
 * Returns the text of a file that some program saved: UTF-8 or UTF-16 by its byte order mark, UTF-8 without one,
 * otherwise Windows-1252, which spreadsheets still write as "CSV".
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
