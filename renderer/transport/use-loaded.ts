import { onScopeDispose, ref, shallowRef, watch, type ShallowRef } from 'vue'
import { orderRequests } from './request-order.ts'
import type { CallError } from './transport.ts'

/**
 * Loads a value from the engine. Drops the value and loads it again if `key` changes; keeps it on screen while loading
 * it again if `refreshOn` changes. Of overlapping requests for the same `key`, the newest answer counts. A value that
 * `isPartial` is loaded again until it is not, by one request at a time and up to the first error.
 */
export function useLoaded<Value>(
  load: () => Promise<Value>,
  {
    key = () => null,
    refreshOn = () => null,
    isPartial = () => false,
  }: { key?: () => unknown; refreshOn?: () => unknown; isPartial?: (value: Value) => boolean } = {},
) {
  /** `null` until the first response. Keeps the old value while it is fetched again. */
  const value: ShallowRef<Value | null> = shallowRef<Value | null>(null)
  /** Error of the last request, or `null` if it succeeded. */
  const error = shallowRef<CallError | null>(null)
  const isLoading = ref(false)
  let latest = 0
  /** Replaced with the key, since answers for another one do not count. */
  let begin = orderRequests()
  const dropAnswers = () => void (begin = orderRequests())
  onScopeDispose(dropAnswers)

  async function reload(): Promise<void> {
    const request = ++latest
    const mine = begin
    const isNewest = mine()
    isLoading.value = true
    try {
      const loaded = await load()
      if (mine !== begin || !isNewest()) return
      value.value = loaded
      error.value = null
    } catch (thrown) {
      if (mine === begin && isNewest()) error.value = thrown as CallError
    } finally {
      if (request === latest) isLoading.value = false
    }
  }

  watch(
    key,
    () => {
      dropAnswers()
      value.value = null
      error.value = null
      void reload()
    },
    { immediate: true },
  )
  watch(refreshOn, () => void reload())
  watch([value, isLoading], () => {
    if (isLoading.value || error.value !== null || value.value === null) return
    if (isPartial(value.value)) void reload()
  })
  return { value, error, isLoading, reload }
}
