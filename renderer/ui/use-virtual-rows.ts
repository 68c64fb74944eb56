import { defaultRangeExtractor, useVirtualizer } from '@tanstack/vue-virtual'
import { watchDebounced } from '@vueuse/core'
import { computed, type ComputedRef, type Ref } from 'vue'
import type { Pages } from '../transport/use-pages.ts'
import { useRowKeys, type RowKeys } from './use-row-keys.ts'

/** Rows without content until it is known how many there are. */
const placeholders = 12

/** Rows beyond each edge that are rendered. Every one more lengthens the task in which Page Down renders a window anew. */
const overscan = 4

/** Rows beyond each edge that are fetched, so that scrolling shows no holes. */
const fetchedBeyond = 12

export interface VirtualRow<Item> {
  readonly index: number
  /** A style, within the element that has `heightPx`. A text: rows that stay where they are need no update. */
  readonly place: string
  /** Undefined while its page is on its way. */
  readonly item: Item | undefined
}

export interface VirtualRowsLook {
  readonly rowHeightPx: number
  readonly headHeightPx: number
  /** A selector for what takes the focus in a row; left out, the row itself does. */
  readonly takesFocus?: string
}

export interface VirtualRows<Item> {
  readonly count: ComputedRef<number>
  readonly rows: ComputedRef<VirtualRow<Item>[]>
  /** Of all rows together. */
  readonly heightPx: ComputedRef<number>
  readonly keys: RowKeys
  /** The first row on screen. */
  readonly firstShown: ComputedRef<number>
}

/**
 * The rows on screen of a long list, all of one height, below a head that stays. Each row's element needs `data-index`. The
 * pages on screen are fetched.
 */
export function useVirtualRows<Item>(
  scroller: Ref<HTMLElement | null>,
  pages: () => Pages<Item>,
  { rowHeightPx, headHeightPx, takesFocus = '' }: VirtualRowsLook,
): VirtualRows<Item> {
  const count = computed(() => pages().total.value ?? placeholders)
  const keys = useRowKeys(
    () => count.value,
    (index) => virtualizer.value.scrollToIndex(index),
    (index) => scroller.value?.querySelector(`[data-index="${index}"] ${takesFocus}`) ?? null,
  )
  const virtualizer = useVirtualizer(
    computed(() => ({
      count: count.value,
      getScrollElement: () => scroller.value,
      estimateSize: () => rowHeightPx,
      overscan,
      scrollMargin: headHeightPx,
      scrollPaddingStart: headHeightPx,
      // The row with the focus stays rendered: else scrolling would drop the focus.
      rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) =>
        [...new Set([...defaultRangeExtractor(range), Math.min(keys.active.value, count.value - 1)])].sort(
          (one, other) => one - other,
        ),
    })),
  )
  const firstShown = computed(() => virtualizer.value.range?.startIndex ?? 0)
  watchDebounced(
    () => [firstShown.value, virtualizer.value.range?.endIndex ?? 0, count.value] as const,
    ([first, last, all]) => pages().show(first - fetchedBeyond, Math.min(last + fetchedBeyond, all - 1)),
    { debounce: 30, maxWait: 150 },
  )
  return {
    count,
    rows: computed(() =>
      virtualizer.value.getVirtualItems().map(({ index, start }) => ({
        index,
        place: `transform: translateY(${start - headHeightPx}px)`,
        item: pages().at(index),
      })),
    ),
    heightPx: computed(() => virtualizer.value.getTotalSize()),
    keys,
    firstShown,
  }
}
