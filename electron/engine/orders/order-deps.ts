import type { Clock, Log } from '../lib/ports.ts'
import type { Storable } from '../lib/sanitizer.ts'
import type { ServiceClient } from '../service/service-types.ts'
import type { Store } from '../store/create-store.ts'

interface Sent {
  readonly orderId: number
  readonly sentAt: string | null
}

/** Until when an answer to an order may be on its way. Before, nobody can say that it was not placed. */
export interface AnswerWindow {
  /** It goes out now. */
  noteSent(orderId: number): void
  isOver(order: Sent): boolean
  /** ISO 8601 UTC. */
  endsAt(order: Sent): string
}

/** Two readings of the same moment may differ by so much. */
const jitterMs = 1000

/**
 * The machine's clock may be set at any time: of what this process sent, a clock that never jumps counts. Of what an earlier one
 * sent, the window is over by the machine's clock or when this process is as old as the window is long, whatever comes first.
 */
export function createAnswerWindow(clock: Clock, windowMs: number): AnswerWindow {
  const openedMs = clock.monotonicMs()
  const sentMs = new Map<number, number>()

  function remainingMs({ orderId, sentAt }: Sent): number {
    const ownMs = sentMs.get(orderId)
    const nowMs = clock.monotonicMs()
    if (ownMs !== undefined) return windowMs - (nowMs - ownMs)
    const byClockMs = sentAt === null ? 0 : Date.parse(sentAt) + windowMs - clock.nowMs()
    return Math.min(byClockMs, windowMs - (nowMs - openedMs))
  }

  return {
    noteSent(orderId) {
      sentMs.set(orderId, clock.monotonicMs())
    },
    isOver: (order) => remainingMs(order) <= 0,
    endsAt(order) {
      const byClockMs = order.sentAt === null ? clock.nowMs() : Date.parse(order.sentAt) + windowMs
      const endMs = clock.nowMs() + remainingMs(order)
      const isPlain = Math.abs(endMs - byClockMs) < jitterMs || (endMs <= clock.nowMs() && byClockMs <= clock.nowMs())
      return new Date(isPlain ? byClockMs : endMs).toISOString()
    },
  }
}

export interface OrderTimings {
  /** So long after an order was sent its answer may still be on its way, or the service at work on it. */
  readonly answerWindowMs: number
  /** So long an order may wait for the service's list and for its turn before it is given up unsent; default: three minutes. */
  readonly longestWaitMs?: number
}

/** A call may take two minutes (its own limit); the service, once nobody waits for it any more, as long again. */
export const defaultOrderTimings: OrderTimings = { answerWindowMs: 5 * 60_000 }

/** What the work on orders needs. */
export interface OrderParts {
  readonly store: Store
  readonly client: ServiceClient
  /** The origin of its address. */
  readonly service: string
  readonly storable: Storable
  readonly clock: Clock
  readonly logger: Log
  readonly answers: AnswerWindow
  readonly timings: OrderTimings
  /** Orders that this process is placing now. */
  readonly underWay: Set<number>
  /** Aborts when nothing is to be sent any more; what is on its way gets its answer. */
  readonly finishing: AbortSignal
  /** An order was made, changed or removed. */
  readonly onChanged: (orderId: number) => void
}

/** The address of the service that an order was sent to, where that is not the present one: nobody but that one can say anything of it. */
export function otherServiceOf(
  { service }: Pick<OrderParts, 'service'>,
  row: { readonly service: string | null },
): string | null {
  return row.service === null || row.service === service ? null : row.service
}

export const nowOf = ({ clock }: Pick<OrderParts, 'clock'>) => new Date(clock.nowMs()).toISOString()
