import { onScopeDispose, ref, shallowReactive, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import type { CallError } from './transport.ts'

/** The engine gives at most so many rows at once (shared/views.ts). */
const pageSize = 50

/** Pages beyond this many are forgotten, those farthest from the view first. */
const mostPages = 12

export interface PageAnswer<Item> {
  readonly total: number
  readonly items: readonly Item[]
}

export interface Pages<Item> {
  /** How many rows match; null until the first answer. */
  readonly total: Ref<number | null>
  readonly error: ShallowRef<CallError | null>
  /** The row, or undefined while its page is on its way. */
  at(index: number): Item | undefined
  /** Tells which rows are on screen: their pages are fetched. */
  show(first: number, last: number): void
  reload(): void
}

/**
 * A long list of which only the pages on screen are held. Begins anew when `key` changes; fetches what is on screen
 * again, keeping the old rows until then, when `refreshOn` changes.
 */
export function usePages<Item>(
  load: (page: { offset: number; limit: number }) => Promise<PageAnswer<Item>>,
  { key, refreshOn = () => null }: { key: () => unknown; refreshOn?: () => unknown },
): Pages<Item> {
  const pages = shallowReactive(new Map<number, readonly Item[]>())
  const total = ref<number | null>(null)
  const error = shallowRef<CallError | null>(null)
  const underWay = new Set<number>()
  /** Asked for again while they were on their way. */
  const outdated = new Set<number>()
  let generation = 0
  let shown = { first: 0, last: 0 }
  onScopeDispose(() => (generation += 1))

  async function fetchPage(page: number): Promise<void> {
    if (underWay.has(page)) return
    underWay.add(page)
    const mine = generation
    try {
      const answer = await load({ offset: page * pageSize, limit: pageSize })
      if (mine !== generation) return
      pages.set(page, answer.items)
      total.value = answer.total
      error.value = null
      forgetFarPages()
    } catch (thrown) {
      if (mine === generation) error.value = thrown as CallError
    } finally {
      if (mine === generation) {
        underWay.delete(page)
        if (outdated.delete(page)) void fetchPage(page)
      }
    }
  }

  function shownPages(): number[] {
    const first = Math.floor(shown.first / pageSize)
    const last = Math.floor(shown.last / pageSize)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  }

  function forgetFarPages(): void {
    const middle = (shown.first + shown.last) / 2 / pageSize
    const farFirst = [...pages.keys()].sort((one, other) => Math.abs(other - middle) - Math.abs(one - middle))
    for (const page of farFirst.slice(0, Math.max(0, pages.size - mostPages))) pages.delete(page)
  }

  /** What is on its way is shown when it comes, and fetched once more: changes may come faster than answers. */
  function reload(): void {
    for (const page of shownPages()) {
      if (underWay.has(page)) outdated.add(page)
      else void fetchPage(page)
    }
  }

  watch(
    key,
    () => {
      generation += 1
      underWay.clear()
      outdated.clear()
      pages.clear()
      total.value = null
      error.value = null
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
