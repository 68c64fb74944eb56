import { useDebounceFn } from '@vueuse/core'
import { ref, shallowRef, watch } from 'vue'
import type { BatchInput, BatchPreview } from '../../shared/order/order-views.ts'
import type { CallError } from '../transport/transport.ts'
import { readListFile } from './read-list-file.ts'
import { useClient } from './use-client.ts'

/** A list of orders before it is kept: pasted or a file, and what it would place. */
export function useOrderListPreview() {
  const client = useClient()
  const text = ref('')
  const file = shallowRef<File | null>(null)
  const presetId = ref<number | undefined>()
  const preview = shallowRef<BatchPreview | null>(null)
  /** What `preview` is of: exactly that is kept, whatever becomes of the file meanwhile. */
  const previewed = shallowRef<BatchInput | null>(null)
  const error = shallowRef<CallError | null>(null)
  const isLoading = ref(false)
  let asked = 0

  async function look(): Promise<void> {
    const mine = ++asked
    error.value = null
    previewed.value = null
    if (file.value === null && text.value.trim() === '') {
      preview.value = null
      isLoading.value = false
      return
    }
    isLoading.value = true
    try {
      const list = file.value === null ? { text: text.value } : { base64: await readListFile(file.value) }
      const input = { list, ...(presetId.value !== undefined && { presetId: presetId.value }) }
      const answer = await client.call('batches.preview', input)
      if (mine !== asked) return
      preview.value = answer
      previewed.value = input
    } catch (thrown) {
      if (mine !== asked) return
      preview.value = null
      error.value = thrown as CallError
    } finally {
      if (mine === asked) isLoading.value = false
    }
  }

  watch(text, () => (previewed.value = null))
  watch(text, useDebounceFn(look, 250))
  watch([file, presetId], look)
  return { text, file, presetId, preview, previewed, error, isLoading, look }
}
