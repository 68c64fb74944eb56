import { setImmediate as othersTurn } from 'node:timers/promises'
import type { RemoteServiceRequest } from '../service/service-types.ts'
import { viewOf } from './describe-order.ts'
import { nowOf, otherServiceOf, type OrderParts } from './order-deps.ts'
import { recordFound, recordRemote } from './record-order.ts'

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
