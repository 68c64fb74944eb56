import { useElementSize } from '@vueuse/core'
import { readonly, ref, watch, type Ref } from 'vue'

/**
 * Returns the width of an element on screen in pixels, at first `initial`. While a sheet is printed the page behind it
 * has no width: then it is the one from before, so that nothing is removed or scrolled.
 */
export function useScreenWidth(element: Readonly<Ref<HTMLElement | null>>, initial = 0): Readonly<Ref<number>> {
  const { width } = useElementSize(element, { width: initial, height: 0 })
  const kept = ref(initial)
  watch(
    width,
    (now) => {
      if (!matchMedia('print').matches) kept.value = now
    },
    { flush: 'sync' },
  )
  return readonly(kept)
}
