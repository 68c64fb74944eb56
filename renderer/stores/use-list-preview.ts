import { useDebounceFn } from '@vueuse/core'
import { ref, shallowRef, watch, type Ref } from 'vue'
import type { CallError } from '../transport/transport.ts'
import { readListFile } from '../ui/read-list-file.ts'

/** A list as the calls take it. */
type List = { readonly text: string } | { readonly base64: string }

/** A list that is pasted or a file, and what it would do, asked for with `ask` whenever it changes, or what `others` holds. */
export function useListPreview<Preview>(ask: (list: List) => Promise<Preview>, others: readonly Ref<unknown>[] = []) {
  const text = ref('')
  const file = shallowRef<File | null>(null)
  const preview = shallowRef<Preview | null>(null)
  const error = shallowRef<CallError | null>(null)
  const isLoading = ref(false)
  /** Whether `preview` is of what is there now. */
  const isCurrent = ref(false)
  let asked = 0

  async function look(): Promise<void> {
    const mine = ++asked
    error.value = null
    isCurrent.value = false
    if (file.value === null && text.value.trim() === '') {
      preview.value = null
      isLoading.value = false
      return
    }
    isLoading.value = true
    try {
      const answer = await ask(file.value === null ? { text: text.value } : { base64: await readListFile(file.value) })
      if (mine !== asked) return
      preview.value = answer
      isCurrent.value = true
    } catch (thrown) {
      if (mine !== asked) return
      preview.value = null
      error.value = thrown as CallError
    } finally {
      if (mine === asked) isLoading.value = false
    }
  }

  watch(text, () => (isCurrent.value = false))
  watch(text, useDebounceFn(look, 250))
  watch([file, ...others], look)
  return { text, file, preview, error, isLoading, isCurrent, look }
}
