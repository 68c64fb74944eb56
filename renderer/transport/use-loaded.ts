import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import type { CallError } from './transport.ts'

export interface Loaded<Value> {
  /** Null until the first answer; the old value stays while it is fetched again. */
  readonly value: ShallowRef<Value | null>
  /** Why the last try failed; null as soon as one works. */
  readonly error: ShallowRef<CallError | null>
  readonly isLoading: Ref<boolean>
  readonly reload: () => Promise<void>
}

/**
 * One thing that the engine answers. It is fetched anew, forgetting the old, when `key` changes, and again, keeping the old
 * on screen, when `refreshOn` does. Of answers that overtake each other the last one asked for counts.
 */
export function useLoaded<Value>(
  load: () => Promise<Value>,
  { key = () => null, refreshOn = () => null }: { key?: () => unknown; refreshOn?: () => unknown } = {},
): Loaded<Value> {
  const value = shallowRef<Value | null>(null)
  const error = shallowRef<CallError | null>(null)
  const isLoading = ref(false)
  let asked = 0
  onScopeDispose(() => (asked += 1))

  async function reload(): Promise<void> {
    const mine = ++asked
    isLoading.value = true
    try {
      const answer = await load()
      if (mine !== asked) return
      value.value = answer
      error.value = null
    } catch (thrown) {
      if (mine === asked) error.value = thrown as CallError
    } finally {
      if (mine === asked) isLoading.value = false
    }
  }

  watch(
    key,
    () => {
      value.value = null
      error.value = null
      void reload()
    },
    { immediate: true },
  )
  watch(refreshOn, () => void reload())
  return { value, error, isLoading, reload }
}
