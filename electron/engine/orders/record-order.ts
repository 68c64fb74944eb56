import { readOrderJson } from '../../../shared/order/order-payload.ts'
import { cutOrderTexts, type OrderDetail } from '../../../shared/order/order-views.ts'
import type { RemoteServiceRequest } from '../service/service-types.ts'
import type { OrderProblem, OrderRow } from '../store/orders-store.ts'
import { listedBeforeOf, payloadOf, storedRemote, viewOf } from './describe-order.ts'
import { inTurns } from '../lib/in-turns.ts'
import { isSameOrder, possibleOrders, projectKey } from './match-order.ts'
import { nowOf, type OrderDeps, otherServiceOf } from './order-deps.ts'

/** Returns the order of this service with this id, unless it was only found in the service's list. */
export function ownOrderOf(deps: Pick<OrderDeps, 'store' | 'service'>, serviceId: string): OrderRow | undefined {
  const row = deps.store.orders.ofServiceId(serviceId)
  return row === undefined || row.source === 'service' || otherServiceOf(deps, row) !== null ? undefined : row
}

/** Returns a project's orders that were sent to this service and have no service ID yet. */
export function unidentifiedOrders(deps: Pick<OrderDeps, 'store' | 'service'>, projectId: string): OrderRow[] {
  return deps.store.orders
    .ofProject(projectId)
    .filter((row) => row.state !== 'draft' && row.serviceId === null && otherServiceOf(deps, row) === null)
}

/**
 * Returns the listed orders that may be one that was sent. The service does not repeat every value, so orders of
 * different content can equal the same one.
 */
export function listedLike(
  { store }: Pick<OrderDeps, 'store'>,
  row: Pick<OrderRow, 'payload' | 'listedBefore'>,
  list: readonly RemoteServiceRequest[],
): RemoteServiceRequest[] {
  const payload = payloadOf(row, store.parseJson)
  if (payload === null) return []
  const listedBefore = listedBeforeOf(row, store.parseJson)
  return possibleOrders({ payload, listedBefore, others: new Set() }, list).filter((order) =>
    isSameOrder(payload, order),
  )
}

/**
 * Records that the service has the order, unless it was resolved in the meantime: described by `remote`, or, if only a
 * user says so, by `serviceId`.
 */
export function recordPlaced(
  deps: OrderDeps,
  row: OrderRow,
  placed: { by: 'answer' | 'service' | 'person'; remote: RemoteServiceRequest | null; serviceId: string | null },
): void {
  const { store } = deps
  const { orderId } = row
  const at = nowOf(deps)
  const isPlaced = store.transaction(() => {
    const serviceId = placed.remote?.id ?? placed.serviceId
    if (serviceId !== null) claimServiceId(deps, serviceId, orderId)
    const placedAt = placed.remote?.createdAt ?? (placed.by === 'answer' ? at : (row.sentAt ?? at))
    if (!store.orders.setPlaced(orderId, { by: placed.by, serviceId, placedAt, at })) return false
    if (placed.remote !== null) store.orders.setRemote(orderId, storedRemote(placed.remote, deps), at)
    const project = { at, projectId: archivedProjectId(deps, row.projectId) }
    if (placed.by === 'answer') store.activity.record({ ...project, kind: 'order-placed', facts: { orderId } })
    else {
      const facts = { orderId, outcome: 'placed', by: placed.by } as const
      store.activity.record({ ...project, kind: 'order-settled', facts })
    }
    return true
  })
  if (isPlaced) deps.onChanged(orderId)
}

/**
 * Makes an order the only one with its service id: the row of one that was found in the service's list before it was
 * known to be this one is merged. Two services may use the same id; the order of the other one is kept without it.
 */
export function claimServiceId(deps: OrderDeps, serviceId: string, orderId: number): void {
  const { orders } = deps.store
  const found = orders.ofServiceId(serviceId)
  if (found === undefined || found.orderId === orderId) return
  if (otherServiceOf(deps, found) !== null) orders.dropServiceId(found.orderId)
  else if (found.source === 'service') orders.absorb(found.orderId, orderId)
}

