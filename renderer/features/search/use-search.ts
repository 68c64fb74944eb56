import { useIntervalFn } from '@vueuse/core'
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import type { SearchHit, SearchPage } from '../../../shared/search.ts'
import { useEngine } from '../../stores/engine-store.ts'
import { type CallError, useClient } from '../../transport/transport.ts'

/** The last answer, without its hits; `query` is what it answers. */
export interface SearchAnswer extends Omit<SearchPage, 'hits' | 'cursor'> {
  readonly query: string
}

/** While older data is still being indexed, results are refreshed this often: no event announces progress. */
const indexingRefreshMs = 3_000

/**
 * Searches as one types. One call is in flight at a time; when its answer arrives, the newest query is sent. The hits
 * before stay until then, so that nothing flickers. An empty query has no answer.
 */
export function useSearch(query: () => string, { limit }: { limit: number }) {
  const client = useClient()
  const engine = useEngine()
  const hits = shallowRef<readonly SearchHit[]>([])
  /** `null` before the first answer, and for an empty query. */
  const answer = shallowRef<SearchAnswer | null>(null)
  const error = shallowRef<CallError | null>(null)
  const isLoading = ref(false)
  const isLoadingMore = ref(false)
  const cursor = ref<string | null>(null)
  const canLoadMore = computed(
    () => cursor.value !== null && error.value === null && !isLoading.value && !isLoadingMore.value,
  )
  let isOutdated = false
  let isGone = false
  onScopeDispose(() => (isGone = true))

  async function run(): Promise<void> {
    isOutdated = true
    if (isLoading.value) return
    isLoading.value = true
    while (isOutdated && !isGone) {
      isOutdated = false
      await answerTo(query())
    }
    isLoading.value = false
  }

  async function answerTo(text: string): Promise<void> {
    if (text.trim() === '') {
      set([], null, null)
      error.value = null
      return
    }
    try {
      const page = await client.call('search', { query: text, limit })
      let { hits: found, cursor: next } = page
      // Rare filters take several calls until the first hit. News of a sync do not break them off; a new query does.
      while (found.length === 0 && next !== null) {
        if (isGone || query() !== text) return
        ;({ hits: found, cursor: next } = await client.call('search', { query: text, limit, cursor: next }))
      }
      const { total, isCapped, isIndexing, isReading, problems } = page
      // Without a further page, these are all.
      const isMore = isCapped && next !== null
      const known = { total: Math.max(total, found.length), isCapped: isMore, isIndexing, isReading, problems }
      set(found, { query: text, ...known }, next)
      error.value = null
    } catch (thrown) {
      error.value = thrown as CallError
    }
  }

  function set(found: readonly SearchHit[], answered: SearchAnswer | null, next: string | null): void {
    hits.value = found
    answer.value = answered
    cursor.value = next
  }

  /** Appends the next page, unless another answer arrives meanwhile. */
  async function loadMore(): Promise<void> {
    const [from, before] = [cursor.value, answer.value]
    if (!canLoadMore.value || from === null || before === null) return
    isLoadingMore.value = true
    try {
      const page = await client.call('search', { query: before.query, limit, cursor: from })
      if (answer.value !== before) return
      hits.value = [...hits.value, ...page.hits]
      cursor.value = page.cursor
      // The number is that of the first page as long as there may be more.
      if (page.cursor === null && before.isCapped) {
        answer.value = { ...before, total: hits.value.length, isCapped: false }
      }
    } catch (thrown) {
      if (answer.value === before) error.value = thrown as CallError
    } finally {
      isLoadingMore.value = false
    }
  }

  /** Hits of later pages would be lost, and with them the position in the list. */
  function refresh(): void {
    if ((answer.value ?? error.value) !== null && hits.value.length <= limit && !isLoadingMore.value) void run()
  }

  watch(query, run, { immediate: true })
  watch(() => engine.changes + engine.readings, refresh)
  useIntervalFn(() => answer.value?.isIndexing === true && refresh(), indexingRefreshMs)
  return { hits, answer, error, isLoading, cursor, canLoadMore, run, loadMore }
}
