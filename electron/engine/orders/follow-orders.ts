import { type ErrorCode, stopsPass } from '../../../shared/error-policy.ts'
import { type AppError, toAppError } from '../../../shared/errors.ts'
import { dayMs, minuteMs, toIso, toMs } from '../lib/time.ts'
import type { CallPriority } from '../service/service-types.ts'
import type { FollowedOrderRow, OrderPollRow } from '../store/order-polls-store.ts'
import { askForOrders, projectKey } from './match-order.ts'
import { maxWaitMsOf, nowOf, type OrderDeps, patienceMs, whereFollowed } from './order-deps.ts'
import { nextOrderPollMs, type OrderPollFacts } from './order-poll-schedule.ts'
import { recordListed } from './record-order.ts'
import { linkOrders, resolveFromList, unconfirmedOrders } from './resolve-order.ts'

/** The call is not in the service's specification: a service without it is asked again after a day. */
const unsupportedRetryMs = dayMs
/** Pause after a service error or a lost connection. */
const errorRetryMs = 15 * minuteMs

/**
 * The watch runs every 20 s. A thousand orders placed on one day would need 52 of the 60 calls that the service permits
 * per minute; with this limit they get 15, and each is polled less often.
 */
const maxProjectsPerCheck = 5

/** Keeps the stored orders up to date with the service. */
export function createFollower(deps: OrderDeps) {
  const { store, client, clock } = deps
  /**
   * Keys of the projects with unconfirmed orders that were not asked about since the start; undefined until the first
   * poll.
   */
  let unasked: Set<string> | undefined

  async function poll(projectId: string, priority: CallPriority, signal: AbortSignal): Promise<number | null> {
    const unconfirmed = unconfirmedOrders(deps, projectId)
    let unavailableBecause: ErrorCode | undefined
    const onUnavailable = ({ code }: AppError) => {
      unavailableBecause = code
    }
    const limits = priority === 'user' ? { maxAnswerMs: patienceMs(deps), maxWaitMs: maxWaitMsOf(deps) } : {}
    const list = await askForOrders(client, projectId, { priority, signal, onUnavailable, ...limits }).catch(
      (error: unknown) => {
        if (!signal.aborted) {
          recordPoll(projectId, errorRetryMs)
          // A refused token or a lost network is not the project's: it is still asked about at once afterwards.
          if (!stopsPass(toAppError(error).code)) unasked?.delete(projectKey(projectId))
        }
        throw error
      },
    )
    unasked?.delete(projectKey(projectId))
    resolveFromList(deps, unconfirmed, list)
    linkOrders(deps, projectId, list)
    if (list !== null) await recordListed(deps, projectId, list.orders, signal)
    recordPoll(
      projectId,
      list !== null ? null : unavailableBecause === 'service-error' ? errorRetryMs : unsupportedRetryMs,
    )
    return list?.orders.length ?? null
  }

  /** Records a poll and when the next one is due. `pauseMs` is null if the service answered. */
  function recordPoll(projectId: string, pauseMs: number | null): void {
    const nowMs = clock.nowMs()
    const at = nowOf(deps)
    const polled = { projectId, askedAt: at, answeredAt: pauseMs === null ? at : null, nextAt: null }
    const isOfProject = (row: { readonly projectId: string }) => projectKey(row.projectId) === projectKey(projectId)
    const orders = store.orderPolls.orders(deps.service).filter(isOfProject)
    const givenUp = store.orderAttempts.sentTimes(whereFollowed(deps)).filter(isOfProject)
    const nextMs = pauseMs === null ? nextOrderPollMs(factsOf(polled, orders, givenUp), nowMs) : nowMs + pauseMs
    // A project without orders has no next poll.
    const nextAt = toIso(Number.isFinite(nextMs) ? nextMs : nowMs + unsupportedRetryMs)
    store.orderPolls.recordAsked({ projectId, at, isAnswered: pauseMs === null, nextAt })
  }

  function nextDue(): string | undefined {
    const nowMs = clock.nowMs()
    const orders = Map.groupBy(store.orderPolls.orders(deps.service), ({ projectId }) => projectKey(projectId))
    const followed = whereFollowed(deps)
    const givenUp = Map.groupBy(store.orderAttempts.sentTimes(followed), ({ projectId }) => projectKey(projectId))
    const due = store.orderPolls
      .projects(followed)
      .map((poll) => {
        const key = projectKey(poll.projectId)
        const facts = factsOf(poll, orders.get(key) ?? [], givenUp.get(key) ?? [])
        const dueMs = Math.min(nextOrderPollMs(facts, nowMs), unasked?.has(key) === true ? nowMs : Infinity)
        return { ...poll, isUnconfirmed: facts.unconfirmedSentMs.length > 0, dueMs }
      })
      .filter(({ dueMs }) => dueMs <= nowMs)
    return due.sort((a, b) => Number(b.isUnconfirmed) - Number(a.isUnconfirmed) || a.dueMs - b.dueMs)[0]?.projectId
  }

  return {
    /**
     * Polls a few projects that are due, at the lowest priority; the others follow next time. Those that have
     * unconfirmed orders the first time are due then. Throws the errors that any call would meet.
     */
    async followDue(signal: AbortSignal): Promise<void> {
      unasked ??= new Set(store.orders.waiting().map(({ projectId }) => projectKey(projectId)))
      for (let asked = 0; asked < maxProjectsPerCheck && !signal.aborted; asked++) {
        const projectId = nextDue()
        if (projectId === undefined) return
        await poll(projectId, 'idle', signal)
      }
    },
    /** Polls a project's orders now. `listed` is null if the service has no such list or denies it. */
    async refresh(projectId: string, signal: AbortSignal): Promise<{ listed: number | null }> {
      return { listed: await poll(projectId, 'user', signal) }
    },
  }
}

function factsOf(
  poll: OrderPollRow,
  orders: readonly FollowedOrderRow[],
  givenUp: readonly { readonly sentAt: string }[],
): OrderPollFacts {
  const wasAnswered = poll.answeredAt !== null && poll.answeredAt === poll.askedAt
  return {
    projectId: poll.projectId,
    askedMs: toMs(poll.askedAt),
    quietUntilMs: wasAnswered ? null : toMs(poll.nextAt),
    unconfirmedSentMs: orders.filter(({ state }) => state !== 'placed').map(({ sentAt }) => toMs(sentAt) ?? Number.NaN),
    givenUpSentMs: givenUp.map(({ sentAt }) => toMs(sentAt) ?? Number.NaN),
    placed: orders
      .filter(({ state }) => state === 'placed')
      .map(({ status, changedAt }) => ({ status: status ?? 'unknown', changedMs: toMs(changedAt) })),
  }
}
