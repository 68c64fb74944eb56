import { nextTick, ref, watch, type Ref } from 'vue'

/** Rows that Page Up and Page Down skip: about what fits on a screen. */
const pageRows = 15

const mostFrames = 20

export interface RowKeys {
  /** The row that is in the tab order. */
  readonly active: Ref<number>
  /** Puts the focus on a row, scrolling it into view. */
  focus(index: number): Promise<void>
  /** Where the focus went by itself; for `focusin`. */
  follow(event: FocusEvent): void
  /** Moves by the arrow keys, Home, End, Page Up and Page Down. Answers whether the key was one of them. */
  move(event: KeyboardEvent): boolean
}

/** Moving through the rows of a virtual list: `rowAt` finds a row's element once it is rendered. */
export function useRowKeys(
  count: () => number,
  scrollTo: (index: number) => void,
  rowAt: (index: number) => HTMLElement | null,
): RowKeys {
  const active = ref(0)
  watch(count, (rows) => (active.value = Math.max(0, Math.min(active.value, rows - 1))))

  async function focus(index: number): Promise<void> {
    active.value = Math.max(0, Math.min(index, count() - 1))
    scrollTo(active.value)
    // A row that was far away is rendered when the scrolling has been noticed.
    for (let frame = 0; frame < mostFrames; frame += 1) {
      await nextTick()
      const row = rowAt(active.value)
      if (row !== null) return row.focus({ preventScroll: true })
      await new Promise(requestAnimationFrame)
    }
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
    active,
    focus,
    follow: (event) => {
      const index = (event.target as HTMLElement).closest('[data-index]')?.getAttribute('data-index') ?? null
      if (index !== null) active.value = Number(index)
    },
    move(event) {
      const target = targets[event.key]
      if (target === undefined || event.altKey || event.metaKey) return false
      event.preventDefault()
      void focus(target())
      return true
    },
  }
}
