import {
  fieldPath,
  type OrderFieldName,
  orderFieldNames,
  orderFields,
  type OrderTexts,
} from '../../../shared/order/order-fields.ts'
import { csvText, resultHeader } from '../../../shared/csv.ts'
import { isExampleText } from '../../../shared/order/order-template.ts'
import { maxBatchRows } from '../../../shared/order/order-views.ts'
import { delimiterOf, listTooLong, ListProblem, type ReadRow, readTable, type TableRow } from '../lib/read-table.ts'
import type { LeftOutRow } from '../store/order-batches-store.ts'
import type { BatchOutcome } from './describe-order.ts'

/** A problem of a row that no field's rule finds. `field` is null if the row as a whole cannot be read. */
export interface RowProblem {
  readonly field: OrderFieldName | null
  readonly message: string
}

/** A row of a list of orders. `line` is where it ends, from 1; empty cells are left out of `texts`. */
export interface OrderListRow {
  readonly line: number
  readonly texts: OrderTexts
  readonly problems: readonly RowProblem[]
}

export interface OrderListReading {
  readonly rows: readonly OrderListRow[]
  /** Headers (or numbers) of columns that hold values but are not fields of an order. */
  readonly ignoredColumns: readonly string[]
}

type CsvLine = ReadRow & { readonly problem?: string }

/**
 * Reads the orders of a CSV list: a header row that names fields by name, label, or path, in any order and case; one
 * order per row. Commas, semicolons, or tabs; any line ending. A list that cannot be read becomes one invalid row.
 * Throws only `wrong-usage`, for more than `maxBatchRows` rows.
 */
export async function readOrderList(text: string): Promise<OrderListReading> {
  try {
    const [header, ...lines] = await readLines(text)
    if (header === undefined) throw new ListProblem(1, 'There is nothing in the list.')
    if (header.problem !== undefined) throw new ListProblem(header.line, header.problem)
    const fields = header.cells.map((cell) => fieldsByHeader.get(plainHeader(cell)))
    const problems = headerProblems(fields, lines.length)
    if (problems.length > 0) throw new ListProblem(header.line, problems.join(' '))
    return { rows: lines.map((line) => readRow(line, fields)), ignoredColumns: ignoredOf(header, fields, lines) }
  } catch (error) {
    if (!(error instanceof ListProblem)) throw error
    return { rows: [invalidRow(error.line, sentence(error.message))], ignoredColumns: [] }
  }
}

/** A misplaced quotation mark can pull the following lines into its cell; then each line is read on its own. */
async function readLines(text: string): Promise<CsvLine[]> {
  const delimiter = delimiterOf(text)
  try {
    const table = await readTable(text, maxBatchRows)
    const width = table[0]?.cells.length ?? 0
    if (!table.some((row) => swallowsLines(row, width, delimiter))) return table
  } catch (error) {
    if (!(error instanceof ListProblem)) throw error
  }
  const lines: CsvLine[] = []
  for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
    if (line.trim() === '') continue
    lines.push(...(await readLine(line, index + 1)))
    // The header is not counted.
    if (lines.length > maxBatchRows + 1) throw listTooLong(maxBatchRows)
  }
  return lines
}

function swallowsLines({ cells }: TableRow, width: number, delimiter: string): boolean {
  const longCells = cells.filter((cell) => /[\r\n]/.test(cell))
  return (
    longCells.length > 0 && (cells.length > width || longCells.some((cell) => cell.split(delimiter).length >= width))
  )
}

