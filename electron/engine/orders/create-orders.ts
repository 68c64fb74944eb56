import type { CallInput, ParsedInput } from '../../../shared/contract/calls.ts'
import type { OrderTexts } from '../../../shared/order/order-fields.ts'
import {
  isNotKept,
  type OrderDetail,
  type OrderPage,
  type OrderQuery,
  type OrderReview,
} from '../../../shared/order/order-views.ts'
import type { OrderRow } from '../store/orders-store.ts'
import { describeDetail, describeSummary } from './describe-order.ts'
import { ProjectLocks } from '../lib/project-locks.ts'
import { createDraft, discardDraft, leftDraft, requireOrder, saveDraft } from './drafts.ts'
import { fingerprintPayload } from './match-order.ts'
import { createAnswerWindow, type OrderDeps } from './order-deps.ts'
import { placeOrder, requireComplete } from './place-order.ts'
import { checkOrder, unconfirmIfSubmitting, resolveByUser } from './resolve-order.ts'
import { reviewOrder, reviewTexts } from './review-order.ts'

/** Source of a draft that this process created. */
type DraftSource = Extract<OrderDetail['source'], 'app' | 'command-line'>

/**
 * Design orders. Each is drafted, reviewed, and sent once: an order that was sent is never forgotten, and it is never
 * sent again before it is known that the service does not have it. `shared/contract/calls.ts` lists the errors of each
 * call.
 */
export interface Orders {
  list(query: OrderQuery): OrderPage
  get(orderId: number): OrderDetail
  create(input: CallInput<'orders.create'>, source?: DraftSource): OrderDetail
  saveDraft(draft: ParsedInput<'orders.saveDraft'>): { revision: number; savedAt: string }
  discard(orderId: number, revision?: number): void
  /**
   * Runs the work of a command on a draft of these texts: a new one, or the same one that an earlier command left. Work
   * on the same order is done one after the other, so that each finds what became of it; `onWait` is called if this one
   * has to wait. The draft is discarded at the end if it was not sent or was refused, because the order is in its file.
   * `held` aborts with the signal, and if the engine closes. Throws `wrong-usage` if the texts are not complete.
   */
  withDraft<T>(
    texts: OrderTexts,
    work: (orderId: number, held: AbortSignal) => Promise<T>,
    options?: { readonly signal?: AbortSignal; readonly onWait?: () => void },
  ): Promise<T>
  review(orderId: number, signal?: AbortSignal): Promise<OrderReview>
  /** Returns what a draft of these texts would send, without storing anything or asking the service. */
  preview(texts: OrderTexts): OrderReview
  /**
   * Returns the order's state afterwards; see the contract. Throws `cancelled` if the signal aborts before it is sent.
   */
  place(input: CallInput<'orders.place'>, signal?: AbortSignal): Promise<OrderDetail>
  check(orderId: number, signal?: AbortSignal): Promise<OrderDetail>
  resolve(decision: ParsedInput<'orders.settle'>): OrderDetail
  /**
   * Stops sending. Resolves once every order in flight has its answer, which takes at most as long as a call may take.
   * Called before another engine replaces this one.
   */
  finish(): Promise<void>
}

export interface OrdersOptions extends Pick<
  OrderDeps,
  'store' | 'client' | 'sanitizer' | 'clock' | 'logger' | 'timings'
> {
  /** The service's address. */
  readonly serviceUrl: string
  readonly onChanged: (orderId: number | null) => void
  /** Runs work that closing the engine aborts and waits for. */
  readonly run: <T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>) => Promise<T>
}

/**
 * Queries about orders, also beside the process that owns the data folder. `isInFlight` is of the process that sends
 * them: an order whose answer nothing waits for any more counts as unconfirmed, even if that could not be recorded.
 */
