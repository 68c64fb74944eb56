import type { Clock, Log } from '../lib/ports.ts'
import { dayMs, toIso } from '../lib/time.ts'
import type { Sanitizer } from '../lib/sanitizer.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { Store } from '../store/create-store.ts'

interface Sent {
  readonly orderId: number
  readonly sentAt: string | null
}

/**
 * Time after sending in which the answer may still arrive. Until it is over, an order cannot be declared not placed.
 */
export type AnswerWindow = ReturnType<typeof createAnswerWindow>

/** Two clock readings of the same moment may differ by this much. */
const jitterMs = 1000

/**
 * Because the system clock can be changed at any time, orders that this process sent are timed by the monotonic clock.
 * For orders of an earlier process the window ends by the system clock, or once this process has run as long as the
 * window lasts, whichever comes first.
 */
export function createAnswerWindow(clock: Clock, windowMs: number) {
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
    /** To be called when an order is being sent. */
    recordSent(orderId: number): void {
      sentMs.set(orderId, clock.monotonicMs())
    },
    isOver: (order: Sent) => remainingMs(order) <= 0,
    /** Returns an ISO 8601 UTC time. */
    endsAt(order: Sent): string {
      const byClockMs = order.sentAt === null ? clock.nowMs() : Date.parse(order.sentAt) + windowMs
      const endMs = clock.nowMs() + remainingMs(order)
      const isPlain = Math.abs(endMs - byClockMs) < jitterMs || (endMs <= clock.nowMs() && byClockMs <= clock.nowMs())
      return toIso(isPlain ? byClockMs : endMs)
    },
  }
}

export interface OrderTimings {
  /** Time after sending in which the answer may still arrive, or the service may still be processing the order. */
  readonly answerWindowMs: number
  /**
   * Time that an order may wait for the service's list and for its turn before it stays a draft, and that a check may
   * wait for the list. Default: `defaultMaxWaitMs`.
   */
  readonly maxWaitMs?: number
  /** Time to wait for the service's list of orders while a person waits. Default: `defaultPatienceMs`. */
  readonly patienceMs?: number
}

/**
 * A list of hundreds of orders takes a second or two, and nobody should wonder for longer than 15 seconds why nothing
 * happens.
 */
const defaultPatienceMs = 12_000

/** Returns the time to wait for the service's list of orders while a person waits, at most `maxMs`. */
export function patienceMs({ timings }: Pick<OrderDeps, 'timings'>, maxMs = Infinity): number {
  return Math.min(timings.patienceMs ?? defaultPatienceMs, maxMs)
}

/**
 * A service may ask for a pause of an hour. An order must not be sent unnoticed after the user expects it to have
 * failed, and nobody waits so long for a check.
 */
const defaultMaxWaitMs = 3 * 60_000

/** Returns the time to wait for the service while a person waits, its limit on calls included. */
export const maxWaitMsOf = ({ timings }: Pick<OrderDeps, 'timings'>) => timings.maxWaitMs ?? defaultMaxWaitMs

/** A call may take two minutes (its own limit); an abandoned request may keep the service busy for as long again. */
export const defaultOrderTimings: OrderTimings = { answerWindowMs: 5 * 60_000 }

/** Dependencies of everything that works on orders. */
export interface OrderDeps {
  readonly store: Store
  readonly client: ServiceClient
  /** Origin of the service's address. */
  readonly service: string
  readonly sanitizer: Sanitizer
  readonly clock: Clock
  readonly logger: Log
  readonly answers: AnswerWindow
  readonly timings: OrderTimings
  /** Module names of the service's library, as this process read it last; null until then. */
  readonly library: { names: readonly string[] | null }
  /** Ids of the orders that this process is placing. */
  readonly inFlight: Set<number>
  /** Aborts when nothing more may be sent; orders in flight still get their answer. */
  readonly finishing: AbortSignal
  /** Called after an order was created, changed, or removed. */
  readonly onChanged: (orderId: number) => void
}

/**
 * Returns the address of the service that an order was sent to, or null if it is the current one. No other service
 * knows anything about that order.
 */
export function otherServiceOf(
  { service }: Pick<OrderDeps, 'service'>,
  row: { readonly service: string | null },
): string | null {
  return row.service === null || row.service === service ? null : row.service
}

/**
 * Days after sending during which an order that was given up is looked for. People place an order that seems lost again
 * within days, and a service that works on a backlog for a month is not known.
 */
const followedDays = 30

/** Returns where and since when orders that were given up are looked for. */
export function whereFollowed({ clock, service }: Pick<OrderDeps, 'clock' | 'service'>) {
  return { service, since: toIso(clock.nowMs() - followedDays * dayMs) }
}

export const nowOf = ({ clock }: Pick<OrderDeps, 'clock'>) => toIso(clock.nowMs())
