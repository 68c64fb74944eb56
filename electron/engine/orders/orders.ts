import type { CallInput, ParsedInput } from '../../../shared/contract.ts'
import type { OrderTexts } from '../../../shared/order/order-fields.ts'
import type { OrderDetail, OrderPage, OrderQuery, OrderReview } from '../../../shared/order/order-views.ts'

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

export interface OrderTimings {
  /** So long after an order was sent its answer may still be on its way, or the service at work on it. */
  readonly answerWindowMs: number
  /** So long an order may wait for the service's list and for its turn before it is given up unsent; default: three minutes. */
  readonly longestWaitMs?: number
}

/** A call may take two minutes (its own limit); the service, once nobody waits for it any more, as long again. */
export const defaultOrderTimings: OrderTimings = { answerWindowMs: 5 * 60_000 }
