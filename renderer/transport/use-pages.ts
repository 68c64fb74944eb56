import { onScopeDispose, ref, shallowReactive, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import type { CallError } from './transport.ts'

/**
 * Rows per call: as many as a tall window shows. Nobody sees the others when a list changes with each key that is
 * typed, and each row of a page takes the engine about a millisecond.
 */
const pageSize = 32

/** Pages kept in memory; those farthest from the view are dropped first. */
const maxPages = 20

export interface PageAnswer<Item> {
  readonly total: number
  readonly items: readonly Item[]
}

export interface Pages<Item> {
  /** Number of matching rows, or `null` until the first response. */
  readonly total: Ref<number | null>
  readonly error: ShallowRef<CallError | null>
  /** Returns the row, or `undefined` while its page is loading. */
  at(index: number): Item | undefined
  /** Sets which rows are on screen. Their pages are loaded. */
  show(first: number, last: number): void
  reload(): void
}

/** Old rows are shown for this long while those of another list load: a list that empties at each key flickers. */
const staleMs = 300

/**
 * A long list of which only the pages near the view are in memory. Starts over if `key` changes; if `refreshOn`
 * changes, loads the pages on screen again and keeps the old rows until then.
 */
export function usePages<Item>(
  load: (page: { offset: number; limit: number }) => Promise<PageAnswer<Item>>,
  { key, refreshOn = () => null }: { key: () => unknown; refreshOn?: () => unknown },
): Pages<Item> {
  const pages = shallowReactive(new Map<number, readonly Item[]>())
  const total = ref<number | null>(null)
  const error = shallowRef<CallError | null>(null)
  const inFlight = new Set<number>()
  /** Pages that were requested again while in flight. */
  const outdated = new Set<number>()
  let generation = 0
  let shown = { first: 0, last: 0 }
  /** Runs while the rows are those of the list before. */
  let staleTimer: number | undefined
  onScopeDispose(() => {
    generation += 1
    clearTimeout(staleTimer)
  })

  function dropStaleRows(): void {
    if (staleTimer === undefined) return
    clearTimeout(staleTimer)
    staleTimer = undefined
    pages.clear()
    total.value = null
  }

  async function fetchPage(page: number): Promise<void> {
    if (inFlight.has(page)) return
    inFlight.add(page)
    const mine = generation
    try {
      const answer = await load({ offset: page * pageSize, limit: pageSize })
      if (mine !== generation) return
      dropStaleRows()
      pages.set(page, answer.items)
      total.value = answer.total
      error.value = null
      dropFarPages()
    } catch (thrown) {
      if (mine === generation) {
        dropStaleRows()
        error.value = thrown as CallError
      }
    } finally {
      if (mine === generation) {
        inFlight.delete(page)
        if (outdated.delete(page)) void fetchPage(page)
      }
    }
  }

  function shownPages(): number[] {
    const first = Math.floor(shown.first / pageSize)
    const last = Math.floor(shown.last / pageSize)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  }

  function dropFarPages(): void {
    const middle = (shown.first + shown.last) / 2 / pageSize
    const farFirst = [...pages.keys()].sort((one, other) => Math.abs(other - middle) - Math.abs(one - middle))
    for (const page of farFirst.slice(0, Math.max(0, pages.size - maxPages))) pages.delete(page)
  }

  /** A page in flight is displayed when it arrives, then loaded once more: changes may be faster than responses. */
  function reload(): void {
    for (const page of shownPages()) {
      if (inFlight.has(page)) outdated.add(page)
      else void fetchPage(page)
    }
  }

  watch(
    key,
    () => {
      generation += 1
      inFlight.clear()
      outdated.clear()
      error.value = null
      clearTimeout(staleTimer)
      staleTimer = window.setTimeout(dropStaleRows, staleMs)
      shown = { first: 0, last: 0 }
      reload()
    },
    { immediate: true },
  )
  watch(refreshOn, () => {
    const onScreen = new Set(shownPages())
    for (const page of pages.keys()) if (!onScreen.has(page)) pages.delete(page)
    reload()
  })

  return {
    total,
    error,
    at: (index) => pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    show(first, last) {
      shown = { first: Math.max(0, first), last: Math.max(0, last) }
      for (const page of shownPages()) if (!pages.has(page)) void fetchPage(page)
    },
    reload,
  }
}
