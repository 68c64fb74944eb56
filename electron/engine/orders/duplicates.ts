import { type OrderPayload, readOrder } from '../../../shared/order/order-payload.ts'
import type { OrderReview } from '../../../shared/order/order-views.ts'
import type { RemoteServiceRequest } from '../service/service-types.ts'
import type { Store } from '../store/create-store.ts'
import { readTexts } from '../store/order-texts.ts'
import type { OrderRow } from '../store/orders-store.ts'
import { payloadOf } from './describe-order.ts'
import { possiblyLateOrders } from './late-orders.ts'
import {
  fingerprintPayload,
  isSameOrder,
  isSimilarOrder,
  looseKey,
  projectKey,
  type RemoteOrderList,
} from './match-order.ts'
import type { OrderDeps } from './order-deps.ts'

/**
 * Returns orders with the same content for the same project, each once: those in the database, and those that the
 * service lists; also the orders that the service recorded late for this draft, and those of the last 24 hours that
 * differ only in spaces or capitals. If the draft, or another one with the same content, was sent before and given up,
 * also the orders that the service lists since then.
 */
export function findDuplicates(
  deps: Pick<OrderDeps, 'store' | 'clock' | 'service'>,
  orderId: number | null,
  payload: OrderPayload,
  list: RemoteOrderList | null,
): OrderReview['duplicates'] {
  const { store, clock } = deps
  const late = orderId === null ? [] : store.orders.lateOnesOf(orderId)
  const same = sentBefore(store, payload).filter((row) => row.orderId !== orderId)
  const here = [...same, ...late.filter((row) => !same.some((other) => other.orderId === row.orderId))]
  const recent = recentOrders({ store, clock }, payload).get(looseKey(payload)) ?? []
  const similar = recent.filter(
    (row) => row.orderId !== orderId && !here.some((other) => other.orderId === row.orderId),
  )
  const known = new Set([...here, ...similar].map(({ serviceId }) => serviceId))
  const listed = (list?.orders ?? []).filter(({ id }) => !known.has(id))
  const elsewhere = listed.filter((order) => isSameOrder(payload, order))
  const since = similarSince(clock)
  const similarElsewhere = listed.filter(
    (order) => (order.createdAt ?? '') >= since && isSimilarOrder(payload, order) && !elsewhere.includes(order),
  )
  const possible =
    orderId === null || list === null
      ? []
      : possiblyLateOrders(deps, { orderId, payload }, list).filter(
          (order) => listed.includes(order) && !elsewhere.includes(order) && !similarElsewhere.includes(order),
        )
  const describeRow = (match: 'same' | 'similar') => (row: OrderRow) => ({
    match,
    orderId: row.orderId,
    serviceId: row.serviceId,
    state: row.state,
    status: row.status,
    at: row.placedAt ?? row.sentAt,
  })
  const describeListed = (match: 'same' | 'similar' | 'possible') => (order: RemoteServiceRequest) => ({
    match,
    orderId: store.orders.ofServiceId(order.id)?.orderId ?? null,
    serviceId: order.id,
    state: 'placed' as const,
    status: order.status,
    at: order.createdAt,
  })
  return [
    ...here.map(describeRow('same')),
    ...elsewhere.map(describeListed('same')),
    ...similar.map(describeRow('similar')),
    ...similarElsewhere.map(describeListed('similar')),
    ...possible.map(describeListed('possible')),
  ]
}

/**
 * Returns orders with exactly this content that were sent from here or found at the service, even if it no longer lists
 * them.
 */
export function sentBefore(store: Store, payload: OrderPayload): OrderRow[] {
  const { fingerprint } = fingerprintPayload(payload)
  const { projectId, upgrade, form } = payload
  return store.orders.sentAlike({ projectId, fingerprint, homeownerName: form.homeownerName }).filter((row) => {
    if (row.fingerprint !== null) return row.fingerprint === fingerprint
    const reading = readOrder(readTexts(row.texts))
    // The service does not repeat whether an order was an upgrade.
    return reading.ok && fingerprintPayload({ ...reading.payload, upgrade }).fingerprint === fingerprint
  })
}

/** Hours in which a person who orders almost the same again most likely means the same order. */
const similarHours = 24

/**
 * Returns the orders of the last 24 hours, of a project or all, by their `looseKey`. The service does not repeat
 * whether an order was an upgrade, so `upgrade` is assumed for those that were only found there.
 */
export function recentOrders(
  { store, clock }: OrderHistoryDeps,
  { upgrade, projectId }: { upgrade: boolean; projectId: string | null },
): ReadonlyMap<string, readonly OrderRow[]> {
  const rows = store.orders.sentSince(similarSince(clock), projectId)
  const keyed = rows.flatMap((row) => {
    const payload = payloadOf(row, store.parseJson)
    if (payload !== null) return [{ key: looseKey(payload), row }]
    const reading = readOrder(readTexts(row.texts))
    return reading.ok ? [{ key: looseKey({ ...reading.payload, upgrade }), row }] : []
  })
  const grouped = Map.groupBy(keyed, ({ key }) => key)
  return new Map([...grouped].map(([key, same]) => [key, same.map(({ row }) => row)]))
}

export type OrderHistoryDeps = Pick<OrderDeps, 'store'> & { readonly clock: Pick<OrderDeps['clock'], 'nowMs'> }

/** Returns the ISO time since which an almost equal order may be the same one. */
export const similarSince = (clock: OrderHistoryDeps['clock']) =>
  new Date(clock.nowMs() - similarHours * 60 * 60_000).toISOString()

/**
 * Returns unconfirmed orders of the same project with different content: whoever orders again may only have corrected
 * the spelling. Rows of the same list are meant to differ.
 */
export function findUnresolved(
  { store }: Pick<OrderDeps, 'store'>,
  row: Pick<OrderRow, 'orderId' | 'batchId'> | null,
  payload: OrderPayload,
): OrderRow[] {
  const { fingerprint } = fingerprintPayload(payload)
  const project = projectKey(payload.projectId)
  return store.orders
    .waiting()
    .filter(({ projectId }) => projectKey(projectId) === project)
    .filter((other) => other.orderId !== row?.orderId && other.fingerprint !== fingerprint)
    .filter(({ batchId }) => batchId === null || batchId !== row?.batchId)
}
