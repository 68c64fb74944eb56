import { computed, type ComputedRef } from 'vue'
import { type LocationQuery, useRoute } from 'vue-router'

/** Returns a list's query, as the URL has it. The same object as long as nothing in it changes. */
export function useUrlQuery<Query>(read: (query: LocationQuery) => Query): ComputedRef<Query> {
  const route = useRoute()
  return computed<Query>((before) => {
    const now = read(route.query)
    // The same object for the same list: other parts of the URL change as well.
    return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now
  })
}
