import type { ParsedInput } from '../../../shared/contract/calls.ts'
import { countOf } from '../../../shared/format.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import type { BatchInput, BatchPreview, BatchReview, OrderBatch } from '../../../shared/order/order-views.ts'
import { readOrder } from '../../../shared/order/order-payload.ts'
import { errorFacts } from '../lib/engine-error.ts'
import type { Clock, Log } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'
import type { BatchOrder, LeftOutRow, StoredBatch, StoredBatchCount } from '../store/order-batches-store.ts'
import { readTexts } from '../store/order-texts.ts'
import { type ErrorCode, stopsOrderList } from '../../../shared/error-policy.ts'
import { outcomeOf } from './describe-order.ts'
import { batchResultCsv, resultFileName } from './batch-csv.ts'
import { draftChanged } from './drafts.ts'
import { fingerprintPayload } from './match-order.ts'
import type { OrderDeps } from './order-deps.ts'
import type { Orders } from './create-orders.ts'
import { type BatchPreviewRow, readBatch, type ReadList, readLists, reviewBatch } from './review-batch.ts'

/** Lists of orders that are placed together. `shared/contract/calls.ts` lists the errors of each call. */
export interface Batches {
  preview(input: BatchInput): Promise<BatchPreview>
  create(input: ParsedInput<'batches.create'>): Promise<OrderBatch>
  /** Newest first. */
  list(): OrderBatch[]
  get(batchId: number): OrderBatch
  /** With `ask`, the service's lists of orders are read first. */
  review(batchId: number, options?: { readonly ask?: boolean }): Promise<BatchReview>
  /** Starts placing the orders, and returns immediately. */
  start(batchId: number, options?: StartOptions): OrderBatch
  /** Resolves once the order in flight has its answer. */
  stop(batchId: number): Promise<OrderBatch>
  /** Resolves once nothing of the list is being placed. */
  ended(batchId: number): Promise<OrderBatch>
  result(batchId: number): { readonly name: string; readonly text: string }
}

/** As for `orders.place`. */
interface StartOptions {
  readonly withoutCheck?: boolean
  readonly newModule?: boolean
}

export interface BatchesDeps {
  readonly store: Store
  readonly orders: Pick<Orders, 'place'>
  readonly clock: Pick<Clock, 'nowMs'>
  readonly library: OrderDeps['library']
  /** Reads a project's orders at the service, and records them. */
  readonly readList: ReadList
  readonly logger: Log
  readonly onChanged: (batchId: number) => void
  /** Runs work that closing the engine aborts and waits for. */
  readonly run: <T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>) => Promise<T>
}

type Problem = OrderBatch['stoppedBecause']

/**
 * Returns the queries that only read. `isRunning` is of the process that places the lists: one that nothing places any
 * more counts as stopped, even if that could not be recorded.
 */
export function createBatchQueries(
  store: Store,
  isRunning: (batchId: number) => boolean = () => true,
): Pick<Batches, 'list' | 'get' | 'result'> {
  const withState = (batch: StoredBatch): StoredBatch =>
    batch.state === 'running' && !isRunning(batch.batchId) ? { ...batch, state: 'stopped' } : batch
  return {
    list() {
      const ordersByBatch = Map.groupBy(store.orderBatches.countAllOrders(), ({ batchId }) => batchId)
      return store.orderBatches
        .list()
        .map((batch) => describe(withState(batch), ordersByBatch.get(batch.batchId) ?? []))
    },
    get: (batchId) => describe(withState(requireBatch(store, batchId)), store.orderBatches.countOrders(batchId)),
    result: (batchId) => resultOf(store, requireBatch(store, batchId)),
  }
}

function requireBatch(store: Store, batchId: number): StoredBatch {
  const batch = store.orderBatches.get(batchId)
  if (batch === undefined) throw new AppError('not-found', 'This list of orders no longer exists.')
  return batch
}

