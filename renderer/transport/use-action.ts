import { ref, shallowRef } from 'vue'
import type { CallError } from './transport.ts'

/** What a button does: `isBusy` until it is done, and the `error` of the last run until the next. */
export function useAction() {
  const isBusy = ref(false)
  const error = shallowRef<CallError | null>(null)

  async function run(act: () => Promise<unknown>): Promise<void> {
    isBusy.value = true
    error.value = null
    try {
      await act()
    } catch (thrown) {
      error.value = thrown as CallError
    } finally {
      isBusy.value = false
    }
  }

  return { isBusy, error, run }
}
