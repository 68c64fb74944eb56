import { useToast } from '@nuxt/ui/composables/useToast'
import type { CallInput } from '../../../shared/contract.ts'
import type { OrderDetail, OrderSummary } from '../../../shared/order/order-views.ts'
import { lookOfOrder, orderTitle } from './order-labels.ts'
import { useOrders } from '../../stores/orders-store.ts'
import { useClient } from '../../transport/use-client.ts'
import { useEngineActions } from '../../stores/use-engine-actions.ts'
import { useGoingOn } from '../../ui/use-pending.ts'

/** What a person does with orders, from wherever. Errors are told in a toast. */
export function useOrderActions() {
  const client = useClient()
  const orders = useOrders()
  const { goOn } = useGoingOn()
  const toast = useToast()
  const { attempt } = useEngineActions()

  /** Begins a draft and opens its form. */
  async function begin(input: CallInput<'orders.create'>): Promise<void> {
    const draft = await attempt(() => client.call('orders.create', input))
    if (draft !== undefined) await goOn(`/orders/${draft.orderId}/edit`)
  }

  return {
    /** A new draft of what an earlier order says. */
    duplicate: (orderId: number) => begin({ from: orderId }),

    /** Answers whether it was done. */
    discard: async (orderId: number): Promise<boolean> => {
      const done = await attempt(() => client.call('orders.discard', { orderId }))
      orders.refresh()
      if (done !== undefined) toast.add({ title: 'Draft discarded', icon: 'i-lucide-trash-2', color: 'neutral' })
      return done !== undefined
    },

    /** Asks the service how it stands, and says so. */
    check: async (orderId: number): Promise<OrderDetail | undefined> => {
      const order = await attempt(() => client.call('orders.check', { orderId }))
      orders.refresh()
      if (order !== undefined) toast.add({ ...sayStanding(order), color: 'neutral' })
      return order
    },
  }
}

function sayStanding(order: OrderDetail): { title: string; icon: string } {
  const { label, icon } = lookOfOrder(order)
  return { title: `${orderTitle(order)}: ${label}`, icon }
}

/** Where an order is opened: a draft goes on in the form. */
export function placeOfOrder({ orderId, state }: Pick<OrderSummary, 'orderId' | 'state'>): string {
  return state === 'draft' ? `/orders/${orderId}/edit` : `/orders/${orderId}`
}