async function readLine(text: string, line: number): Promise<CsvLine[]> {
  const isWhole = (text.match(/"/g)?.length ?? 0) % 2 === 0
  if (!isWhole) return [{ line, cells: [], width: 0, problem: 'A quotation mark is out of place.' }]
  try {
    return (await readTable(text, 1)).map((row) => ({ ...row, line }))
  } catch (error) {
    if (!(error instanceof ListProblem)) throw error
    return [{ line, cells: [], width: 0, problem: sentence(error.message) }]
  }
}

/** Returns everything that is wrong with the header, so that nobody fixes one problem after the other. */
function headerProblems(fields: readonly (OrderFieldName | undefined)[], rowCount: number): string[] {
  const repeated = new Set(fields.filter((field, column) => field !== undefined && fields.indexOf(field) < column))
  return [
    ...[...repeated].map((field) => `Two columns are named ${field}. Remove one of them.`),
    ...(fields.includes('projectId')
      ? []
      : ['The first row has to name the columns, and one of them has to be projectId. The template has such a row.']),
    ...(rowCount === 0 ? ['No order follows the header.'] : []),
  ]
}

const plainHeader = (cell: string) => cell.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

const fieldsByHeader: ReadonlyMap<string, OrderFieldName> = new Map(
  orderFieldNames.flatMap((name) =>
    [name, orderFields[name].label, fieldPath(name)].map((header) => [plainHeader(header), name] as const),
  ),
)

function readRow(
  { line, cells, width, problem }: CsvLine,
  fields: readonly (OrderFieldName | undefined)[],
): OrderListRow {
  if (problem !== undefined) return invalidRow(line, problem)
  // Extra cells may belong to any column before them, so the row's values cannot be trusted.
  if (cells.length > fields.length) {
    return invalidRow(
      line,
      'There are more cells than the header names. A text with a comma in it needs quotation marks.',
    )
  }
  // If a cell is missing, all cells after it are in the wrong column. An empty cell keeps its comma.
  if (width < fields.length) {
    return invalidRow(
      line,
      `There are fewer cells (${width}) than the header names (${fields.length}). An empty cell needs its comma too.`,
    )
  }
  const named = fields.flatMap((field, column) => {
    const text = (cells[column] ?? '').replace(/\s+/g, ' ').trim()
    return field === undefined || text === '' ? [] : [[field, text] as const]
  })
  const problems = named.flatMap(([field, text]) => {
    const message = problemOf(field, text)
    return message === undefined ? [] : [{ field, message }]
  })
  return { line, texts: Object.fromEntries(named), problems }
}

function problemOf(field: OrderFieldName, text: string): string | undefined {
  if (isExampleText(field, text)) return "This is the template's example. Enter your own value, or remove the row."
  const isNumber = field === 'projectId' && /^\d(\.\d+)?e\+?\d+$/i.test(text)
  return isNumber
    ? 'A spreadsheet turned this ID into a number. Format the column as text and enter the ID again.'
    : undefined
}

function ignoredOf(
  header: CsvLine,
  fields: readonly (OrderFieldName | undefined)[],
  lines: readonly CsvLine[],
): string[] {
  return fields.flatMap((field, column) =>
    field === undefined && lines.some(({ cells }) => (cells[column] ?? '') !== '')
      ? [(header.cells[column] || `column ${column + 1}`).slice(0, 100)]
      : [],
  )
}

const invalidRow = (line: number, message: string): OrderListRow => ({
  line,
  texts: {},
  problems: [{ field: null, message }],
})

/** Messages of the table reader are fragments of a sentence. */
const sentence = (problem: string) =>
  `${problem[0]?.toUpperCase()}${problem.slice(1)}${problem.endsWith('.') ? '' : '.'}`

export interface ResultRow {
  readonly line: number
  readonly projectId: string
  readonly projectName: string | null
  readonly homeownerName: string
  readonly outcome: BatchOutcome | LeftOutRow['state']
  readonly serviceId: string | null
  readonly status: string | null
  readonly message: string
}

/** Returns the rows as a CSV file for spreadsheets, with a byte order mark. */
export function batchResultCsv(rows: readonly ResultRow[]): string {
  const cells = rows.map((row) => [
    String(row.line),
    row.projectId,
    row.projectName ?? '',
    row.homeownerName,
    row.outcome,
    row.serviceId ?? '',
    row.status ?? '',
    row.message,
  ])
  return `\uFEFF${csvText([resultHeader, ...cells])}`
}

/** Returns a safe file name for the result, whatever the list is called. */
export function resultFileName(name: string): string {
  const safe = name.replace(/\.(csv|txt|tsv)$/i, '').replace(/[\p{C}\\/:*?"<>|]/gu, '_')
  return `${safe.slice(0, 80).replace(/^[. ]+|[. ]+$/g, '') || 'orders'} result.csv`
}
