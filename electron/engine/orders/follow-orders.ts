import type { ErrorCode } from '../../../shared/error-policy.ts'
import type { CallPriority } from '../service/service-types.ts'
import type { FollowedOrderRow, OrderPollRow } from '../store/order-polls-store.ts'
import { askForOrders } from './match-order.ts'
import { nowOf, type OrderParts } from './order-deps.ts'
import { nextOrderPollMs, type OrderPollFacts } from './order-poll-schedule.ts'
import { recordListed } from './record-order.ts'
import { answerQuestions, openQuestions } from './resolve-order.ts'

/** Keeps orders as the service has them. */
export interface OrderFollower {
  /**
   * Asks for what is due, a few projects one after the other, behind all other calls; the rest next time. At its first time also
   * for every order of which nobody knows whether it was placed. Throws what every other call would meet too.
   */
  followDue(signal: AbortSignal): Promise<void>
  /** Asks for a project's orders now. `listed` null: the service has no such list, or does not give it. */
  refresh(projectId: string, signal: AbortSignal): Promise<{ listed: number | null }>
}

const minuteMs = 60_000

/** The call is known from a client only: where the service does not have it, or means something else by it, it is left for a day. */
const quietMs = 24 * 60 * minuteMs
/** A service in trouble, a lost connection. */
const troubleMs = 15 * minuteMs

/**
 * The watch looks every 20 s: a thousand orders of one day would want 52 of the 60 calls that the service allows in a minute; so
 * they get 15, and each is asked about less often.
 */
const mostInARow = 5

export function createFollower(
  parts: OrderParts,
  settleWaiting: (signal: AbortSignal) => Promise<unknown>,
): OrderFollower {
  const { store, client, clock } = parts
  let hasSettled = false

  async function ask(projectId: string, priority: CallPriority, signal: AbortSignal): Promise<number | null> {
    const questions = openQuestions(parts, projectId)
    let nothingBecause: ErrorCode | undefined
    const onNothing = (code: ErrorCode) => {
      nothingBecause = code
    }
    const list = await askForOrders(client, projectId, { priority, signal, onNothing }).catch((error: unknown) => {
      if (!signal.aborted) noteAsked(projectId, troubleMs)
      throw error
    })
    answerQuestions(parts, questions, list)
    if (list !== null) await recordListed(parts, projectId, list.orders, signal)
    noteAsked(projectId, list !== null ? null : nothingBecause === 'service-error' ? troubleMs : quietMs)
    return list?.orders.length ?? null
  }

  /** `restMs` null: it was answered. */
  function noteAsked(projectId: string, restMs: number | null): void {
    const nowMs = clock.nowMs()
    const at = nowOf(parts)
    const poll = { projectId, askedAt: at, answeredAt: restMs === null ? at : null, nextAt: null }
    const orders = store.orderPolls.orders(parts.service).filter((order) => order.projectId === projectId)
    const nextMs = restMs === null ? nextOrderPollMs(factsOf(poll, orders), nowMs) : nowMs + restMs
    // Of a project without orders nothing is followed.
    const nextAt = new Date(Number.isFinite(nextMs) ? nextMs : nowMs + quietMs).toISOString()
    store.orderPolls.noteAsked({ projectId, at, isAnswered: restMs === null, nextAt })
  }

  function nextDue(): string | undefined {
    const nowMs = clock.nowMs()
    const orders = Map.groupBy(store.orderPolls.orders(parts.service), ({ projectId }) => projectId)
    const due = store.orderPolls
      .projects(parts.service)
      .map((poll) => {
        const facts = factsOf(poll, orders.get(poll.projectId) ?? [])
        return { ...poll, isOpen: facts.unconfirmedSentMs.length > 0, dueMs: nextOrderPollMs(facts, nowMs) }
      })
      .filter(({ dueMs }) => dueMs <= nowMs)
    return due.sort((a, b) => Number(b.isOpen) - Number(a.isOpen) || a.dueMs - b.dueMs)[0]?.projectId
  }

  return {
    async followDue(signal) {
      if (!hasSettled) await settleWaiting(signal)
      hasSettled = true
      for (let asked = 0; asked < mostInARow && !signal.aborted; asked++) {
        const projectId = nextDue()
        if (projectId === undefined) return
        await ask(projectId, 'idle', signal)
      }
    },
    async refresh(projectId, signal) {
      return { listed: await ask(projectId, 'user', signal) }
    },
  }
}

function factsOf(poll: OrderPollRow, orders: readonly FollowedOrderRow[]): OrderPollFacts {
  const wasAnswered = poll.answeredAt !== null && poll.answeredAt === poll.askedAt
  return {
    projectId: poll.projectId,
    askedMs: toMs(poll.askedAt),
    quietUntilMs: wasAnswered ? null : toMs(poll.nextAt),
    unconfirmedSentMs: orders
      .filter(({ state }) => state === 'unconfirmed')
      .map(({ sentAt }) => toMs(sentAt) ?? Number.NaN),
    placed: orders
      .filter(({ state }) => state === 'placed')
      .map(({ status, changedAt }) => ({ status: status ?? 'unknown', changedMs: toMs(changedAt) })),
  }
}

function toMs(iso: string | null): number | null {
  const ms = iso === null ? Number.NaN : Date.parse(iso)
  return Number.isFinite(ms) ? ms : null
}
