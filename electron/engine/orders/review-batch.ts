import { stopsOrderList } from '../../../shared/error-policy.ts'
import type { FieldNote, OrderTexts } from '../../../shared/order/order-fields.ts'
import {
  type BatchInput,
  type BatchPreview,
  type BatchReview,
  maxReportedLines,
  type OrderLines,
  type OrderValues,
} from '../../../shared/order/order-views.ts'
import { notStated, readOrder } from '../../../shared/order/order-payload.ts'
import type { SetbackRegion } from '../../../shared/order/setback-defaults.ts'
import { listText } from '../lib/read-table.ts'
import type { Store } from '../store/create-store.ts'
import { readTexts } from '../store/order-texts.ts'
import { type OrderListRow, readOrderList } from './batch-csv.ts'
import { outcomeOf } from './describe-order.ts'
import { textsOfProject } from './drafts.ts'
import { recentOrders, sentBefore } from './duplicates.ts'
import { moduleKnowledge, type ModuleKnowledge, startingValuesOf } from './presets.ts'
import { listNotRead, looseKey, projectKey } from './match-order.ts'
import type { AppError } from '../../../shared/errors.ts'
import type { OrderDeps } from './order-deps.ts'
import type { OrderRow } from '../store/orders-store.ts'
import { existingWarnings, maxListWaitMs, moduleWarnings, projectWarnings } from './review-order.ts'

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
  const before = new Map<string, number>()
  const counts = { ready: 0, duplicate: 0, wrong: 0 }
  const others = { unresolved: unresolvedProjects(store, null), lines: linesOfProjects(rows), recent: recentOf(deps) }
  const modules = moduleKnowledge(deps)
  const read = rows.map((row) => {
    const texts = { ...starting.texts, ...textsOfProject(store, row.texts.projectId), ...row.texts }
    const described = describeRow(deps, row, texts, { before, modules, ...others })
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
  const fields = drafts.flatMap(({ state, texts }) =>
    state === 'wrong' ? [] : notStated(texts).map((field) => ({ field, state })),
  )
  return [...Map.groupBy(fields, ({ field }) => field)].map(([field, rows]) => ({
    field,
    rows: rows.length,
    duplicates: rows.filter(({ state }) => state === 'duplicate').length,
  }))
}

/** Returns the orders of the last 24 hours by their keys, as upgrades and as other orders. */
function recentOf(deps: BatchDeps): ReadonlyMap<string, readonly OrderRow[]> {
  return new Map([true, false].flatMap((upgrade) => [...recentOrders(deps, { upgrade, projectId: null })]))
}

type BatchDeps = Pick<OrderDeps, 'store' | 'library'> & { readonly clock: Pick<OrderDeps['clock'], 'nowMs'> }

interface OtherOrders {
  /** Lines of the rows above by `looseKey`, to which each row adds its own. */
  readonly before: Map<string, number>
  /** Unconfirmed order of each project, by its key; see `unresolvedProjects`. */
  readonly unresolved: ReadonlyMap<string, number>
  /** The orders of the last 24 hours by `looseKey`. */
  readonly recent: ReadonlyMap<string, readonly OrderRow[]>
  readonly modules: ModuleKnowledge
  /** Lines of each project's rows, by its key. */
  readonly lines: ReadonlyMap<string, readonly number[]>
}

function linesOfProjects(rows: readonly OrderListRow[]): OtherOrders['lines'] {
  const named = rows.filter(({ texts }) => (texts.projectId ?? '') !== '')
  const byProject = Map.groupBy(named, ({ texts }) => projectKey(texts.projectId ?? ''))
  return new Map([...byProject].map(([key, same]) => [key, same.map(({ line }) => line)]))
}

function describeRow(
  deps: BatchDeps,
  row: OrderListRow,
  texts: OrderTexts,
  { before, recent, unresolved, lines, modules }: OtherOrders,
): BatchPreviewRow {
  const { store } = deps
  const { line, problems: found } = row
  const projectId = row.texts.projectId ?? ''
  const projectName = store.projects.get(projectId)?.name ?? null
  const about = { line, projectId, projectName, homeownerName: texts.homeownerName ?? '' }
  if (found.some(({ field }) => field === null)) {
    return { ...about, state: 'wrong', problems: [...found], warnings: [], sameAs: null }
  }
  const reading = readOrder(texts)
  const sameProject = (lines.get(projectKey(projectId)) ?? []).filter((other) => other !== line)
  const unresolvedId = unresolved.get(projectKey(projectId))
  const warnings = [
    ...reading.warnings,
    ...moduleWarnings(modules, texts),
    ...projectWarnings(store, texts),
    ...(unresolvedId === undefined ? [] : [unresolvedWarning(unresolvedId)]),
    ...(sameProject.length === 0 ? [] : [sameProjectWarning(sameProject)]),
  ]
  const known = new Set(found.map(({ field }) => field))
  const problems = [...found, ...(reading.ok ? [] : reading.problems.filter(({ field }) => !known.has(field)))]
  if (!reading.ok || problems.length > 0) return { ...about, state: 'wrong', problems, warnings, sameAs: null }
  const key = looseKey(reading.payload)
  const sameAs = sameAsOf(before.get(key), sentBefore(store, reading.payload)[0], recent.get(key)?.[0])
  if (!before.has(key)) before.set(key, line)
  if (sameAs !== null) return { ...about, state: 'duplicate', problems, warnings, sameAs }
  const existing = existingWarnings(deps, projectId, ({ state }) => state === 'placed')
  return { ...about, state: 'ready', problems, warnings: [...warnings, ...existing], sameAs }
}

/**
 * Returns which order a row repeats: one above in the list, one that was sent, or a similar one of the last 24 hours.
 */
function sameAsOf(line: number | undefined, sent: OrderRow | undefined, recent: OrderRow | undefined): string | null {
  if (line !== undefined) return `Line ${line} of this list is the same order.`
  if (sent !== undefined) return `${nameOf(sent)} is the same order: ${sentState(sent)}.`
  if (recent === undefined) return null
  return `${nameOf(recent)} of the last 24 hours differs only in spaces or capitals: ${sentState(recent)}.`
}

const nameOf = ({ orderId, serviceId }: OrderRow) =>
  `Order ${orderId}${serviceId === null ? '' : ` (service order ${serviceId})`}`

const sentState = ({ state }: OrderRow) =>
  state === 'placed' ? 'placed' : state === 'submitting' ? 'being sent' : 'unconfirmed'

function unresolvedWarning(orderId: number): FieldNote {
  return {
    field: 'projectId',
    message:
      `Order ${orderId} of this project is unconfirmed: it was sent, and it is not known whether the service has it. ` +
      'A list sends no other order for this project until that is resolved.',
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
 * Returns the keys of projects with an unconfirmed order, and that order's id. Orders of the list `batchId` are left
 * out: rows of one list are meant to differ.
 */
function unresolvedProjects({ orders }: Pick<Store, 'orders'>, batchId: number | null): Map<string, number> {
  const others = orders.waiting().filter((row) => batchId === null || row.batchId !== batchId)
  return new Map(others.map(({ projectId, orderId }) => [projectKey(projectId), orderId]))
}

/** Reads the service's orders of a project, and records them; see `readForReview`. */
export type ReadList = (
  projectId: string,
  signal: AbortSignal,
) => Promise<{ readonly list: unknown; readonly failure: AppError | null }>

/** Lists to read for a review: a third of the calls that the service permits in a minute. */
const maxListsRead = 20

/**
 * Reads the service's orders of the projects of waiting orders, so that the review names them, until an error occurs
 * that every project would meet. One that concerns only its project, such as a partial list, is reported only if no
 * list could be read: otherwise it refuses the orders of that project. Each list is read again right before its order
 * is sent.
 */
export async function readLists(
  { store, readList }: Pick<BatchDeps, 'store'> & { readonly readList: ReadList },
  batchId: number,
  signal: AbortSignal,
): Promise<Pick<BatchReview, 'listProblem' | 'unreadProjects'>> {
  const waiting = waitingOrders(store, batchId)
  // The orders that a failed check stopped come first: the check may succeed by now.
  const ordered = [...waiting].sort((a, b) => Number(b.errorCode !== null) - Number(a.errorCode !== null))
  const projects = [...new Map(ordered.map(({ projectId }) => [projectKey(projectId), projectId])).values()]
  const combinedSignal = AbortSignal.any([signal, AbortSignal.timeout(maxListWaitMs)])
  const asked = projects.slice(0, maxListsRead)
  const failures: AppError[] = []
  let read = 0
  const result = (problem: AppError | undefined) => {
    const unreadProjects = projects.length - read
    if (problem === undefined) return { listProblem: null, unreadProjects }
    const { code, message } = listNotRead(problem)
    return { listProblem: { code, message }, unreadProjects }
  }
  for (const projectId of asked) {
    if (combinedSignal.aborted) break
    const { list, failure } = await readList(projectId, combinedSignal)
    signal.throwIfAborted()
    if (failure !== null && stopsOrderList(failure.code)) return result(failure)
    if (failure !== null) failures.push(failure)
    // Otherwise the turn did not come in time, or the service has no such list.
    else if (list !== null) read += 1
  }
  return result(read === 0 ? failures[0] : undefined)
}

const waitingOrders = (store: Store, batchId: number) =>
  store.orderBatches.orders(batchId).filter((order) => outcomeOf(order) === 'waiting')

/** Returns what to check before the waiting orders of a list are placed. Makes no calls. */
export function reviewBatch(deps: BatchDeps, batchId: number): BatchReview {
  const { store } = deps
  const modules = moduleKnowledge(deps)
  const orders = store.orderBatches.orders(batchId)
  const waiting = waitingOrders(store, batchId)
  const unresolved = unresolvedProjects(store, batchId)
  const ofProject = Map.groupBy(orders, ({ projectId }) => projectKey(projectId))
  const isOther = (row: OrderRow) => row.state === 'placed' && row.batchId !== batchId
  const existing = new Map(
    [...new Set(waiting.map(({ projectId }) => projectId))].map((id) => [id, existingWarnings(deps, id, isOther)]),
  )
  const rows = waiting.map(({ line, projectId, texts: json }) => {
    const texts = readTexts(json)
    const warnings = [
      ...readOrder(texts).warnings,
      ...projectWarnings(store, texts),
      ...(existing.get(projectId) ?? []),
    ]
    return { line, texts, warnings, isModuleUnknown: moduleWarnings(modules, texts).length > 0 }
  })
  const unusual = rows.filter(({ warnings }) => warnings.length > 0)
  // Rows of one list often have the same warning: it is said once.
  const notes = Map.groupBy(
    unusual.flatMap(({ warnings, ...row }) => warnings.map((note) => ({ ...row, note }))),
    ({ note: { field, message } }) => `${field} ${message}`,
  )
  const lines = (chosen: readonly { readonly line: number }[]): OrderLines => ({
    count: chosen.length,
    lines: chosen.slice(0, maxReportedLines).map(({ line }) => line),
  })
  type Row = { readonly line: number; readonly texts: OrderTexts }
  const values = (chosen: readonly Row[], field: keyof OrderTexts): OrderValues => ({
    count: chosen.length,
    rows: chosen.slice(0, maxReportedLines).map(({ line, texts }) => ({
      line,
      homeownerName: texts.homeownerName?.trim() ?? '',
      value: texts[field]?.trim() ?? '',
    })),
  })
  return {
    unusual: lines(unusual),
    notes: [...notes.values()].slice(0, maxReportedLines).flatMap((same) => {
      const [first] = same
      return first === undefined ? [] : [{ ...first.note, orders: values(same, first.note.field) }]
    }),
    moreNotes: Math.max(0, notes.size - maxReportedLines),
    unknownModules: values(
      rows.filter(({ isModuleUnknown }) => isModuleUnknown),
      'designOneModule',
    ),
    listProblem: null,
    unreadProjects: ofProject.size,
    unconfirmed: lines(waiting.filter(({ projectId }) => unresolved.has(projectKey(projectId)))),
    sameProject: lines(waiting.filter(({ projectId }) => (ofProject.get(projectKey(projectId))?.length ?? 0) > 1)),
  }
}
