import { useLocalStorage } from '@vueuse/core'
import { computed, type ComputedRef, type WritableComputedRef } from 'vue'

export interface PaneWidth {
  /** In pixels, within what there is room for. What a person chose is kept, also while there is less room. */
  readonly width: WritableComputedRef<number>
  readonly most: ComputedRef<number>
}

/** The width of a pane at the right of another, kept on this computer under a name. All in pixels. */
export function usePaneWidth(
  storedAs: string,
  { initial, least, room }: { initial: number; least: number; room: () => number },
): PaneWidth {
  const wanted = useLocalStorage(storedAs, initial)
  const most = computed(() => Math.max(least, room()))
  const width = computed({
    get: () => Math.min(most.value, Math.max(least, wanted.value)),
    set: (chosen) => (wanted.value = chosen),
  })
  return { width, most }
}
