import type { CallInput } from '../../../shared/contract/calls.ts'
import { countOf } from '../../../shared/format.ts'
import type { OrderDetail, OrderSummary } from '../../../shared/order/order-views.ts'
import { orderPresentation, orderTitle } from './order-labels.ts'
import { useOrders } from '../../stores/orders-store.ts'
import { useClient } from '../../transport/transport.ts'
import { useEngineActions } from '../../stores/use-engine-actions.ts'
import { useGuardedNavigation } from '../../ui/use-guarded-navigation.ts'

/** Actions on orders. Errors are reported in a toast. */
export function useOrderActions() {
  const client = useClient()
  const orders = useOrders()
  const { navigate } = useGuardedNavigation()
  const { attempt, notify } = useEngineActions()

  let isCreating = false
  /** Creates a draft and opens its form. A double click creates one. */
  async function create(input: CallInput<'orders.create'>): Promise<void> {
    if (isCreating) return
    isCreating = true
    try {
      const draft = await attempt(() => client.call('orders.create', input))
      if (draft !== undefined) await navigate(`/orders/${draft.orderId}/edit`)
    } finally {
      isCreating = false
    }
  }

  return {
    /** Creates a draft with the values of another order. */
    duplicate: (orderId: number) => create({ from: orderId }),

    /** Returns true if the draft was discarded. */
    discard: async (orderId: number): Promise<boolean> => {
      const done = await attempt(() => client.call('orders.discard', { orderId }))
      orders.refresh()
      if (done !== undefined) notify('Draft discarded', 'i-lucide-trash-2')
      return done !== undefined
    },

    /** Checks the order's status at the service, and reports it in a toast. */
    check: async (orderId: number): Promise<OrderDetail | undefined> => {
      const order = await attempt(() => client.call('orders.check', { orderId }))
      orders.refresh()
      if (order === undefined) return undefined
      const { label, icon } = orderPresentation(order)
      notify(`${orderTitle(order)}: ${label}`, icon)
      return order
    },

    /** Reads a project's orders from the service, also those placed elsewhere, and reports their number in a toast. */
    checkProject: async (projectId: string): Promise<void> => {
      const answer = await attempt(() => client.call('orders.refresh', { projectId }))
      orders.refresh()
      if (answer === undefined) return
      if (answer.listed !== null) {
        notify(`The service lists ${countOf(answer.listed, 'order')} of this project`, 'i-lucide-refresh-cw')
      } else {
        const otherwise = 'Try again later, or look for the orders on its own pages.'
        notify('The service provides no list of its orders now', 'i-lucide-circle-alert', otherwise)
      }
    },
  }
}

/** Returns the path of an order; of a draft, the path of its form. */
export function orderPath({ orderId, state }: Pick<OrderSummary, 'orderId' | 'state'>): string {
  return state === 'draft' ? `/orders/${orderId}/edit` : `/orders/${orderId}`
}
