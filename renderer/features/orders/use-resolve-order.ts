import { ref, shallowRef } from 'vue'
import type { CallInput } from '../../../shared/contract.ts'
import type { OrderDetail } from '../../../shared/order/order-views.ts'
import { useOrders } from '../../stores/orders-store.ts'
import type { CallError } from '../../transport/transport.ts'
import { useClient } from '../../transport/use-client.ts'

/** What a person found out about an unconfirmed order, told to the engine. */
export function useSettling() {
  const client = useClient()
  const orders = useOrders()
  const isBusy = ref(false)
  const error = shallowRef<CallError | null>(null)

  /** Undefined, with `error`, when it was not taken. */
  async function settle(input: CallInput<'orders.settle'>): Promise<OrderDetail | undefined> {
    isBusy.value = true
    error.value = null
    try {
      return await client.call('orders.settle', input)
    } catch (thrown) {
      error.value = thrown as CallError
      return undefined
    } finally {
      isBusy.value = false
      orders.refresh()
    }
  }

  return { isBusy, error, settle }
}
