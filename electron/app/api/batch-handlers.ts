import type { Handlers } from './call-handlers.ts'
import type { Engine } from '../../engine/engine.ts'

type ListCalls =
  | 'orders.modules'
  | 'orders.refresh'
  | 'presets.list'
  | 'presets.save'
  | 'presets.remove'
  | 'batches.preview'
  | 'batches.create'
  | 'batches.list'
  | 'batches.get'
  | 'batches.review'
  | 'batches.start'
  | 'batches.stop'
  | 'batches.result'

/** The calls about presets and lists of orders. `present`: the engine that is there at that moment. */
export function createListHandlers(present: () => Engine): Handlers<ListCalls> {
  return {
    'orders.modules': () => present().moduleNames(),
    'orders.refresh': ({ projectId }) => present().refreshOrders(projectId),
    'presets.list': () => ({ items: present().presets.list() }),
    'presets.save': (preset) => present().presets.save(preset),
    'presets.remove'({ presetId }) {
      present().presets.remove(presetId)
      return {}
    },
    'batches.preview': (list) => present().batches.preview(list),
    'batches.create': (list) => present().batches.create(list),
    'batches.list': () => ({ items: present().batches.list() }),
    'batches.get': ({ batchId }) => present().batches.get(batchId),
    'batches.review': ({ batchId }) => present().batches.review(batchId),
    'batches.start': ({ batchId }) => present().batches.start(batchId),
    'batches.stop': ({ batchId }) => present().batches.stop(batchId),
    'batches.result': ({ batchId }) => present().batches.result(batchId),
  }
}