export function createBatches(deps: BatchesDeps): Batches {
  const { store, clock, onChanged, run } = deps
  store.orderBatches.endRunning()
  const runner = createRunner(deps)
  const queries = createBatchQueries(store, runner.isRunning)
  const { get } = queries

  async function ended(batchId: number): Promise<OrderBatch> {
    await runner.ended(batchId)
    return get(batchId)
  }

  async function create({ name, includeDuplicates, ...input }: ParsedInput<'batches.create'>): Promise<OrderBatch> {
    const { preview, drafts, region } = await readBatch(deps, input)
    const isWanted = (state: BatchPreviewRow['state']) =>
      state === 'ready' || (includeDuplicates && state === 'duplicate')
    const wanted = drafts.filter(({ state }) => isWanted(state))
    if (wanted.length === 0) {
      throw new AppError('wrong-usage', 'No order of this list can be placed. Nothing was stored; fix the list first.')
    }
    const at = new Date(clock.nowMs()).toISOString()
    const batchId = store.transaction(() => {
      const id = store.orderBatches.insert(name, at)
      for (const { line, texts } of wanted) {
        store.orders.insertDraft({ source: 'list', texts, region, at, batch: { id, line } })
      }
      for (const row of preview.rows) if (!isWanted(row.state)) store.orderBatches.leaveOut(id, leftOutOf(row))
      return id
    })
    onChanged(batchId)
    return get(batchId)
  }

  return {
    preview: (input) => run(undefined, async () => (await readBatch(deps, input)).preview),
    create: (input) => run(undefined, () => create(input)),
    ...queries,
    async review(batchId, { ask = false } = {}) {
      requireBatch(store, batchId)
      if (!ask) return reviewBatch(deps, batchId)
      return run(undefined, async (signal) => {
        const read = await readLists(deps, batchId, signal)
        return { ...reviewBatch(deps, batchId), ...read }
      })
    },
    start(batchId, options = {}) {
      requireBatch(store, batchId)
      if (options.newModule !== true) requireKnownModules(deps, batchId)
      runner.start(batchId, options)
      return get(batchId)
    },
    stop(batchId) {
      requireBatch(store, batchId)
      runner.stop(batchId)
      return ended(batchId)
    },
    ended,
  }
}

function requireKnownModules(deps: BatchesDeps, batchId: number): void {
  const { count, rows } = reviewBatch(deps, batchId).unknownModules
  const [first] = rows
  if (first === undefined) return
  throw new AppError(
    'wrong-usage',
    `Nobody confirmed the module “${first.value}” (line ${first.line}), which is not known here` +
      `${count > 1 ? `, nor those of ${countOf(count - 1, 'more row')}` : ''}. Nothing was sent. Check the names, ` +
      'and confirm them.',
  )
}

/** This many unconfirmed orders in a row point to a cause outside the orders. */
const maxUnconfirmedInARow = 3

const tooManyUnconfirmed = {
  code: 'service-error',
  message:
    'It is not known whether the last orders were placed. The others were not sent. Check those orders, then ' +
    'resume the list.',
} as const

/** Places the orders of one list at a time, one after the other. */
function createRunner(deps: BatchesDeps) {
  const { store, logger, onChanged, run } = deps
  let running: { readonly batchId: number; readonly stop: AbortController; readonly ended: Promise<void> } | undefined

  function setState(batchId: number, state: OrderBatch['state'], because: Problem = null): void {
    store.orderBatches.setState(batchId, state, because)
    onChanged(batchId)
  }

  async function placeAll(batchId: number, options: StartOptions, signal: AbortSignal): Promise<void> {
    const revisions = new Map(store.orderBatches.orders(batchId).map(({ orderId, revision }) => [orderId, revision]))
    const tried = new Set<number>()
    let unconfirmed = 0
    while (!signal.aborted) {
      const next = nextOf(store.orderBatches.orders(batchId), tried)
      if (next === undefined) return setState(batchId, 'done')
      tried.add(next.orderId)
      const isChanged = next.revision !== revisions.get(next.orderId)
      const outcome = await placeOne(deps, next, { isChanged, options })
      if (outcome.kind === 'ended') break
      unconfirmed = outcome.kind === 'unconfirmed' ? unconfirmed + 1 : 0
      const limit = unconfirmed === maxUnconfirmedInARow ? tooManyUnconfirmed : null
      const problem = outcome.kind === 'stop' ? outcome.problem : limit
      if (problem !== null) return setState(batchId, 'stopped', problem)
      onChanged(batchId)
    }
    setState(batchId, 'stopped')
  }

  return {
    /** Throws `wrong-usage` while another list is being placed. */
    start(batchId: number, options: StartOptions): void {
      if (running !== undefined) {
        throw new AppError(
          'wrong-usage',
          'A list of orders is already being placed. Wait until it is done, or stop it first.',
        )
      }
      const stop = new AbortController()
      setState(batchId, 'running')
      const ended = run(stop.signal, (combinedSignal) => placeAll(batchId, options, combinedSignal))
        .finally(() => {
          running = undefined
        })
        .catch((thrown: unknown) => {
          logger.error('A list of orders could not be placed', { batch: batchId, ...errorFacts(toAppError(thrown)) })
          onChanged(batchId)
        })
      running = { batchId, stop, ended }
    },
    isRunning: (batchId: number) => running?.batchId === batchId,
    stop(batchId: number): void {
      if (running?.batchId === batchId) running.stop.abort()
    },
    /** Resolves once nothing of the list is being placed. */
    async ended(batchId: number): Promise<void> {
      if (running?.batchId === batchId) await running.ended
    },
  }
}

