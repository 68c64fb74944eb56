import type { Clock } from '../lib/ports.ts'

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
