import { useDebounceFn, useEventListener } from '@vueuse/core'
import { nextTick, onScopeDispose, watch, type Ref } from 'vue'

/** Browsers take a few hundred changes of an entry of their history in half a minute. */
const keepAfterMs = 100

/** Keeps how far a list is scrolled with its place in the history, and goes there when a person comes back by Back. */
export function useKeptScroll(scroller: Ref<HTMLElement | null>, isReady: () => boolean): void {
  const key = 'solarchiveListTop'
  const kept = (history.state as Record<string, unknown> | null)?.[key]
  let isHere = true
  onScopeDispose(() => (isHere = false))

  const keep = useDebounceFn(() => {
    // Beyond this view the history's present entry is another one's.
    if (isHere && scroller.value !== null) {
      history.replaceState({ ...(history.state as object | null), [key]: scroller.value.scrollTop }, '')
    }
  }, keepAfterMs)
  useEventListener(scroller, 'scroll', () => void keep(), { passive: true })

  if (typeof kept !== 'number' || kept === 0) return
  const stop = watch(
    isReady,
    (ready) => {
      if (!ready) return
      stop()
      void nextTick(() => scroller.value?.scrollTo({ top: kept }))
    },
    { flush: 'post' },
  )
}
