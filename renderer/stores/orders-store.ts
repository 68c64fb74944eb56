import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { OrderBatch, OrderPage, OrderSummary } from '../../shared/order/order-views.ts'
import { throttled } from '../ui/throttled.ts'
import { useClient } from '../transport/use-client.ts'

/** How often what is shown of orders is fetched again at most: a list of them changes one several times a second. */
const refreshMs = 500

/** What changed of the orders, and what of them a person should look at. */
export const useOrders = defineStore('orders', () => {
  const client = useClient()
  /** Grows whenever what is shown of orders, lists of orders or presets may have changed. */
  const changes = ref(0)
  /** Null until the first answer. */
  const counts = shallowRef<OrderPage['counts'] | null>(null)
  const listed = shallowRef<readonly OrderSummary[]>([])
  /** Sent, or tried to be sent, and drafts again; the last that changed. */
  const notPlaced = shallowRef<readonly OrderSummary[]>([])
  /** Lists that stopped before all of their orders were tried. */
  const stoppedLists = shallowRef<readonly OrderBatch[]>([])

  /** The last that changed; an order that is on its way is none: its answer is waited for. */
  const unconfirmed = computed(() => listed.value.filter(({ state }) => state === 'unconfirmed'))
  const unconfirmedCount = computed(
    () => (counts.value?.unconfirmed ?? 0) - (listed.value.length - unconfirmed.value.length),
  )
  const notPlacedCount = computed(() => counts.value?.notPlaced ?? 0)
  /** Orders and lists of them that a person should look at. */
  const attentionCount = computed(() => unconfirmedCount.value + notPlacedCount.value + stoppedLists.value.length)

  async function load(): Promise<void> {
    try {
      const [waiting, refused, lists] = await Promise.all([
        client.call('orders.list', { filter: 'unconfirmed' }),
        client.call('orders.list', { filter: 'not-placed', limit: 1 }),
        client.call('batches.list', {}),
      ])
      counts.value = waiting.counts
      listed.value = waiting.items
      notPlaced.value = refused.items
      stoppedLists.value = lists.items.filter((list) => list.state === 'stopped' && list.counts.waiting > 0)
    } catch {
      // The views tell of what keeps them from being shown; a count that is not known is none.
    }
  }

  const refresh = throttled(refreshMs, () => {
    changes.value += 1
    void load()
  })

  /** Asks at once and listens until what it answers is called. */
  function start(): () => void {
    refresh()
    return client.listen({
      onEvent(message) {
        if (message.name === 'orders-changed') refresh()
      },
      onResync: refresh,
      onLink(now) {
        if (now === 'open') refresh()
      },
    })
  }

  return {
    ...{ changes, counts, unconfirmed, unconfirmedCount, notPlaced, notPlacedCount, stoppedLists, attentionCount },
    ...{ refresh, start },
  }
})
