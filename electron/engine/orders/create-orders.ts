import type { CallInput, ParsedInput } from '../../../shared/contract.ts'
import type { OrderTexts } from '../../../shared/order/order-fields.ts'
import type { OrderDetail, OrderPage, OrderQuery, OrderReview } from '../../../shared/order/order-views.ts'
import type { Clock, Log } from '../lib/ports.ts'
import type { Storable } from '../lib/sanitizer.ts'
import type { ServiceClient } from '../service/service-types.ts'
import type { Store } from '../store/create-store.ts'
import { describeOrder, describeSummary } from './describe-order.ts'
import { createDraft, discardDraft, noOrder, saveDraft } from './drafts.ts'
import { createAnswerWindow, type OrderParts, type OrderTimings } from './order-deps.ts'
import { placeOrder } from './place-order.ts'
import { checkOrder, leftSubmitting, settleByPerson, settleWaiting } from './resolve-order.ts'
import { reviewOrder, reviewTexts } from './review-order.ts'

/** Who makes a draft here. */
type DraftSource = Extract<OrderDetail['source'], 'app' | 'command-line'>

/**
 * Orders of designs. Every one is drafted, looked at, and sent once: what was sent is never forgotten, and never sent again
 * before it is known that the service does not have it. See `shared/contract.ts` for what each throws.
 */
export interface Orders {
  list(query: OrderQuery): OrderPage
  get(orderId: number): OrderDetail
  create(input: CallInput<'orders.create'>, source?: DraftSource): OrderDetail
  saveDraft(draft: ParsedInput<'orders.saveDraft'>): { revision: number; savedAt: string }
  discard(orderId: number): void
  review(orderId: number, signal?: AbortSignal): Promise<OrderReview>
  /** What a draft of these texts would send; nothing is kept, and the service is not asked. */
  preview(texts: OrderTexts): OrderReview
  /** Answers how it stands afterwards; see the contract. `cancelled` when the signal aborts before it is sent. */
  place(input: CallInput<'orders.place'>, signal?: AbortSignal): Promise<OrderDetail>
  check(orderId: number, signal?: AbortSignal): Promise<OrderDetail>
  settle(decision: ParsedInput<'orders.settle'>): OrderDetail
  /**
   * Asks for every order of which it is not known whether it was placed, one call a project. Answers how many are left; throws
   * what every other call would meet too (token, network, limit).
   */
  settleWaiting(signal?: AbortSignal): Promise<number>
  /**
   * Nothing is sent from now on. Resolves when every order that is on its way has its answer, for which its call's own limits are
   * the longest wait. To be called before another engine takes this one's place.
   */
  finish(): Promise<void>
}

export interface OrdersOptions {
  readonly store: Store
  readonly client: ServiceClient
  /** Its address. */
  readonly serviceUrl: string
  readonly storable: Storable
  readonly clock: Clock
  readonly logger: Log
  readonly timings: OrderTimings
  readonly onChanged: (orderId: number | null) => void
  /** Runs what the engine's closing stops and waits for. */
  readonly run: <T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>) => Promise<T>
}

/** Puts the work on orders together. What was on its way when Solarchive ended is unconfirmed from here on. */
export function createOrders(options: OrdersOptions): { readonly orders: Orders; readonly parts: OrderParts } {
  const { store, client, serviceUrl, storable, clock, logger, timings, onChanged, run } = options
  const answers = createAnswerWindow(clock, timings.answerWindowMs)
  const finishing = new AbortController()
  const placing = new Set<Promise<unknown>>()
  const parts: OrderParts = {
    ...{ store, client, storable, clock, logger, answers, timings },
    service: new URL(serviceUrl).origin,
    underWay: new Set(),
    finishing: finishing.signal,
    onChanged,
  }
  for (const row of store.orders.waiting()) leftSubmitting(parts, row)

  const get: Orders['get'] = (orderId) => {
    const row = store.orders.get(orderId)
    if (row === undefined) throw noOrder()
    return describeOrder(row, parts)
  }

  const orders: Orders = {
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
        items: rows.map((row) => describeSummary(row, parts)),
        counts: {
          all: drafts + notPlaced + unconfirmed + placed,
          drafts,
          notPlaced,
          unconfirmed,
          placed,
        },
      }
    },
    get,
    create(input, source = 'app') {
      const orderId = createDraft(parts, input, source)
      onChanged(orderId)
      return get(orderId)
    },
    saveDraft: (draft) => saveDraft(parts, draft),
    discard: (orderId) => discardDraft(parts, orderId),
    review: (orderId, signal) => run(signal, (either) => reviewOrder(parts, orderId, either)),
    preview: (texts) => reviewTexts(parts, texts),
    async place(input, signal) {
      const placed = run(signal, async (either) => {
        await placeOrder(parts, input, either)
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
      run(signal, async (either) => {
        await checkOrder(parts, orderId, either)
        return get(orderId)
      }),
    settle(decision) {
      settleByPerson(parts, decision)
      return get(decision.orderId)
    },
    settleWaiting: (signal) => run(signal, (either) => settleWaiting(parts, 'idle', either)),
    async finish() {
      finishing.abort()
      await Promise.allSettled(placing)
    },
  }
  return { orders, parts }
}
