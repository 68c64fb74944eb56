import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import type { OrderBatch, OrderPage, OrderSummary } from '../../shared/order/order-views.ts'
import { orderRequests } from '../transport/request-order.ts'
import { useClient } from '../transport/transport.ts'
import { createRefresh } from './create-refresh.ts'

/** Minimum interval between two refreshes: placing a list changes orders several times a second. */
const refreshMs = 500

/** Changes of orders, and the orders and lists that need attention. */
export const useOrders = defineStore('orders', () => {
  const client = useClient()
  /** `null` until the first response. */
  const counts = shallowRef<OrderPage['counts'] | null>(null)
  const listed = shallowRef<readonly OrderSummary[]>([])
  /** Drafts that could not be placed, latest change first. */
  const notPlaced = shallowRef<readonly OrderSummary[]>([])
  /** Lists that stopped before every order was tried. */
  const stoppedLists = shallowRef<readonly OrderBatch[]>([])

  /** Latest change first. Orders in flight are excluded: their response is still expected. */
  const unconfirmed = computed(() => listed.value.filter(({ state }) => state === 'unconfirmed'))
  const unconfirmedCount = computed(
    () => (counts.value?.unconfirmed ?? 0) - (listed.value.length - unconfirmed.value.length),
  )
  const notPlacedCount = computed(() => counts.value?.notPlaced ?? 0)
  /** Number of orders and order lists that need attention. */
  const attentionCount = computed(() => unconfirmedCount.value + notPlacedCount.value + stoppedLists.value.length)

  const begin = orderRequests()
  async function load(): Promise<void> {
    const isNewest = begin()
    try {
      const [waiting, refused, lists] = await Promise.all([
        client.call('orders.list', { filter: 'unconfirmed' }),
        client.call('orders.list', { filter: 'not-placed', limit: 1 }),
        client.call('batches.list', {}),
      ])
      if (!isNewest()) return
      counts.value = waiting.counts
      listed.value = waiting.items
      notPlaced.value = refused.items
      stoppedLists.value = lists.items.filter((list) => list.state === 'stopped' && list.counts.waiting > 0)
    } catch {
      // The views report their own errors; an unknown count is not displayed.
    }
  }

  /** `changes` also counts those of order lists and presets. */
  const { changes, refresh } = createRefresh(load, refreshMs)

  /** Loads and listens for events. Returns a function that stops listening. */
  function start(): () => void {
    refresh()
    return client.listen({
      onEvent(message) {
        if (message.name === 'orders-changed') refresh()
      },
      onLink(now) {
        if (now === 'open') refresh()
      },
    })
  }

  return {
    changes,
    counts,
    unconfirmed,
    unconfirmedCount,
    notPlaced,
    notPlacedCount,
    stoppedLists,
    attentionCount,
    refresh,
    start,
  }
})