/** Stores an order that only the service's list has: placed elsewhere, or an order of ours not yet recognized. */
export function recordFound(deps: OrderDeps, projectId: string, remote: RemoteServiceRequest): number {
  const { store } = deps
  const at = nowOf(deps)
  const { tierLevel, isExpedited, form } = remote
  // It is listed under the service's own date, not as something that just happened.
  const dates = [remote.createdAt, remote.updatedAt].flatMap((date) => date ?? [])
  const latest = dates.length === 0 ? at : new Date(Math.max(...dates.map((date) => Date.parse(date)))).toISOString()
  const changedAt = latest < at ? latest : at
  const { texts } = readOrderJson({
    projectId,
    ...(tierLevel !== null && { tierLevel }),
    ...(isExpedited !== null && { isExpedited }),
    form: JSON.parse(deps.sanitizer.json(form ?? {})) as unknown,
  })
  const orderId = store.transaction(() => {
    const found = {
      service: deps.service,
      projectId,
      serviceId: remote.id,
      texts: cutOrderTexts(texts),
      placedAt: remote.createdAt ?? at,
      changedAt,
      at,
    }
    const id = store.orders.insertFound(found)
    store.orders.setRemote(id, storedRemote(remote, deps), at, changedAt)
    return id
  })
  deps.onChanged(orderId)
  return orderId
}

/** Records the service's current view of an order. A new status becomes an activity entry. */
export function recordRemote(deps: OrderDeps, row: OrderRow, remote: RemoteServiceRequest): void {
  const { store } = deps
  const { orderId } = row
  const at = nowOf(deps)
  store.transaction(() => {
    if (row.serviceId === null) {
      claimServiceId(deps, remote.id, orderId)
      store.orders.setServiceId(orderId, remote.id)
    }
    const { before, isChanged } = store.orders.setRemote(orderId, storedRemote(remote, deps), at)
    if (!isChanged) return
    const facts = { orderId, from: before, to: viewOf(remote, deps).status }
    store.activity.record({ at, kind: 'order-status', projectId: archivedProjectId(deps, row.projectId), facts })
  })
  deps.onChanged(orderId)
}

/**
 * Records that the service does not have the order. `by` is null if its answer said so; otherwise the order is still
 * looked for, see `linkOrders`.
 */
export function recordNotPlaced(
  deps: OrderDeps,
  row: OrderRow,
  problem: OrderProblem & { readonly fieldProblems?: OrderDetail['fieldProblems'] },
  by: 'service' | 'person' | null,
): void {
  const { store } = deps
  const { orderId } = row
  const at = nowOf(deps)
  store.transaction(() => {
    // The service may still record the order.
    if (by !== null) store.orderAttempts.giveUp(orderId)
    if (!store.orders.backToDraft(orderId, problem, problem.fieldProblems ?? [], { by, at })) return
    if (by === null) return
    const facts = { orderId, outcome: 'not-placed', by } as const
    store.activity.record({ at, kind: 'order-settled', projectId: archivedProjectId(deps, row.projectId), facts })
  })
  deps.onChanged(orderId)
}

/** Records that the order was sent and that it is not known whether the service has it. */
export function recordUnconfirmed(deps: OrderDeps, row: OrderRow, problem: OrderProblem): void {
  const { store, onChanged } = deps
  const { orderId } = row
  const at = nowOf(deps)
  store.transaction(() => {
    if (!store.orders.unconfirm(orderId, problem, at)) return
    const facts = { orderId, code: problem.code }
    store.activity.record({ at, kind: 'order-unconfirmed', projectId: archivedProjectId(deps, row.projectId), facts })
  })
  onChanged(orderId)
}

/** Returns the project's id if it is archived, or null: an order may be for any project. */
export function archivedProjectId({ store }: OrderDeps, projectId: string): string | null {
  return store.projects.get(projectId) === undefined ? null : projectId
}

/**
 * Orders per transaction, about 30 ms: ten thousand orders in one transaction each blocked everything for ten seconds.
 */
const ordersPerTransaction = 100

/**
 * Records the orders that the service lists for a project: the current state of known ones, and those placed elsewhere.
 * Orders that it no longer lists stay unchanged.
 */
export async function recordListed(
  deps: OrderDeps,
  projectId: string,
  listed: readonly RemoteServiceRequest[],
  signal?: AbortSignal,
): Promise<void> {
  // Orders of other projects in the list say nothing reliable about this one.
  const key = projectKey(projectId)
  const own = listed.filter((remote) => remote.projectId === null || projectKey(remote.projectId) === key)
  for await (const orders of inTurns(own, ordersPerTransaction)) {
    signal?.throwIfAborted()
    deps.store.transaction(() => {
      for (const remote of orders) recordOne(deps, projectId, remote)
    })
  }
}

function recordOne(deps: OrderDeps, projectId: string, remote: RemoteServiceRequest): void {
  const { store } = deps
  const row = store.orders.ofServiceId(remote.id)
  if (row === undefined) recordFound(deps, remote.projectId ?? projectId, remote)
  // Two services may use the same id.
  else if (otherServiceOf(deps, row) !== null) return
  else if (row.remoteView === JSON.stringify(viewOf(remote, deps))) {
    store.orderPolls.recordFollowed(row.orderId, nowOf(deps))
  } else recordRemote(deps, row, remote)
}
