import { mostToldLines, type BatchReview, type OrderLines } from '../../../shared/order/order-views.ts'
import { readOrder } from '../../../shared/order/read-order.ts'
import type { Store } from '../store/create-store.ts'
import { readTexts } from '../store/order-texts.ts'
import { outcomeOf } from './batch-outcome.ts'
import { projectWarnings } from './project-warnings.ts'

/**
 * Projects with an order of which nobody knows whether the service has it, and which order that is. Those of the list `batchId` are left
 * out: rows of one list are meant to differ.
 */
export function unsettledProjects({ orders }: Pick<Store, 'orders'>, batchId: number | null): Map<string, number> {
  const others = orders.waiting().filter((row) => batchId === null || row.batchId !== batchId)
  return new Map(others.map(({ projectId, orderId }) => [projectId, orderId]))
}

/** What is to be known of the orders of a list that wait, before they are placed. */
export function reviewBatch(store: Store, batchId: number): BatchReview {
  const orders = store.orderBatches.orders(batchId)
  const waiting = orders.filter((order) => outcomeOf(order) === 'waiting')
  const unsettled = unsettledProjects(store, batchId)
  const ofProject = Map.groupBy(orders, ({ projectId }) => projectId)
  const isUnusual = (json: string) => {
    const texts = readTexts(json)
    return readOrder(texts).warnings.length > 0 || projectWarnings(store, texts).length > 0
  }
  const lines = (those: typeof orders): OrderLines => ({
    count: those.length,
    lines: those.slice(0, mostToldLines).map(({ line }) => line),
  })
  return {
    unusual: lines(waiting.filter(({ texts }) => isUnusual(texts))),
    unsettled: lines(waiting.filter(({ projectId }) => unsettled.has(projectId))),
    sameProject: lines(waiting.filter(({ projectId }) => (ofProject.get(projectId)?.length ?? 0) > 1)),
  }
}