/** Returns the next order, untried ones first: one that keeps failing must not hold up the others. */
function nextOf(orders: readonly BatchOrder[], tried: ReadonlySet<number>): BatchOrder | undefined {
  const waiting = orders.filter((order) => outcomeOf(order) === 'waiting' && !tried.has(order.orderId))
  return waiting.find(({ errorCode }) => errorCode === null) ?? waiting[0]
}

type PlaceOutcome =
  | { readonly kind: 'placed' | 'unconfirmed' | 'refused' | 'ended' }
  | { readonly kind: 'stop'; readonly problem: Problem }

/**
 * Errors of one draft, which do not stop its list. `draft-changed` and `not-found`: another window changed or removed
 * the draft in the meantime.
 */
const draftErrors: ReadonlySet<ErrorCode> = new Set(['wrong-usage', 'draft-changed', 'not-found'])

/** Places an order with the values of its row. `isChanged`: somebody edited it since the list was started. */
async function placeOne(
  { store, orders, clock }: BatchesDeps,
  { orderId, texts }: BatchOrder,
  { isChanged, options }: { isChanged: boolean; options: StartOptions },
): Promise<PlaceOutcome> {
  try {
    // It may be half typed, and nobody agreed to these values.
    if (isChanged) throw draftChanged()
    const reading = readOrder(readTexts(texts))
    if (!reading.ok) throw new AppError('wrong-usage', 'This order is no longer complete. Fix it, then place it.')
    const { fingerprint } = fingerprintPayload(reading.payload)
    const { state, problem } = await orders.place({ orderId, fingerprint, ...options })
    if (state !== 'draft') return { kind: state === 'placed' ? 'placed' : 'unconfirmed' }
    return problem !== null && stopsOrderList(problem.code) ? { kind: 'stop', problem } : { kind: 'refused' }
  } catch (thrown) {
    const { code, message } = toAppError(thrown)
    if (code === 'cancelled') return { kind: 'ended' }
    if (!draftErrors.has(code)) return { kind: 'stop', problem: { code, message } }
    store.orders.recordProblem(orderId, { code, message }, new Date(clock.nowMs()).toISOString())
    return { kind: 'refused' }
  }
}

function resultOf(store: Store, { batchId, name }: StoredBatch): { name: string; text: string } {
  const orders = store.orderBatches.orders(batchId).map((order) => ({
    ...order,
    homeownerName: readTexts(order.texts).homeownerName ?? '',
    outcome: outcomeOf(order),
    message: messageOf(order, store.parseJson),
  }))
  const others = store.orderBatches
    .leftOut(batchId)
    .map((row) => ({ ...row, outcome: row.state, serviceId: null, status: null }))
  const rows = [...orders, ...others].sort((a, b) => a.line - b.line)
  return { name: resultFileName(name), text: batchResultCsv(rows) }
}

function messageOf({ errorMessage, fieldProblems }: BatchOrder, parseJson: (text: string) => unknown): string {
  const problems = parseJson(fieldProblems ?? '[]') as RejectedField[]
  return [errorMessage ?? '', ...problems.map(describeProblem)].filter((text) => text !== '').join(' ')
}

interface RejectedField {
  readonly field: string | null
  readonly message: string
}

const describeProblem = ({ field, message }: RejectedField) => (field === null ? message : `${field}: ${message}`)

/** Returns a row that is not ordered, with the reason. */
function leftOutOf({ line, state, projectId, homeownerName, problems, sameAs }: BatchPreviewRow): LeftOutRow {
  const row = { line, projectId, homeownerName }
  if (state === 'wrong') return { ...row, state, message: ['Not ordered.', ...problems.map(describeProblem)].join(' ') }
  return { ...row, state: 'double', message: `Not ordered. ${sameAs ?? ''}`.trim() }
}

function describe(
  { batchId, name, createdAt, state, stoppedCode, stoppedMessage, rowsLeftOut }: StoredBatch,
  ordersByState: readonly StoredBatchCount[],
): OrderBatch {
  const counts = { total: 0, placed: 0, unconfirmed: 0, refused: 0, waiting: 0 }
  for (const orders of ordersByState) {
    counts.total += orders.total
    const outcome = outcomeOf(orders)
    counts[outcome === 'sending' ? 'waiting' : outcome] += orders.total
  }
  const stoppedBecause =
    stoppedCode === null || stoppedMessage === null ? null : { code: stoppedCode, message: stoppedMessage }
  return { batchId, name, createdAt, state, counts, rowsLeftOut, stoppedBecause }
}
