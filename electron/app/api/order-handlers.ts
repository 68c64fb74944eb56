import type { Handlers } from './call-handlers.ts'
import type { Engine } from '../../engine/engine.ts'

type OrderCalls =
  | 'orders.list'
  | 'orders.get'
  | 'orders.create'
  | 'orders.saveDraft'
  | 'orders.discard'
  | 'orders.review'
  | 'orders.place'
  | 'orders.check'
  | 'orders.settle'

/**
 * The calls about one order. `present`: the engine that is there at that moment. Nobody's going away stops an order that is placed:
 * the engine's end alone does.
 */
export function createOrderHandlers(present: () => Engine): Handlers<OrderCalls> {
  const orders = () => present().orders
  return {
    'orders.list': (query) => orders().list(query),
    'orders.get': ({ orderId }) => orders().get(orderId),
    'orders.create': (input) => orders().create(input),
    'orders.saveDraft': (draft) => orders().saveDraft(draft),
    'orders.discard'({ orderId }) {
      orders().discard(orderId)
      return {}
    },
    'orders.review': ({ orderId }) => orders().review(orderId),
    'orders.place': (input) => orders().place(input),
    'orders.check': ({ orderId }) => orders().check(orderId),
    'orders.settle': (decision) => orders().resolve(decision),
  }
}
