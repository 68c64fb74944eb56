import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { isOrderFilter, type OrderFilter } from './order-labels.ts'

export interface ListedOrders {
  readonly search: string
  readonly filter: OrderFilter
  /** Of this project alone. */
  readonly projectId?: string | undefined
}

/** Which orders are listed. It stands in the address, so that Back leads to the same list. */
export function useOrderQuery() {
  const route = useRoute()
  const router = useRouter()

  const query = computed<ListedOrders>((before) => {
    const { search, filter, project } = route.query
    const now: ListedOrders = {
      search: typeof search === 'string' ? search.slice(0, 200) : '',
      filter: isOrderFilter(filter) ? filter : 'all',
      ...(typeof project === 'string' && project !== '' && { projectId: project }),
    }
    // The same object for the same list: other parts of the address change as well.
    return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now
  })

  function replace({ search, filter, projectId }: ListedOrders): void {
    void router.replace({
      query: {
        ...(search !== '' && { search }),
        ...(filter !== 'all' && { filter }),
        ...(projectId !== undefined && { project: projectId }),
      },
    })
  }

  /** Whether all orders are listed. */
  const isWhole = computed(
    () => query.value.search === '' && query.value.filter === 'all' && query.value.projectId === undefined,
  )
  return {
    query,
    isWhole,
    change: (part: Partial<ListedOrders>) => replace({ ...query.value, ...part }),
    showAll: () => replace({ search: '', filter: 'all' }),
  }
}
