import { defaultRangeExtractor, useVirtualizer } from '@tanstack/vue-virtual'
import { until, watchDebounced, useDebounceFn, useEventListener } from '@vueuse/core'
import { computed, nextTick, onScopeDispose, ref, watch, type Ref } from 'vue'

/** Empty rows that are displayed until the number of rows is known. */
const placeholders = 12

/** Rows rendered beyond each edge of the view. Each one makes rendering a new window after Page Down slower. */
const overscan = 4

/** Rows loaded beyond each edge of the view, so that scrolling does not reveal empty rows. */
const loadedBeyond = 12

/** Rows that Page Up and Page Down skip: about a screenful. */
const pageRows = 15

/** Maximum wait for a row to be rendered: scrolling has to be noticed first, and some rows wait for their data. */
const maxWaitMs = 10_000

/** Source of the rows; see transport/use-pages.ts. */
interface RowSource<Item> {
  readonly total: Ref<number | null>
  at(index: number): Item | undefined
  show(first: number, last: number): void
}

export interface VirtualRowsOptions {
  readonly rowHeightPx: number
  /** 32 by default. */
  readonly headHeightPx?: number
  /** Selector of the element in a row that takes the focus; the row itself by default. */
  readonly focusTarget?: string
}

/**
 * The rows on screen of a long list, all of the same height, below a sticky head. Each row's element needs
 * `data-index`. Loads the rows on screen from `source`.
 */
export function useVirtualRows<Item>(
  scroller: Ref<HTMLElement | null>,
  source: () => RowSource<Item>,
  { rowHeightPx, headHeightPx = 32, focusTarget = '' }: VirtualRowsOptions,
) {
  const count = computed(() => source().total.value ?? placeholders)
  const keys = useRowKeys(
    () => count.value,
    (index) => virtualizer.value.scrollToIndex(index),
    (index) => scroller.value?.querySelector(`[data-index="${index}"] ${focusTarget}`) ?? null,
  )
  const virtualizer = useVirtualizer(
    computed(() => ({
      count: count.value,
      getScrollElement: () => scroller.value,
      estimateSize: () => rowHeightPx,
      overscan,
      scrollMargin: headHeightPx,
      scrollPaddingStart: headHeightPx,
      // The focused row stays rendered; otherwise scrolling would lose the focus.
      rangeExtractor: (range: Range) => withKept(range, Math.min(keys.active.value, count.value - 1)),
    })),
  )
  const firstShown = computed(() => virtualizer.value.range?.startIndex ?? 0)
  watchDebounced(
    () => [firstShown.value, virtualizer.value.range?.endIndex ?? 0, count.value] as const,
    ([first, last, all]) => source().show(first - loadedBeyond, Math.min(last + loadedBeyond, all - 1)),
    { debounce: 30, maxWait: 150 },
  )
  return {
    count,
    rows: computed(() =>
      virtualizer.value.getVirtualItems().map(({ index, start }) => ({
        index,
        /** Position within the element of height `heightPx`. A string, so that unmoved rows need no update. */
        style: `transform: translateY(${start - headHeightPx}px)`,
        /** `undefined` while the row is loading. */
        item: source().at(index),
      })),
    ),
    /** Height of all rows together. */
    heightPx: computed(() => virtualizer.value.getTotalSize()),
    keys,
    /** Index of the first row on screen. */
    firstShown,
  }
}

export interface RowsOptions<Item> {
  /** In pixels. If heights may change, call `virtualizer.measure()` then. */
  readonly heightOf: (item: Item) => number
  /** Returns a key that a row keeps when it moves. Default: its index. */
  readonly keyOf?: (item: Item) => string | number
  /** Rows rendered beyond each edge of the view. */
  readonly overscan: number
  /** Index of a row that stays rendered; -1 for none. */
  readonly kept?: () => number
  /** Height of what covers the top of the view, in pixels: rows are scrolled to below it. 0 by default. */
  readonly scrollPaddingStart?: number
}

/** The rows on screen of a list that is in memory, of any heights. */
export function useRows<Item>(
  scroller: Ref<HTMLElement | null>,
  items: () => readonly Item[],
  { heightOf, keyOf, overscan, kept = () => -1, scrollPaddingStart = 0 }: RowsOptions<Item>,
) {
  const ofItem = <Value>(index: number, act: ((item: Item) => Value) | undefined, otherwise: Value): Value => {
    const item = items()[index]
    return item === undefined || act === undefined ? otherwise : act(item)
  }
  const virtualizer = useVirtualizer(
    computed(() => ({
      count: items().length,
      getScrollElement: () => scroller.value,
      getItemKey: (index: number) => ofItem<string | number>(index, keyOf, index),
      estimateSize: (index: number) => ofItem(index, heightOf, 0),
      overscan,
      scrollPaddingStart,
      rangeExtractor: (range: Range) => withKept(range, kept()),
    })),
  )
  const rows = computed(() =>
    virtualizer.value.getVirtualItems().flatMap(({ index, start }) => {
      const item = items()[index]
      return item === undefined ? [] : [{ index, item, style: `transform: translateY(${start}px)` }]
    }),
  )
  return { rows, virtualizer, heightPx: computed(() => virtualizer.value.getTotalSize()) }
}

