import type { OrderPayload } from '../../../shared/order/order-payload.ts'
import type { RemoteServiceRequest } from '../service/service-types.ts'
import type { GivenUpAttempt } from '../store/order-attempts-store.ts'
import { listedBeforeOf, payloadOf, storedRemote } from './describe-order.ts'
import { fingerprintOf } from './drafts.ts'
import { equalOrders, fingerprintPayload, possibleOrders, type RemoteOrderList } from './match-order.ts'
import { nowOf, type OrderDeps, whereFollowed } from './order-deps.ts'
import { archivedProjectId, claimServiceId, listedLike, ownOrderOf, unidentifiedOrders } from './record-order.ts'

/**
 * Looks in a project's list for orders that were sent and then given up, and records those that the service has after
 * all. An unchanged draft becomes the placed order. If the draft was changed, placed again, or removed meanwhile, the
 * order is recorded beside it.
 */
export function linkLateOrders(deps: OrderDeps, projectId: string, list: RemoteOrderList | null): void {
  if (list === null) return
  const { store } = deps
  const attempts = store.orderAttempts.ofProject({ projectId, ...whereFollowed(deps) })
  if (attempts.length === 0) return
  // An equal order in the list may be one that was sent later and has no service id yet: that is determined first.
  const undecided = new Set(unidentifiedOrders(deps, projectId).flatMap((row) => listedLike(deps, row, list.orders)))
  for (const attempt of attempts) {
    const sent = sentBy(deps, attempt, list)
    const equal = sent === undefined ? [] : equalOrders(sent, list.orders)
    const order = equal.find((listed) => !undecided.has(listed))
    if (order !== undefined) recordLate(deps, attempt, order)
  }
}

/**
 * Returns orders that the service lists since this draft, or another one with the same content, was sent and given up,
 * or, if its list was not read before that, all that are not known to be another. Each may be that order, with values
 * that the service or somebody changed.
 */
export function possiblyLateOrders(
  deps: Pick<OrderDeps, 'store' | 'clock' | 'service'>,
  { orderId, payload }: { orderId: number; payload: OrderPayload },
  list: RemoteOrderList,
): RemoteServiceRequest[] {
  const { fingerprint } = fingerprintPayload(payload)
  const attempts = deps.store.orderAttempts.ofProject({ projectId: payload.projectId, ...whereFollowed(deps) })
  const found = attempts
    .filter((attempt) => attempt.orderId === orderId || attempt.fingerprint === fingerprint)
    .flatMap((attempt) => {
      const sent = sentBy(deps, attempt, list)
      return sent === undefined ? [] : possibleOrders(sent, list.orders)
    })
  return [...new Set(found)]
}

function sentBy(deps: Pick<OrderDeps, 'store' | 'service'>, attempt: GivenUpAttempt, list: RemoteOrderList) {
  const { parseJson } = deps.store
  const payload = payloadOf(attempt, parseJson)
  if (payload === null) return undefined
  const others = new Set(list.orders.map(({ id }) => id).filter((id) => ownOrderOf(deps, id) !== undefined))
  return { payload, sentAt: attempt.sentAt, listedBefore: listedBeforeOf(attempt, parseJson), others }
}

function recordLate(deps: OrderDeps, attempt: GivenUpAttempt, order: RemoteServiceRequest): void {
  const { store } = deps
  const at = nowOf(deps)
  const { attemptId, sentAt, projectId } = attempt
  const draft = attempt.orderId === null ? undefined : store.orders.get(attempt.orderId)
  const isUnchanged = draft?.state === 'draft' && fingerprintOf(draft) === attempt.fingerprint
  const placedAt = order.createdAt ?? sentAt
  const orderId = store.transaction(() => {
    const id = isUnchanged ? draft.orderId : store.orderAttempts.insertLate({ attemptId, placedAt, at })
    claimServiceId(deps, order.id, id)
    if (isUnchanged) {
      store.orderAttempts.placeDraft({ attemptId, orderId: id, serviceId: order.id, placedAt, at })
    } else store.orders.setServiceId(id, order.id)
    if (draft?.state === 'draft' && !isUnchanged) {
      store.orders.recordProblem(draft.orderId, { code: draft.errorCode ?? 'service-error', message: recordedLate }, at)
    }
    store.orders.setRemote(id, storedRemote(order, deps), at)
    store.orderAttempts.remove(attemptId)
    const about = { at, projectId: archivedProjectId(deps, projectId) }
    if (isUnchanged || draft === undefined) {
      const facts = { orderId: id, outcome: 'placed', by: 'service' } as const
      store.activity.record({ ...about, kind: 'order-settled', facts })
    } else {
      store.activity.record({ ...about, kind: 'order-late', facts: { orderId: id, lateFor: draft.orderId } })
    }
    return id
  })
  deps.onChanged(orderId)
  if (draft !== undefined && draft.orderId !== orderId) deps.onChanged(draft.orderId)
}

const recordedLate =
  'The service recorded this order late, with the values that it had when it was sent. It is placed, and listed as ' +
  'an order of its own. If you place this changed draft, the service has two orders.'
