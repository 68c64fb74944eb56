import type { Handlers, HandlersDeps } from './handlers.ts'

/**
 * Returns the handlers of the calls about orders, presets, and lists of orders. Closing the page does not stop an order
 * that is being placed; only closing the engine does.
 */
export function createOrderHandlers({ engines }: HandlersDeps) {
  const engine = () => engines.require()
  const orders = () => engine().orders
  return {
    'orders.list': (query) => orders().list(query),
    'orders.get': ({ orderId }) => orders().get(orderId),
    'orders.create': (input) => orders().create(input),
    'orders.saveDraft': (draft) => orders().saveDraft(draft),
    'orders.discard'({ orderId, revision }) {
      orders().discard(orderId, revision)
      return {}
    },
    'orders.review': ({ orderId }) => orders().review(orderId),
    'orders.place': (input) => orders().place(input),
    'orders.check': ({ orderId }) => orders().check(orderId),
    'orders.settle': (decision) => orders().resolve(decision),
    'orders.modules': (query) => engine().moduleNames(query),
    'orders.refresh': ({ projectId }) => engine().refreshOrders(projectId),
    'presets.list': () => ({ items: engine().presets.list() }),
    'presets.save': (preset) => engine().presets.save(preset),
    'presets.remove'({ presetId }) {
      engine().presets.remove(presetId)
      return {}
    },
    'batches.preview': (list) => engine().batches.preview(list),
    'batches.create': (list) => engine().batches.create(list),
    'batches.list': () => ({ items: engine().batches.list() }),
    'batches.get': ({ batchId }) => engine().batches.get(batchId),
    'batches.review': ({ batchId, ask }) => engine().batches.review(batchId, { ask }),
    'batches.start': ({ batchId, ...consent }) => engine().batches.start(batchId, consent),
    'batches.stop': ({ batchId }) => engine().batches.stop(batchId),
    'batches.result': ({ batchId }) => engine().batches.result(batchId),
  } satisfies Partial<Handlers>
}
