import { nextTick, onScopeDispose, ref, watch, type Ref } from 'vue'

/** Rows that Page Up and Page Down skip: about what fits on a screen. */
const pageRows = 15

/** How long a row may take to be there: it is rendered when the scrolling has been noticed, and some only with what they show. */
const mostWaitMs = 10_000

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

/** Moving through the rows of a virtual list: `rowAt` finds the element of a row that takes the focus, once it is rendered. */
export function useRowKeys(
  count: () => number,
  scrollTo: (index: number) => void,
  rowAt: (index: number) => HTMLElement | null,
): RowKeys {
  const active = ref(0)
  watch(count, (rows) => (active.value = Math.max(0, Math.min(active.value, rows - 1))))

  /** Only the last asking is waited for. */
  let asked = 0
  onScopeDispose(() => (asked += 1))

  async function focus(index: number): Promise<void> {
    active.value = Math.max(0, Math.min(index, count() - 1))
    scrollTo(active.value)
    asked += 1
    const [mine, had, endMs] = [asked, document.activeElement, performance.now() + mostWaitMs]
    while (mine === asked && performance.now() < endMs && isStillThere(had)) {
      await nextTick()
      const row = rowAt(active.value)
      if (row !== null) return row.focus({ preventScroll: true })
      await new Promise(requestAnimationFrame)
    }
  }

  /** Whether the focus is where it was: a row that was scrolled away leaves it to the page; a person moves it elsewhere. */
  function isStillThere(had: Element | null): boolean {
    return document.activeElement === had || document.activeElement === document.body
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
