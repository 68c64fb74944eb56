import type { FieldNote, OrderTexts } from '../../../shared/order/order-fields.ts'
import {
  type BatchInput,
  type BatchPreview,
  type BatchReview,
  maxReportedLines,
  type OrderLines,
} from '../../../shared/order/order-views.ts'
import { notStated, readOrder } from '../../../shared/order/order-payload.ts'
import type { SetbackRegion } from '../../../shared/order/setback-defaults.ts'
import { listText } from '../lib/read-table.ts'
import type { Store } from '../store/create-store.ts'
import { readTexts } from '../store/order-texts.ts'
import { type OrderListRow, readOrderList } from './batch-csv.ts'
import { outcomeOf } from './describe-order.ts'
import { textsOfProject } from './drafts.ts'
import { startingValuesOf } from './presets.ts'
import { looseKey } from './match-order.ts'
import type { OrderDeps } from './order-deps.ts'
import { projectWarnings, recentOrders, sentBefore } from './review-order.ts'

export type BatchPreviewRow = BatchPreview['rows'][number]

/** The draft that a row would become. */
export interface BatchDraft {
  readonly line: number
  readonly state: BatchPreviewRow['state']
  readonly texts: OrderTexts
}

export interface BatchReading {
  readonly preview: BatchPreview
  /** One per row. */
  readonly drafts: readonly BatchDraft[]
  readonly region: SetbackRegion | null
}

/**
 * Reads a list of orders without storing anything. A row starts like every draft: with the default preset, overridden
 * by the chosen preset, and the project's name and address; the row's own values override all of them. Throws
 * `wrong-usage` if the list is too long and `not-found` for an unknown preset.
 */
export async function readBatch(deps: BatchDeps, { list, presetId }: BatchInput): Promise<BatchReading> {
  const { store } = deps
  const { rows, ignoredColumns } = await readOrderList(listText(list))
  const starting = startingValuesOf(store, presetId)
  const before = new Set<string>()
  const counts = { ready: 0, double: 0, wrong: 0 }
  const others = { unresolved: unresolvedProjects(store, null), lines: linesOfProjects(rows), recent: recentOf(deps) }
  const read = rows.map((row) => {
    const texts = { ...starting.texts, ...textsOfProject(store, row.texts.projectId), ...row.texts }
    const described = describeRow(store, row, texts, { before, ...others })
    counts[described.state] += 1
    return { described, draft: { line: row.line, state: described.state, texts } }
  })
  const drafts = read.map(({ draft }) => draft)
  return {
    preview: {
      rows: read.map(({ described }) => described),
      ignoredColumns: [...ignoredColumns],
      notStated: countNotStated(drafts),
      counts,
    },
    drafts,
    region: starting.region,
  }
}

function countNotStated(drafts: readonly BatchDraft[]): BatchPreview['notStated'] {
  const fields = drafts.flatMap(({ state, texts }) => (state === 'wrong' ? [] : notStated(texts)))
  return [...Map.groupBy(fields, (field) => field)].map(([field, rows]) => ({ field, rows: rows.length }))
}

/** Returns the keys of the orders of the last 24 hours, as upgrades and as other orders. */
function recentOf(deps: BatchDeps): ReadonlySet<string> {
  return new Set([true, false].flatMap((upgrade) => [...recentOrders(deps, { upgrade, projectId: null }).keys()]))
}

type BatchDeps = Pick<OrderDeps, 'store'> & { readonly clock: Pick<OrderDeps['clock'], 'nowMs'> }

interface OtherOrders {
  /** The `looseKey`s of the rows above, to which each row adds its own. */
  readonly before: Set<string>
  /** Unconfirmed order of each project; see `unresolvedProjects`. */
  readonly unresolved: ReadonlyMap<string, number>
  /** The `looseKey`s of the orders of the last 24 hours. */
  readonly recent: ReadonlySet<string>
  /** Lines of each project's rows. */
  readonly lines: ReadonlyMap<string, readonly number[]>
}

