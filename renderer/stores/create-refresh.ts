import { useThrottleFn } from '@vueuse/core'
import { ref } from 'vue'

/** Counts the changes of a store, and loads it for each: at once, or at the end of the interval. */
export function createRefresh(load: () => Promise<void>, intervalMs: number) {
  /** Views watch it to reload. */
  const changes = ref(0)
  const refreshThrottled = useThrottleFn(
    () => {
      changes.value += 1
      void load()
    },
    intervalMs,
    true,
  )
  return { changes, refresh: () => void refreshThrottled() }
}
