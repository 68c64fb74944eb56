import type { ParsedInput } from '../../../shared/contract.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import type { BatchInput, BatchPreview, BatchReview, OrderBatch } from '../../../shared/order/order-views.ts'
import { readOrder } from '../../../shared/order/read-order.ts'
import { errorFacts } from '../lib/error-facts.ts'
import type { Clock, Log } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'
import type { BatchOrder, LeftOutRow, StoredBatch, StoredTally } from '../store/order-batches-store.ts'
import { readTexts } from '../store/order-texts.ts'
import { concernsEveryOrder, outcomeOf } from './describe-order.ts'
import { batchResultCsv, resultFileName } from './batch-csv.ts'
import { sealPayload } from './review-order.ts'
import type { Orders } from './create-orders.ts'
import { readBatch, reviewBatch } from './review-batch.ts'

/** Lists of orders. See `shared/contract.ts` for what each throws. */
export interface Batches {
  preview(input: BatchInput): BatchPreview
  create(input: ParsedInput<'batches.create'>): OrderBatch
  /** The last one first. */
  list(): OrderBatch[]
  get(batchId: number): OrderBatch
  review(batchId: number): BatchReview
  /** Begins, and answers at once. */
  start(batchId: number): OrderBatch
  /** Resolves when the order that is on its way has ended. */
  stop(batchId: number): Promise<OrderBatch>
  /** Resolves when nothing of it is being placed any more. */
  ended(batchId: number): Promise<OrderBatch>
  result(batchId: number): { readonly name: string; readonly text: string }
}

export interface BatchesParts {
  readonly store: Store
  readonly orders: Pick<Orders, 'place'>
  readonly clock: Pick<Clock, 'nowMs'>
  readonly logger: Log
  readonly onChanged: (batchId: number) => void
  /** Runs what the engine's closing stops and waits for. */
  readonly run: <T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>) => Promise<T>
}

/** As many in a row of which nobody knows whether they were placed are no matter of the orders. */
const unknownInARow = 3

type PreviewRow = BatchPreview['rows'][number]
type Problem = OrderBatch['stoppedBecause']
type Outcome =
  | { readonly kind: 'placed' | 'unconfirmed' | 'refused' | 'ended' }
  | { readonly kind: 'stop'; readonly problem: Problem }

