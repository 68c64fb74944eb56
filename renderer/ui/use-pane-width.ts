import { useLocalStorage } from '@vueuse/core'
import { computed } from 'vue'

/**
 * Returns the width of a right-hand pane, limited to the available room. The chosen width is stored in this browser
 * under `storedAs`, even if there is less room. All lengths are in pixels.
 */
export function usePaneWidth(
  storedAs: string,
  { initial, min, room }: { initial: number; min: number; room: () => number },
) {
  const wanted = useLocalStorage(storedAs, initial)
  const max = computed(() => Math.max(min, room()))
  const width = computed({
    get: () => Math.min(max.value, Math.max(min, wanted.value)),
    set: (chosen) => (wanted.value = chosen),
  })
  return { width, max }
}
