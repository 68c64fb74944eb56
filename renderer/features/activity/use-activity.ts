import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import type { Activity, ActivityGroup } from '../../../shared/activity.ts'
import type { EventValue } from '../../../shared/contract.ts'
import type { CallError } from '../../transport/transport.ts'
import { withOlder, withTold } from './activity-rows.ts'
import { useClient } from '../../transport/use-client.ts'

const pageSize = 50

/** So many of the newest rows are kept while one follows; older ones come back by scrolling. */
const mostFollowed = 500

/** What happened, newest first: a page at a time towards the past, and what is new as it happens. */
export function useActivity(query: () => { groups?: ActivityGroup[]; projectId?: string }) {
  const client = useClient()
  /** Null until the first answer. */
  const rows = shallowRef<readonly Activity[] | null>(null)
  const hasMore = ref(false)
  const isLoading = ref(false)
  const error = shallowRef<CallError | null>(null)
  const isFollowing = ref(true)
  /** What came while nobody followed. A row is told again whenever it counts more of the same. */
  const newIds = shallowRef<ReadonlySet<number>>(new Set())
  const newCount = computed(() => newIds.value.size)
  let generation = 0
  onScopeDispose(() => (generation += 1))

  async function load(before?: number): Promise<void> {
    const mine = before === undefined ? ++generation : generation
    isLoading.value = true
    try {
      const page = await client.call('activity.list', {
        ...query(),
        limit: pageSize,
        ...(before !== undefined && { before }),
      })
      if (mine !== generation) return
      error.value = null
      if (before === undefined) {
        rows.value = page.items
        hasMore.value = page.hasMore
        newIds.value = new Set()
        return
      }
      const held = rows.value ?? []
      rows.value = withOlder(held, before, page.items)
      if (rows.value !== held) hasMore.value = page.hasMore
    } catch (thrown) {
      if (mine === generation) error.value = thrown as CallError
    } finally {
      if (mine === generation) isLoading.value = false
    }
  }

  function take({ items, hasMore: missed }: EventValue<'activity'>): void {
    const { groups, projectId } = query()
    const wanted = items.filter(
      (row) => (groups?.includes(row.group) ?? true) && (projectId === undefined || row.project?.id === projectId),
    )
    const { renewed, added } = withTold(rows.value ?? [], wanted)
    if (!isFollowing.value) {
      rows.value = renewed
      newIds.value = new Set([...newIds.value, ...added.map(({ id }) => id)])
      return
    }
    if (missed) return void load()
    const all = [...added, ...renewed]
    if (all.length > mostFollowed) hasMore.value = true
    rows.value = all.slice(0, mostFollowed)
  }

  onScopeDispose(
    client.listen({
      onEvent(message) {
        if (message.name === 'activity') take(message.value as EventValue<'activity'>)
      },
      onResync: () => void load(),
      onLink: () => undefined,
    }),
  )
  watch(
    query,
    () => {
      rows.value = null
      void load()
    },
    { immediate: true, deep: true },
  )
  watch(isFollowing, (follows) => {
    if (follows && newCount.value > 0) void load()
  })

  return {
    rows,
    hasMore,
    isLoading,
    error,
    isFollowing,
    newCount,
    reload: () => load(),
    loadOlder: () => {
      const last = rows.value?.at(-1)
      if (hasMore.value && !isLoading.value && last !== undefined) void load(last.id)
    },
  }
}
