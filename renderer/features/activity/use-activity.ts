import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import type { Activity, ActivityGroup } from '../../../shared/activity.ts'
import type { EventValue } from '../../../shared/contract/events.ts'
import { formatDay } from '../../../shared/format.ts'
import { type CallError, useClient } from '../../transport/transport.ts'

const pageSize = 50

/** Newest rows kept while following, or as many as scrolling has loaded; older ones are loaded again by scrolling. */
const maxFollowed = 500

interface ActivityFilter {
  groups?: ActivityGroup[]
}

/** Activity, newest first: live updates, and older rows page by page. */
export function useActivity(query: () => ActivityFilter) {
  const client = useClient()
  /** `null` until the first response. */
  const rows = shallowRef<readonly Activity[] | null>(null)
  const hasMore = ref(false)
  const isLoading = ref(false)
  const error = shallowRef<CallError | null>(null)
  /** Error of the last page of older rows: the rows before it stay. */
  const olderError = shallowRef<CallError | null>(null)
  const isFollowing = ref(true)
  /** IDs of rows that arrived while not following. A row arrives again whenever its count increases. */
  const newIds = shallowRef<ReadonlySet<number>>(new Set())
  /** True if rows may be missing: the newest ones have to be loaded again. */
  let hasMissed = false
  /** True while the newest rows are loaded: their response may have been composed before what arrives meanwhile. */
  let isLoadingNewest = false
  let generation = 0
  onScopeDispose(() => (generation += 1))

  async function load(before?: number): Promise<void> {
    const request = before === undefined ? ++generation : generation
    isLoadingNewest = before === undefined
    if (isLoadingNewest) hasMissed = false
    isLoading.value = true
    try {
      const page = await client.call('activity.list', {
        ...query(),
        limit: pageSize,
        ...(before !== undefined && { before }),
      })
      if (request !== generation) return
      olderError.value = null
      if (before === undefined) {
        error.value = null
        rows.value = page.items
        hasMore.value = page.hasMore
        newIds.value = new Set()
        if (hasMissed && isFollowing.value) void load()
        return
      }
      const current = rows.value ?? []
      rows.value = appendOlder(current, before, page.items)
      if (rows.value !== current) hasMore.value = page.hasMore
    } catch (thrown) {
      if (request === generation) (before === undefined ? error : olderError).value = thrown as CallError
    } finally {
      if (request === generation) isLoading.value = isLoadingNewest = false
    }
  }

  function receive({ items, hasMore: missed }: EventValue<'activity'>): void {
    hasMissed ||= isLoadingNewest && (missed || rowsOf(items, query()).length > 0)
    if (rows.value === null) return
    const { renewed, added } = mergeUpdates(rows.value, rowsOf(items, query()))
    if (!isFollowing.value) {
      rows.value = renewed
      newIds.value = new Set([...newIds.value, ...added.map(({ id }) => id)])
      hasMissed ||= missed
      return
    }
    if (missed) return void load()
    const all = [...added, ...renewed]
    rows.value = all.slice(0, Math.max(maxFollowed, renewed.length))
    if (all.length > rows.value.length) hasMore.value = true
  }

  onScopeDispose(
    client.listen({
      onEvent(message) {
        if (message.name === 'activity') receive(message.value)
        // The host may answer again, such as after it restarted with other settings.
        else if (message.name === 'watch-state' && error.value !== null) void load()
      },
      onResync: () => void load(),
    }),
  )
  const startOver = () => {
    rows.value = null
    void load()
  }
  watch(query, startOver, { immediate: true, deep: true })
  watch(isFollowing, (follows) => {
    if (follows && (newIds.value.size > 0 || hasMissed)) void load()
  })

  return {
    rows,
    hasMore,
    isLoading,
    error,
    olderError,
    isFollowing,
    newCount: computed(() => newIds.value.size),
    reload: () => load(),
    loadOlder: () => {
      const last = rows.value?.at(-1)
      if (hasMore.value && !isLoading.value && last !== undefined) void load(last.id)
    },
  }
}

type Rows = readonly Activity[]

/** Returns the rows that a filter lets through. */
function rowsOf(rows: Rows, { groups }: ActivityFilter): Rows {
  return rows.filter(({ group }) => groups?.includes(group) ?? true)
}

/**
 * Merges an update into the current rows, newest first. A row that arrives again has a new count, and is replaced in
 * its position (`renewed`); the others are `added`.
 */
export function mergeUpdates(current: Rows, update: Rows): { readonly renewed: Rows; readonly added: Rows } {
  const byId = new Map(update.map((row) => [row.id, row]))
  const currentIds = new Set(current.map(({ id }) => id))
  return {
    renewed: current.map((row) => byId.get(row.id) ?? row),
    added: update.filter((row) => !currentIds.has(row.id)),
  }
}

/**
 * Appends the page that was requested from before the row `before`. If the end of the rows was cut off while the page
 * was in flight, appending would leave a gap: the page is dropped then.
 */
export function appendOlder(current: Rows, before: number, page: Rows): Rows {
  return current.at(-1)?.id === before ? [...current, ...page] : current
}

/** A line of the list: a heading or a row. `key` is unique. */
export type ActivityListLine = { readonly key: string } & ({ readonly day: string } | { readonly row: Activity })

/**
 * Returns the rows with a heading above the first of each day. A day has several headings if the clock of the machine
 * was set back over midnight.
 */
export function withDays(rows: Rows, nowMs: number): ActivityListLine[] {
  let day = ''
  return rows.flatMap((row): ActivityListLine[] => {
    const rowDay = formatDay(row.at, nowMs)
    const line = { key: `row-${row.id}`, row }
    if (rowDay === day) return [line]
    day = rowDay
    return [{ key: `day-${row.id}`, day: rowDay }, line]
  })
}
