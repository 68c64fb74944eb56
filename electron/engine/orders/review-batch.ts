import { AppError } from '../../../shared/errors.ts'
import type { FieldNote, OrderTexts } from '../../../shared/order/order-fields.ts'
import {
  type BatchInput,
  type BatchPreview,
  type BatchReview,
  mostBatchRows,
  mostToldLines,
  type OrderLines,
} from '../../../shared/order/order-views.ts'
import { readOrder } from '../../../shared/order/read-order.ts'
import type { SetbackRegion } from '../../../shared/order/setback-defaults.ts'
import { decodeText } from '../lib/read-table.ts'
import type { Store } from '../store/create-store.ts'
import { readTexts } from '../store/order-texts.ts'
import { type OrderRow, readOrderList } from './batch-csv.ts'
import { outcomeOf } from './describe-order.ts'
import { textsOfProject } from './drafts.ts'
import { presetBeginning } from './presets.ts'
import { projectWarnings, sealPayload, sentBefore } from './review-order.ts'

type PreviewRow = BatchPreview['rows'][number]

/** What a row would be a draft of. */
export interface BatchDraft {
  readonly line: number
  readonly state: PreviewRow['state']
  readonly texts: OrderTexts
}

export interface BatchReading {
  readonly preview: BatchPreview
  /** One a row. */
  readonly drafts: readonly BatchDraft[]
  readonly region: SetbackRegion | null
}

/**
 * Reads a list of orders; nothing is kept. A row begins as every draft does: with the default preset, the chosen one over it, and
 * the project's name and address; what the row says stands over all. Throws `wrong-usage` for a list that is too long and
 * `not-found` for a preset that is not there.
 */
export function readBatch(store: Store, { list, presetId }: BatchInput): BatchReading {
  const text = 'text' in list ? list.text : decodeText(Buffer.from(list.base64, 'base64'))
  const { rows, ignoredColumns } = readOrderList(text)
  if (rows.length > mostBatchRows) {
    throw new AppError(
      'wrong-usage',
      `The list has ${rows.length} orders; ${mostBatchRows} are taken at once. Place them in parts.`,
    )
  }
  const usual = presetBeginning(store, presetId)
  const before = new Set<string>()
  const counts = { ready: 0, double: 0, wrong: 0 }
  const others = { unsettled: unsettledProjects(store, null), lines: linesOfProjects(rows) }
  const read = rows.map((row) => {
    const texts = { ...usual.texts, ...textsOfProject(store, row.texts.projectId), ...row.texts }
    const described = describeRow(store, row, texts, { before, ...others })
    counts[described.state] += 1
    return { described, draft: { line: row.line, state: described.state, texts } }
  })
  return {
    preview: { rows: read.map(({ described }) => described), ignoredColumns: [...ignoredColumns], counts },
    drafts: read.map(({ draft }) => draft),
    region: usual.region,
  }
}

interface OtherOrders {
  /** The fingerprints of the rows above, to which a row adds its own. */
  readonly before: Set<string>
  /** See `unsettledProjects`. */
  readonly unsettled: ReadonlyMap<string, number>
  /** Of the rows of each project. */
  readonly lines: ReadonlyMap<string, readonly number[]>
}

function linesOfProjects(rows: readonly OrderRow[]): OtherOrders['lines'] {
  const named = rows.filter(({ texts }) => (texts.projectId ?? '') !== '')
  const byProject = Map.groupBy(named, ({ texts }) => texts.projectId ?? '')
  return new Map([...byProject].map(([projectId, same]) => [projectId, same.map(({ line }) => line)]))
}

function describeRow(
  store: Store,
  row: OrderRow,
  texts: OrderTexts,
  { before, unsettled, lines }: OtherOrders,
): PreviewRow {
  const { line, problems: found } = row
  const projectId = row.texts.projectId ?? ''
  const projectName = store.projects.get(projectId)?.name ?? null
  const about = { line, projectId, projectName, homeownerName: texts.homeownerName ?? '' }
  if (found.some(({ field }) => field === null)) {
    return { ...about, state: 'wrong', problems: [...found], warnings: [] }
  }
  const reading = readOrder(texts)
  const beside = (lines.get(projectId) ?? []).filter((other) => other !== line)
  const open = unsettled.get(projectId)
  const warnings = [
    ...reading.warnings,
    ...projectWarnings(store, texts),
    ...(open === undefined ? [] : [unsettledWarning(open)]),
    ...(beside.length === 0 ? [] : [sameProjectWarning(beside)]),
  ]
  const known = new Set(found.map(({ field }) => field))
  const problems = [...found, ...(reading.ok ? [] : reading.problems.filter(({ field }) => !known.has(field)))]
  if (!reading.ok || problems.length > 0) return { ...about, state: 'wrong', problems, warnings }
  const { fingerprint } = sealPayload(reading.payload)
  const isDouble = before.has(fingerprint) || sentBefore(store, reading.payload).length > 0
  before.add(fingerprint)
  return { ...about, state: isDouble ? 'double' : 'ready', problems, warnings }
}

function unsettledWarning(orderId: number): FieldNote {
  return {
    field: 'projectId',
    message:
      `Order ${orderId} of this project was sent, and whether the service has it is not known. Before that is known this one is ` +
      'not sent from a list.',
  }
}

/** More lines than these say no more. */
const mostLines = 3

function sameProjectWarning(lines: readonly number[]): FieldNote {
  const rest = lines.length - mostLines
  const told = lines.slice(0, mostLines).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
  return {
    field: 'projectId',
    message: `The list has more orders for this project: ${lines.length === 1 ? 'line' : 'lines'} ${told}.`,
  }
}

/**
 * Projects with an order of which nobody knows whether the service has it, and which order that is. Those of the list `batchId` are left
 * out: rows of one list are meant to differ.
 */
export function unsettledProjects({ orders }: Pick<Store, 'orders'>, batchId: number | null): Map<string, number> {
  const others = orders.waiting().filter((row) => batchId === null || row.batchId !== batchId)
  return new Map(others.map(({ projectId, orderId }) => [projectId, orderId]))
}

/** What is to be known of the orders of a list that wait, before they are placed. */
export function reviewBatch(store: Store, batchId: number): BatchReview {
  const orders = store.orderBatches.orders(batchId)
  const waiting = orders.filter((order) => outcomeOf(order) === 'waiting')
  const unsettled = unsettledProjects(store, batchId)
  const ofProject = Map.groupBy(orders, ({ projectId }) => projectId)
  const isUnusual = (json: string) => {
    const texts = readTexts(json)
    return readOrder(texts).warnings.length > 0 || projectWarnings(store, texts).length > 0
  }
  const lines = (those: typeof orders): OrderLines => ({
    count: those.length,
    lines: those.slice(0, mostToldLines).map(({ line }) => line),
  })
  return {
    unusual: lines(waiting.filter(({ texts }) => isUnusual(texts))),
    unsettled: lines(waiting.filter(({ projectId }) => unsettled.has(projectId))),
    sameProject: lines(waiting.filter(({ projectId }) => (ofProject.get(projectId)?.length ?? 0) > 1)),
  }
}
