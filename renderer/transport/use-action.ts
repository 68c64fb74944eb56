import { ref, shallowRef } from 'vue'
import type { CallError } from './transport.ts'

/** Runs the action of a button: `isBusy` is true until it ends, and `error` is kept until the next run. */
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
