import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import type { ProjectQuery } from '../../../shared/views.ts'
import { isFilter, isSort } from '../../labels/project-labels.ts'
import { useUrlQuery } from '../../ui/use-url-query.ts'

export type ProjectListQuery = Pick<ProjectQuery, 'search' | 'filter' | 'sort' | 'descending'>

const everything: ProjectListQuery = { search: '', filter: 'all', sort: 'name', descending: false }

/** Search, filter, and order of the project list. Stored in the URL, so that Back returns to the same list. */
export function useProjectQuery() {
  const route = useRoute()
  const router = useRouter()

  const query = useUrlQuery(({ search, filter, sort, descending }): ProjectListQuery => ({
    search: typeof search === 'string' ? search.slice(0, 200) : everything.search,
    filter: isFilter(filter) ? filter : everything.filter,
    sort: isSort(sort) ? sort : everything.sort,
    descending: descending === 'yes',
  }))

  function change(part: Partial<ProjectListQuery>): void {
    const { search, filter, sort, descending } = { ...query.value, ...part }
    void router.replace({
      query: {
        ...(route.query['add'] !== undefined && { add: route.query['add'] }),
        ...(search !== '' && { search }),
        ...(filter !== 'all' && { filter }),
        ...(sort !== 'name' && { sort }),
        ...(descending && { descending: 'yes' }),
      },
    })
  }

  /** True if all projects are listed. */
  const isUnfiltered = computed(() => query.value.search === '' && query.value.filter === 'all')
  return { query, isUnfiltered, change, showAll: () => change({ search: '', filter: 'all' }) }
}