export function createBatches(parts: BatchesParts): Batches {
  const { store, clock, logger, onChanged, run } = parts
  let running: { readonly batchId: number; readonly stop: AbortController; readonly ended: Promise<void> } | undefined
  store.orderBatches.endRunning()

  function requireBatch(batchId: number): StoredBatch {
    const batch = store.orderBatches.get(batchId)
    if (batch === undefined) throw new AppError('not-found', 'This list of orders is not there any more.')
    return batch
  }

  const get = (batchId: number) => describe(requireBatch(batchId), store.orderBatches.tally(batchId))

  function setState(batchId: number, state: OrderBatch['state'], because: Problem = null): void {
    store.orderBatches.setState(batchId, state, because)
    onChanged(batchId)
  }

  async function placeAll(batchId: number, stop: AbortSignal): Promise<void> {
    const tried = new Set<number>()
    let unknown = 0
    while (!stop.aborted) {
      const next = nextOf(store.orderBatches.orders(batchId), tried)
      if (next === undefined) return setState(batchId, 'done')
      tried.add(next.orderId)
      const outcome = await placeOne(parts, next)
      if (outcome.kind === 'ended') break
      unknown = outcome.kind === 'unconfirmed' ? unknown + 1 : 0
      const problem = outcome.kind === 'stop' ? outcome.problem : unknown === unknownInARow ? nothingKnown : null
      if (problem !== null) return setState(batchId, 'stopped', problem)
      onChanged(batchId)
    }
    setState(batchId, 'stopped')
  }

  async function ended(batchId: number): Promise<OrderBatch> {
    if (running?.batchId === batchId) await running.ended
    return get(batchId)
  }

  return {
    preview: (input) => readBatch(store, input).preview,
    create({ name, withDoubles, ...input }) {
      const { preview, drafts, region } = readBatch(store, input)
      const isWanted = (state: PreviewRow['state']) => state === 'ready' || (withDoubles && state === 'double')
      const wanted = drafts.filter(({ state }) => isWanted(state))
      if (wanted.length === 0) {
        throw new AppError('wrong-usage', 'No order of this list can be placed. Nothing was kept; mend the list first.')
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
    },
    list() {
      const tallies = Map.groupBy(store.orderBatches.tallyAll(), ({ batchId }) => batchId)
      return store.orderBatches.list().map((batch) => describe(batch, tallies.get(batch.batchId) ?? []))
    },
    get,
    review(batchId) {
      requireBatch(batchId)
      return reviewBatch(store, batchId)
    },
    start(batchId) {
      requireBatch(batchId)
      if (running !== undefined) {
        throw new AppError(
          'wrong-usage',
          'A list of orders is being placed already. Wait for its end, or stop it first.',
        )
      }
      const stop = new AbortController()
      setState(batchId, 'running')
      const work = run(stop.signal, (either) => placeAll(batchId, either))
        .catch((thrown: unknown) => {
          logger.error('A list of orders could not be placed', { batch: batchId, ...errorFacts(toAppError(thrown)) })
        })
        .finally(() => {
          running = undefined
        })
      running = { batchId, stop, ended: work }
      return get(batchId)
    },
    stop(batchId) {
      requireBatch(batchId)
      if (running?.batchId === batchId) running.stop.abort()
      return ended(batchId)
    },
    ended,
    result(batchId) {
      const { name } = requireBatch(batchId)
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
    },
  }
}

/** Those that were never tried first: one that nothing helps must not keep the others waiting. */
function nextOf(orders: readonly BatchOrder[], tried: ReadonlySet<number>): BatchOrder | undefined {
  const waiting = orders.filter((order) => outcomeOf(order) === 'waiting' && !tried.has(order.orderId))
  return waiting.find(({ errorCode }) => errorCode === null) ?? waiting[0]
}

/** Sends an order as it stands in its row now. */
async function placeOne({ store, orders, clock }: BatchesParts, { orderId, texts }: BatchOrder): Promise<Outcome> {
  try {
    const reading = readOrder(readTexts(texts))
    if (!reading.ok) throw new AppError('wrong-usage', 'This order is not complete any more. Mend it, then place it.')
    const { state, problem } = await orders.place({ orderId, fingerprint: sealPayload(reading.payload).fingerprint })
    if (state !== 'draft') return { kind: state === 'placed' ? 'placed' : 'unconfirmed' }
    return problem !== null && concernsEveryOrder(problem.code) ? { kind: 'stop', problem } : { kind: 'refused' }
  } catch (thrown) {
    const { code, message } = toAppError(thrown)
    if (code === 'cancelled') return { kind: 'ended' }
    // Also what another window did with it in the meantime.
    if (!['wrong-usage', 'draft-changed', 'not-found'].includes(code))
      return { kind: 'stop', problem: { code, message } }
    store.orders.noteProblem(orderId, { code, message }, new Date(clock.nowMs()).toISOString())
    return { kind: 'refused' }
  }
}

const nothingKnown = {
  code: 'service-error',
  message:
    'Of the last orders it is not known whether they were placed. The others were not sent. Look at those orders, then go on.',
} as const

function messageOf({ errorMessage, fieldProblems }: BatchOrder, parseJson: (text: string) => unknown): string {
  const problems = parseJson(fieldProblems ?? '[]') as FieldProblem[]
  return [errorMessage ?? '', ...problems.map(describeProblem)].filter((text) => text !== '').join(' ')
}

interface FieldProblem {
  readonly field: string | null
  readonly message: string
}

const describeProblem = ({ field, message }: FieldProblem) => (field === null ? message : `${field}: ${message}`)

/** A row that is no order of the list, and why. */
function leftOutOf({ line, state, projectId, homeownerName, problems }: PreviewRow): LeftOutRow {
  const row = { line, projectId, homeownerName }
  if (state === 'wrong') return { ...row, state, message: ['Not taken.', ...problems.map(describeProblem)].join(' ') }
  const message = 'Not taken: the same order stood in a line above, or was placed or on its way already.'
  return { ...row, state: 'double', message }
}

function describe(
  { batchId, name, createdAt, state, stoppedCode, stoppedMessage, rowsLeftOut }: StoredBatch,
  tallies: readonly StoredTally[],
): OrderBatch {
  const counts = { total: 0, placed: 0, unconfirmed: 0, refused: 0, waiting: 0 }
  for (const tally of tallies) {
    counts.total += tally.total
    const outcome = outcomeOf(tally)
    counts[outcome === 'sending' ? 'waiting' : outcome] += tally.total
  }
  const stoppedBecause =
    stoppedCode === null || stoppedMessage === null ? null : { code: stoppedCode, message: stoppedMessage }
  return { batchId, name, createdAt, state, counts, rowsLeftOut, stoppedBecause }
}
