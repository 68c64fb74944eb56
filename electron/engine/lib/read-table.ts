import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse'
import { listTooLarge, type ListSource, maxListBytes, readCsvCell, resultHeader } from '../../../shared/csv.ts'
import { AppError } from '../../../shared/errors.ts'
import { formatCount } from '../../../shared/format.ts'
import { requireText } from './decode-text.ts'

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

/** Longer rows are a mistake, such as an unclosed quotation mark. */
const maxRowBytes = 64 * 1024
const rowTooLong = 'the row is longer than 64 KB; a quotation mark may be missing'

/**
 * Maximum raw length of a line: quotation marks, blanks, and delimiters do not count in `maxRowBytes`, and a row with
 * that many of them is malformed.
 */
const maxLineLength = 4 * maxRowBytes

/** Lines for each permitted row: a text in quotation marks may span several, and empty rows do not count. */
const linesPerRow = 10

/** Bytes that are parsed at once: up to a thousand short rows, for which other calls wait about 20 ms. */
const chunkBytes = 4 * 1024

/** Characters that are searched for the delimiter. */
const searchedLength = 64 * 1024

export function listTooLong(maxRows: number): AppError {
  return new AppError(
    'wrong-usage',
    `The list is too long: at most ${formatCount(maxRows)} rows are read at once. Nothing was changed. Remove empty ` +
      'rows, or split it into smaller lists.',
  )
}

/** Returns the text of a list. Throws `wrong-usage` if it is too large, and what `decode` throws. */
export function listText(list: ListSource, decode: typeof requireText = requireText): string {
  const bytes = 'text' in list ? Buffer.byteLength(list.text) : Buffer.byteLength(list.base64, 'base64')
  if (bytes > maxListBytes) throw new AppError('wrong-usage', listTooLarge())
  return 'text' in list ? list.text : decode(Buffer.from(list.base64, 'base64'), 'The list')
}

/** Throws `wrong-usage` for a text with far more lines than a list of `maxRows` rows has. */
export function requireFewLines(text: string, maxRows: number): void {
  const lineEnd = /\r\n?|\n/g
  for (let lines = 0; lineEnd.test(text); lines++) if (lines === maxRows * linesPerRow) throw listTooLong(maxRows)
}

/**
 * Returns the cells of a CSV file, or of rows copied from a spreadsheet: commas, semicolons, or tabs; any line ending;
 * an optional byte order mark. Empty rows are left out. Other work runs between pieces of the text. Throws
 * `ListProblem`, and `wrong-usage` for more than a header and `maxRows` rows.
 */
export async function readTable(text: string, maxRows: number): Promise<ReadRow[]> {
  requireFewLines(text, maxRows)
  const longLine = text.split(/\r\n?|\n/).findIndex((line) => line.length > maxLineLength)
  if (longLine !== -1) throw new ListProblem(longLine + 1, rowTooLong)
  const rows = await readRows(text, maxRows)
  const isOurs = resultHeader.every((title, column) => rows[0]?.cells[column] === title)
  if (!isOurs) return rows
  return rows.map((row) => ({ ...row, cells: row.cells.map(readCsvCell) }))
}

async function readRows(text: string, maxRows: number): Promise<ReadRow[]> {
  const delimiter = delimiterOf(text)
  try {
    return await readCells(text, { delimiter, quote: '"', maxRows })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    try {
      // Spreadsheets quote only cells that need it, and as a whole: a cell such as `"Big" Elm` is meant literally.
      if (delimiter === '\t') return withoutQuotes(await readCells(text, { delimiter, quote: null, maxRows }))
    } catch (thrown) {
      if (!(thrown instanceof CsvError)) throw thrown
    }
    const line: unknown = error.lines
    const problem = error.code === 'CSV_MAX_RECORD_SIZE' ? rowTooLong : 'a quotation mark is out of place'
    throw new ListProblem(typeof line === 'number' ? line : 1, problem, error)
  }
}

function withoutQuotes(rows: readonly ReadRow[]): ReadRow[] {
  const isQuoted = (cell: string) => /^"(?:[^"]|"")*"$/.test(cell)
  const plain = (cell: string) => (isQuoted(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell)
  return rows.map((row) => ({ ...row, cells: row.cells.map(plain) }))
}

interface CellRules {
  readonly delimiter: string
  /** With `null`, quotation marks are ordinary characters. */
  readonly quote: '"' | null
  readonly maxRows: number
}

interface ParsedRow {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

/** Throws `CsvError`. */
async function readCells(text: string, { delimiter, quote, maxRows }: CellRules): Promise<ReadRow[]> {
  const parser = parse({
    bom: true,
    delimiter,
    quote,
    info: true,
    max_record_size: maxRowBytes,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // A quotation mark inside a text is literal, as in 12" or Joe "Bob" Miller.
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
  })
  Readable.from(chunksOf(text)).pipe(parser)
  const rows: ReadRow[] = []
  for await (const { record, info } of parser as AsyncIterable<ParsedRow>) {
    const cells = record.slice(0, record.findLastIndex((cell) => cell !== '') + 1)
    if (cells.length > maxColumns) throw new ListProblem(info.lines, `there are more than ${maxColumns} columns`)
    rows.push({ line: info.lines, cells, width: record.length })
    // The header is not counted.
    if (rows.length > maxRows + 1) throw listTooLong(maxRows)
  }
  return rows
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    yield bytes.subarray(start, start + chunkBytes)
    await nextTurn()
  }
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
