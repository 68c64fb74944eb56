import { z } from 'zod'
import { formatBytes, once } from './format.ts'

/** Maximum size of a list in bytes: four times what 10,000 projects with names and addresses need. */
export const maxListBytes = 4_000_000

/** Message for a list that is too large, as a file, as pasted rows, and on the command line. */
export const listTooLarge = once(
  () =>
    `The list is larger than ${formatBytes(maxListBytes)}, the most that is read at once. Nothing was changed. ` +
    'Split it into smaller lists.',
)

/**
 * A list: a CSV file as text, or as bytes if it was saved in another encoding than UTF-8; or pasted rows. The engine
 * checks its size, so that the error names the limit.
 */
export const listSourceSchema = z.union([z.strictObject({ text: z.string() }), z.strictObject({ base64: z.base64() })])
export type ListSource = z.infer<typeof listSourceSchema>

/**
 * Returns rows as CSV text; everything that writes a table uses this. Lines end with CRLF, as spreadsheets on Windows
 * expect. Control characters are removed, and no text in a cell starts a formula (OWASP, "CSV Injection"); numbers are
 * unchanged, and null is an empty cell.
 */
export function csvText(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
}

export type CsvCell = string | number | null

function csvCell(cell: CsvCell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const plain = cell.replace(/[\t\r\n]+/g, ' ').replace(/\p{Cc}/gu, '')
  const inert = plain.replace(beforeFormula, "$1'")
  return /[",;|]|^\s|\s$/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}

/** Header of the table with the result of an order list: the only table of ours whose texts are read again. */
export const resultHeader = ['line', 'projectId', 'project', 'homeowner', 'state', 'serviceId', 'status', 'message']

/** Returns the text from which `csvText` made this cell of a table of ours, without its control characters. */
export function readCsvCell(cell: string): string {
  return cell.replace(apostropheBeforeFormula, '$1')
}

/**
 * Text that a spreadsheet evaluates, also in full-width characters. Blanks and quotation marks before it can be lost on
 * import. Apostrophes belong to it so that one more can be added and removed without loss.
 */
const formula = String.raw`'*[\s"\p{Cf}]*[=+\-@＝＋－＠]`

/** A formula can also start behind a character that a spreadsheet separates cells at, even in a quoted cell. */
const beforeFormula = new RegExp(`(^|[;|])(?=${formula})`, 'gu')
const apostropheBeforeFormula = new RegExp(`(^|[;|])'(?=${formula})`, 'gu')
