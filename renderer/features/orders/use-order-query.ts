import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { isOrderFilter, type OrderFilter } from './order-labels.ts'

export interface OrderListQuery {
  readonly search: string
  readonly filter: OrderFilter
  /** Lists only orders of this project. */
  readonly projectId?: string | undefined
}

/** Search and filter of the order list. Stored in the URL, so that Back returns to the same list. */
export function useOrderQuery() {
  const route = useRoute()
  const router = useRouter()

  const query = computed<OrderListQuery>((before) => {
    const { search, filter, project } = route.query
    const now: OrderListQuery = {
      search: typeof search === 'string' ? search.slice(0, 200) : '',
      filter: isOrderFilter(filter) ? filter : 'all',
      ...(typeof project === 'string' && project !== '' && { projectId: project }),
    }
    // The same object for the same list: other parts of the URL change as well.
    return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now
  })

  function replace({ search, filter, projectId }: OrderListQuery): void {
    void router.replace({
      query: {
        ...(search !== '' && { search }),
        ...(filter !== 'all' && { filter }),
        ...(projectId !== undefined && { project: projectId }),
      },
    })
  }

  /** True if all orders are listed. */
  const isUnfiltered = computed(
    () => query.value.search === '' && query.value.filter === 'all' && query.value.projectId === undefined,
  )
  return {
    query,
    isUnfiltered,
    change: (part: Partial<OrderListQuery>) => replace({ ...query.value, ...part }),
    showAll: () => replace({ search: '', filter: 'all' }),
  }
}
