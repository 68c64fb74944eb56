import { csvCell } from '../../../shared/order/order-template.ts'
import type { LeftOutRow } from '../store/order-batches-store.ts'
import type { BatchOutcome } from './batch-outcome.ts'

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

const header = ['line', 'projectId', 'project', 'homeowner', 'state', 'serviceId', 'status', 'message']

/** The rows as a CSV file for spreadsheets: with the mark that tells them its encoding, and no cell that they would calculate. */
export function batchResultCsv(rows: readonly ResultRow[]): string {
  const cells = rows.map((row) => [
    String(row.line),
    ...[row.projectId, row.projectName ?? '', row.homeownerName, row.outcome],
    ...[row.serviceId ?? '', row.status ?? '', row.message],
  ])
  const lines = [header, ...cells].map((line) => `${line.map((cell) => csvCell(inert(cell))).join(',')}\r\n`)
  return `\uFEFF${lines.join('')}`
}

/** Spreadsheets take what begins so for a formula, and texts come from others. */
function inert(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
}

/** What a person may save it as, whatever the list was called. */
export function resultFileName(name: string): string {
  const plain = name.replace(/\.(csv|txt|tsv)$/i, '').replace(/[\p{C}\\/:*?"<>|]/gu, '_')
  return `${plain.slice(0, 80).replace(/^[. ]+|[. ]+$/g, '') || 'orders'} result.csv`
}