type Range = Parameters<typeof defaultRangeExtractor>[0]

/** Returns the rows of a range, and another one if the list has it. */
function withKept(range: Range, kept: number): number[] {
  const shown = defaultRangeExtractor(range)
  return kept < 0 || kept >= range.count || shown.includes(kept)
    ? shown
    : [...shown, kept].sort((one, other) => one - other)
}

/** Keyboard navigation in a virtual list. `rowAt` returns the focusable element of a row once it is rendered. */
function useRowKeys(
  count: () => number,
  scrollTo: (index: number) => void,
  rowAt: (index: number) => HTMLElement | null,
) {
  const active = ref(0)
  watch(count, (rows) => {
    const before = active.value
    active.value = Math.max(0, Math.min(before, rows - 1))
    // The row that has the focus leaves the list.
    const isLost = active.value < before && rowAt(before)?.contains(document.activeElement) === true
    if (isLost && rows > 0) void focus(active.value)
  })

  /** A newer request ends the wait of the one before. */
  let latest = 0
  onScopeDispose(() => (latest += 1))

  async function focus(index: number): Promise<void> {
    active.value = Math.max(0, Math.min(index, count() - 1))
    scrollTo(active.value)
    latest += 1
    const [request, focused, endMs] = [latest, document.activeElement, performance.now() + maxWaitMs]
    while (request === latest && performance.now() < endMs && isFocusUnmoved(focused)) {
      await nextTick()
      const row = rowAt(active.value)
      if (row !== null) return row.focus({ preventScroll: true })
      await new Promise(requestAnimationFrame)
    }
  }

  /** A row that is scrolled away returns the focus to the page; only the user moves it elsewhere. */
  function isFocusUnmoved(focused: Element | null): boolean {
    return document.activeElement === focused || document.activeElement === document.body
  }

  const targets: Readonly<Record<string, () => number>> = {
    ArrowDown: () => active.value + 1,
    ArrowUp: () => active.value - 1,
    PageDown: () => active.value + pageRows,
    PageUp: () => active.value - pageRows,
    Home: () => 0,
    End: () => count() - 1,
  }

  return {
    /** Index of the row in the tab order. */
    active,
    /** Focuses a row and scrolls it into view. */
    focus,
    /** Makes the focused row the active one; for `focusin`. */
    follow: (event: FocusEvent) => {
      const index = (event.target as HTMLElement).closest('[data-index]')?.getAttribute('data-index') ?? null
      if (index !== null) active.value = Number(index)
    },
    /** Handles the arrow keys, Home, End, Page Up, and Page Down. Returns true if the key was one of them. */
    move(event: KeyboardEvent) {
      const target = targets[event.key]
      if (target === undefined || event.altKey || event.metaKey) return false
      event.preventDefault()
      void focus(target())
      return true
    },
  }
}

/** Browsers limit changes of a history entry to a few hundred per half minute. */
const saveAfterMs = 100

/**
 * Saves a list's scroll position in its history entry, and restores it when the user returns by Back, once `isReady`
 * says that the list is long enough for it. Returns the position that is still to be restored; 0 for none.
 */
export function useSavedScroll(scroller: Ref<HTMLElement | null>, isReady: (top: number) => boolean): Ref<number> {
  const key = 'solarchiveListTop'
  // Another search or filter replaces the location of the entry, and keeps the rest of its state.
  const placeKey = 'solarchiveListOf'
  const { [key]: saved, [placeKey]: place, current } = (history.state ?? {}) as Record<string, unknown>
  const pendingTop = ref(typeof saved === 'number' && place === current ? saved : 0)
  let isHere = true
  onScopeDispose(() => (isHere = false))

  const save = useDebounceFn(() => {
    // After this view is left, the current history entry belongs to another one.
    if (isHere && scroller.value !== null) {
      const state = (history.state ?? {}) as Record<string, unknown>
      history.replaceState({ ...state, [key]: scroller.value.scrollTop, [placeKey]: state['current'] }, '')
    }
  }, saveAfterMs)
  // Whoever scrolls meanwhile stays there.
  const onScroll = () => {
    pendingTop.value = 0
    void save()
  }
  useEventListener(scroller, 'scroll', onScroll, { passive: true })

  void until(() => pendingTop.value > 0 && isReady(pendingTop.value))
    .toBe(true, { flush: 'post' })
    .then(nextTick)
    .then(() => {
      if (pendingTop.value > 0) scroller.value?.scrollTo({ top: pendingTop.value })
      pendingTop.value = 0
    })
  return pendingTop
}
