import { setImmediate as othersTurn } from 'node:timers/promises'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import type { OrderTexts } from '../../../shared/order/order-fields.ts'
import { readOrderJson } from '../../../shared/order/order-payload.ts'
import { longestOrderText, type OrderDetail } from '../../../shared/order/order-views.ts'
import type { RemoteServiceRequest } from '../service/service-types.ts'
import type { OrderProblem, OrderRow } from '../store/orders-store.ts'
import { storedRemote, viewOf } from './describe-order.ts'
import { nowOf, type OrderParts, otherServiceOf } from './order-deps.ts'

/** The order with this id, unless it is one that was only found in the service's list. */
export function ownOrderOf({ store }: OrderParts, serviceId: string): OrderRow | undefined {
  const row = store.orders.ofServiceId(serviceId)
  return row?.source === 'service' ? undefined : row
}

/** The service has the order: as `remote` says, or, where only a person says so, as `serviceId`. False when it was settled meanwhile. */
export function recordPlaced(
  parts: OrderParts,
  row: OrderRow,
  placed: { by: 'answer' | 'service' | 'person'; remote: RemoteServiceRequest | null; serviceId: string | null },
): boolean {
  const { store } = parts
  const { orderId } = row
  const at = nowOf(parts)
  const isPlaced = store.transaction(() => {
    const serviceId = placed.remote?.id ?? placed.serviceId
    if (serviceId !== null) absorbFound(parts, serviceId, orderId)
    const placedAt = placed.remote?.createdAt ?? (placed.by === 'answer' ? at : (row.sentAt ?? at))
    if (!store.orders.setPlaced(orderId, { by: placed.by, serviceId, placedAt, at })) return false
    if (placed.remote !== null) store.orders.setRemote(orderId, storedRemote(placed.remote, parts), at)
    const project = { at, projectId: knownProject(parts, row.projectId) }
    if (placed.by === 'answer') store.activity.note({ ...project, kind: 'order-placed', facts: { orderId } })
    else {
      const facts = { orderId, outcome: 'placed', by: placed.by } as const
      store.activity.note({ ...project, kind: 'order-settled', facts })
    }
    return true
  })
  if (isPlaced) parts.onChanged(orderId)
  return isPlaced
}

/** It was found in the service's list before it was known to be this one. */
function absorbFound({ store }: OrderParts, serviceId: string, orderId: number): void {
  const found = store.orders.ofServiceId(serviceId)
  if (found !== undefined && found.orderId !== orderId && found.source === 'service') {
    store.orders.absorb(found.orderId, orderId)
  }
}

/** An order of the service's list that is not here: it was placed elsewhere, or is one here of which that is not known yet. */
export function recordFound(parts: OrderParts, projectId: string, remote: RemoteServiceRequest): number {
  const { store } = parts
  const at = nowOf(parts)
  const { tierLevel, isExpedited, form } = remote
  const { texts } = readOrderJson({
    projectId,
    ...(tierLevel !== null && { tierLevel }),
    ...(isExpedited !== null && { isExpedited }),
    form: JSON.parse(parts.storable.json(form ?? {})) as unknown,
  })
  const orderId = store.transaction(() => {
    const found = {
      service: parts.service,
      projectId,
      serviceId: remote.id,
      texts: shortened(texts),
      placedAt: remote.createdAt ?? at,
      at,
    }
    const id = store.orders.insertFound(found)
    store.orders.setRemote(id, storedRemote(remote, parts), at)
    return id
  })
  parts.onChanged(orderId)
  return orderId
}

/** What is longer could be shown nowhere and is no order of anybody. */
function shortened(texts: OrderTexts): OrderTexts {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.slice(0, longestOrderText)]))
}

/** What the service says of an order that it has. A status that is another one than before is told. */
export function recordRemote(parts: OrderParts, row: OrderRow, remote: RemoteServiceRequest): void {
  const { store } = parts
  const { orderId } = row
  const at = nowOf(parts)
  store.transaction(() => {
    if (row.serviceId === null) {
      absorbFound(parts, remote.id, orderId)
      store.orders.setServiceId(orderId, remote.id)
    }
    const { before, isChanged } = store.orders.setRemote(orderId, storedRemote(remote, parts), at)
    if (!isChanged) return
    const facts = { orderId, from: before, to: viewOf(remote, parts).status }
    store.activity.note({ at, kind: 'order-status', projectId: knownProject(parts, row.projectId), facts })
  })
  parts.onChanged(orderId)
}

/** It is certain that the service does not have the order. `by` null: its answer said so. */
export function recordNotPlaced(
  parts: OrderParts,
  row: OrderRow,
  problem: OrderProblem & { readonly fieldProblems?: OrderDetail['fieldProblems'] },
  by: 'service' | 'person' | null,
): void {
  const { store } = parts
  const { orderId } = row
  const at = nowOf(parts)
  store.transaction(() => {
    if (!store.orders.backToDraft(orderId, problem, problem.fieldProblems ?? [], { by, at })) return
    if (by === null) return
    const facts = { orderId, outcome: 'not-placed', by } as const
    store.activity.note({ at, kind: 'order-settled', projectId: knownProject(parts, row.projectId), facts })
  })
  parts.onChanged(orderId)
}

/** The order was sent, and whether the service has it is not known. */
export function recordUnconfirmed(parts: OrderParts, row: OrderRow, problem: OrderProblem): void {
  const at = nowOf(parts)
  parts.store.transaction(() => {
    if (parts.store.orders.unconfirm(row.orderId, problem, at)) noteUnconfirmed(parts, row, problem.code)
  })
  parts.onChanged(row.orderId)
}

function noteUnconfirmed(parts: OrderParts, { orderId, projectId }: OrderRow, code: ErrorCode): void {
  const facts = { orderId, code }
  const note = { at: nowOf(parts), projectId: knownProject(parts, projectId), facts }
  parts.store.activity.note({ ...note, kind: 'order-unconfirmed' })
}

/** An order may be for a project that is not archived. */
function knownProject({ store }: OrderParts, projectId: string): string | null {
  return store.projects.get(projectId) === undefined ? null : projectId
}

/** Recorded together in some 30 ms: ten thousand orders one by one held everything up for ten seconds. */
const together = 100

/**
 * Takes over what the service lists of a project: how its orders stand now, and those that were placed elsewhere. What it does not
 * list any more stays as it is.
 */
export async function recordListed(
  parts: OrderParts,
  projectId: string,
  listed: readonly RemoteServiceRequest[],
  signal?: AbortSignal,
): Promise<void> {
  // A service that lists more than it was asked for says nothing about this project with it.
  const own = listed.filter((remote) => remote.projectId === null || remote.projectId === projectId)
  for (let first = 0; first < own.length; first += together) {
    if (first > 0) await othersTurn()
    signal?.throwIfAborted()
    parts.store.transaction(() => {
      for (const remote of own.slice(first, first + together)) recordOne(parts, projectId, remote)
    })
  }
}

function recordOne(parts: OrderParts, projectId: string, remote: RemoteServiceRequest): void {
  const { store } = parts
  const row = store.orders.ofServiceId(remote.id)
  if (row === undefined) recordFound(parts, projectId, remote)
  // Two services may give the same id.
  else if (otherServiceOf(parts, row) !== null) return
  else if (row.remoteView === JSON.stringify(viewOf(remote, parts))) {
    store.orderPolls.noteFollowed(row.orderId, nowOf(parts))
  } else recordRemote(parts, row, remote)
}
