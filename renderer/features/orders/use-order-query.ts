import { computed } from 'vue'
import { useRouter } from 'vue-router'
import { useUrlQuery } from '../../ui/use-url-query.ts'
import { isOrderFilter, type OrderFilter } from './order-labels.ts'

export interface OrderListQuery {
  readonly search: string
  readonly filter: OrderFilter
  /** Lists only orders of this project. */
  readonly projectId?: string | undefined
}

/** Search and filter of the order list. Stored in the URL, so that Back returns to the same list. */
export function useOrderQuery() {
  const router = useRouter()

  const query = useUrlQuery(({ search, filter, project }): OrderListQuery => ({
    search: typeof search === 'string' ? search.slice(0, 200) : '',
    filter: isOrderFilter(filter) ? filter : 'all',
    ...(typeof project === 'string' && project !== '' && { projectId: project }),
  }))

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