function linesOfProjects(rows: readonly OrderListRow[]): OtherOrders['lines'] {
  const named = rows.filter(({ texts }) => (texts.projectId ?? '') !== '')
  const byProject = Map.groupBy(named, ({ texts }) => texts.projectId ?? '')
  return new Map([...byProject].map(([projectId, same]) => [projectId, same.map(({ line }) => line)]))
}

function describeRow(
  store: Store,
  row: OrderListRow,
  texts: OrderTexts,
  { before, recent, unresolved, lines }: OtherOrders,
): BatchPreviewRow {
  const { line, problems: found } = row
  const projectId = row.texts.projectId ?? ''
  const projectName = store.projects.get(projectId)?.name ?? null
  const about = { line, projectId, projectName, homeownerName: texts.homeownerName ?? '' }
  if (found.some(({ field }) => field === null)) {
    return { ...about, state: 'wrong', problems: [...found], warnings: [] }
  }
  const reading = readOrder(texts)
  const sameProject = (lines.get(projectId) ?? []).filter((other) => other !== line)
  const unresolvedId = unresolved.get(projectId)
  const warnings = [
    ...reading.warnings,
    ...projectWarnings(store, texts),
    ...(unresolvedId === undefined ? [] : [unresolvedWarning(unresolvedId)]),
    ...(sameProject.length === 0 ? [] : [sameProjectWarning(sameProject)]),
  ]
  const known = new Set(found.map(({ field }) => field))
  const problems = [...found, ...(reading.ok ? [] : reading.problems.filter(({ field }) => !known.has(field)))]
  if (!reading.ok || problems.length > 0) return { ...about, state: 'wrong', problems, warnings }
  const key = looseKey(reading.payload)
  const isDuplicate = before.has(key) || recent.has(key) || sentBefore(store, reading.payload).length > 0
  before.add(key)
  return { ...about, state: isDuplicate ? 'double' : 'ready', problems, warnings }
}

function unresolvedWarning(orderId: number): FieldNote {
  return {
    field: 'projectId',
    message:
      `Order ${orderId} of this project was sent, and it is not known whether the service has it. Until then ` +
      'this one is not sent from a list.',
  }
}

/** More lines than these add nothing. */
const maxLines = 3

function sameProjectWarning(lines: readonly number[]): FieldNote {
  const rest = lines.length - maxLines
  const listed = lines.slice(0, maxLines).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
  return {
    field: 'projectId',
    message: `The list has more orders for this project: ${lines.length === 1 ? 'line' : 'lines'} ${listed}.`,
  }
}

/**
 * Returns projects with an unconfirmed order, and that order's id. Orders of the list `batchId` are left out: rows of
 * one list are meant to differ.
 */
function unresolvedProjects({ orders }: Pick<Store, 'orders'>, batchId: number | null): Map<string, number> {
  const others = orders.waiting().filter((row) => batchId === null || row.batchId !== batchId)
  return new Map(others.map(({ projectId, orderId }) => [projectId, orderId]))
}

/** Returns what to check before the waiting orders of a list are placed. */
export function reviewBatch(store: Store, batchId: number): BatchReview {
  const orders = store.orderBatches.orders(batchId)
  const waiting = orders.filter((order) => outcomeOf(order) === 'waiting')
  const unresolved = unresolvedProjects(store, batchId)
  const ofProject = Map.groupBy(orders, ({ projectId }) => projectId)
  const isUnusual = (json: string) => {
    const texts = readTexts(json)
    return readOrder(texts).warnings.length > 0 || projectWarnings(store, texts).length > 0
  }
  const lines = (chosen: typeof orders): OrderLines => ({
    count: chosen.length,
    lines: chosen.slice(0, maxReportedLines).map(({ line }) => line),
  })
  return {
    unusual: lines(waiting.filter(({ texts }) => isUnusual(texts))),
    unconfirmed: lines(waiting.filter(({ projectId }) => unresolved.has(projectId))),
    sameProject: lines(waiting.filter(({ projectId }) => (ofProject.get(projectId)?.length ?? 0) > 1)),
  }
}
