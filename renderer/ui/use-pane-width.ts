import { useLocalStorage } from '@vueuse/core'
import { computed, type ComputedRef, type WritableComputedRef } from 'vue'

export interface PaneWidth {
  /** Width in pixels, limited to the available room. The chosen width is remembered even if there is less room. */
  readonly width: WritableComputedRef<number>
  readonly max: ComputedRef<number>
}

/** Returns the width of a right-hand pane, stored in this browser under `storedAs`. All lengths are in pixels. */
export function usePaneWidth(
  storedAs: string,
  { initial, min, room }: { initial: number; min: number; room: () => number },
): PaneWidth {
  const wanted = useLocalStorage(storedAs, initial)
  const max = computed(() => Math.max(min, room()))
  const width = computed({
    get: () => Math.min(max.value, Math.max(min, wanted.value)),
    set: (chosen) => (wanted.value = chosen),
  })
  return { width, max }
}