export function createOrderQueries(
  deps: Pick<OrderDeps, 'store' | 'answers' | 'service' | 'clock'>,
  isInFlight: (orderId: number) => boolean = () => true,
): Pick<Orders, 'list' | 'get'> {
  const { store } = deps
  const withState = (row: OrderRow): OrderRow =>
    row.state === 'submitting' && !isInFlight(row.orderId) ? { ...row, state: 'unconfirmed' } : row
  return {
    list(query) {
      const { total, rows } = store.orders.list(query)
      const byState = store.orders.countByState()
      const notPlaced = store.orders.countNotPlaced()
      const drafts = (byState.get('draft') ?? 0) - notPlaced
      const unconfirmed = (byState.get('submitting') ?? 0) + (byState.get('unconfirmed') ?? 0)
      const placed = byState.get('placed') ?? 0
      return {
        total,
        offset: query.offset,
        items: rows.map((row) => describeSummary(withState(row), deps)),
        counts: { all: drafts + notPlaced + unconfirmed + placed, drafts, notPlaced, unconfirmed, placed },
      }
    },
    get: (orderId) => describeDetail(withState(requireOrder(deps, orderId)), deps),
  }
}

/** Creates the order service. Orders that were in flight when Solarchive ended become unconfirmed. */
export function createOrders(options: OrdersOptions): { readonly orders: Orders; readonly deps: OrderDeps } {
  const { store, client, serviceUrl, sanitizer, clock, logger, timings, onChanged, run } = options
  const answers = createAnswerWindow(clock, timings.answerWindowMs)
  const finishing = new AbortController()
  const placing = new Set<Promise<unknown>>()
  /** By the fingerprints of the orders of commands. */
  const turns = new ProjectLocks()
  const deps: OrderDeps = {
    store,
    client,
    sanitizer,
    clock,
    logger,
    answers,
    timings,
    service: new URL(serviceUrl).origin,
    library: { names: null },
    inFlight: new Set(),
    finishing: finishing.signal,
    onChanged,
  }
  for (const row of store.orders.waiting()) unconfirmIfSubmitting(deps, row)

  const queries = createOrderQueries(deps, (orderId) => deps.inFlight.has(orderId))
  const { get } = queries
  const orders: Orders = {
    ...queries,
    create(input, source = 'app') {
      const orderId = createDraft(deps, input, source)
      onChanged(orderId)
      return get(orderId)
    },
    saveDraft: (draft) => saveDraft(deps, draft),
    discard: (orderId, revision) => discardDraft(deps, orderId, revision),
    withDraft: (texts, work, { signal, onWait } = {}) =>
      run(signal, async (held) => {
        const payload = requireComplete(texts)
        const { fingerprint } = fingerprintPayload(payload)
        if (turns.isBusy(fingerprint)) onWait?.()
        const workOnDraft = async () => {
          const orderId = leftDraft(deps, payload) ?? orders.create({ texts }, 'command-line').orderId
          try {
            return await work(orderId, held)
          } finally {
            // The command may have been killed while its order was sent.
            while (deps.inFlight.has(orderId)) await Promise.allSettled(placing)
            // In the app, it may have been edited, or discarded for another one that has its number now.
            if (leftDraft(deps, payload) === orderId && isNotKept(get(orderId))) discardDraft(deps, orderId)
          }
        }
        return turns.run(fingerprint, workOnDraft, held)
      }),
    review: (orderId, signal) => run(signal, (combinedSignal) => reviewOrder(deps, orderId, combinedSignal)),
    preview: (texts) => reviewTexts(deps, texts),
    async place(input, signal) {
      const placed = run(signal, async (combinedSignal) => {
        await placeOrder(deps, input, combinedSignal)
        return get(input.orderId)
      })
      placing.add(placed)
      try {
        return await placed
      } finally {
        placing.delete(placed)
      }
    },
    check: (orderId, signal) =>
      run(signal, async (combinedSignal) => get(await checkOrder(deps, orderId, combinedSignal))),
    resolve(decision) {
      resolveByUser(deps, decision)
      return get(decision.orderId)
    },
    async finish() {
      finishing.abort()
      await Promise.allSettled(placing)
    },
  }
  return { orders, deps }
}
