import { useDebounceFn, useEventListener } from '@vueuse/core'
import { nextTick, onScopeDispose, watch, type Ref } from 'vue'

/** Browsers limit changes of a history entry to a few hundred per half minute. */
const saveAfterMs = 100

/** Saves a list's scroll position in its history entry, and restores it when the user returns by Back. */
export function useSavedScroll(scroller: Ref<HTMLElement | null>, isReady: () => boolean): void {
  const key = 'solarchiveListTop'
  const saved = (history.state as Record<string, unknown> | null)?.[key]
  let isHere = true
  onScopeDispose(() => (isHere = false))

  const save = useDebounceFn(() => {
    // After this view is left, the current history entry belongs to another one.
    if (isHere && scroller.value !== null) {
      history.replaceState({ ...(history.state as object | null), [key]: scroller.value.scrollTop }, '')
    }
  }, saveAfterMs)
  useEventListener(scroller, 'scroll', () => void save(), { passive: true })

  if (typeof saved !== 'number' || saved === 0) return
  const stop = watch(
    isReady,
    (ready) => {
      if (!ready) return
      stop()
      void nextTick(() => scroller.value?.scrollTo({ top: saved }))
    },
    { flush: 'post' },
  )
}
