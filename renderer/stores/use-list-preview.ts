import { useDebounceFn } from '@vueuse/core'
import { ref, shallowRef, watch, type Ref } from 'vue'
import { formatBytes } from '../../shared/format.ts'
import { CallError } from '../transport/transport.ts'

/** A list as input of a call. */
type List = { readonly text: string } | { readonly base64: string }

/**
 * A pasted list or a chosen file, and the preview that `load` returns for it. Loads the preview whenever the list or
 * one of `others` changes.
 */
export function useListPreview<Preview>(load: (list: List) => Promise<Preview>, others: readonly Ref<unknown>[] = []) {
  const text = ref('')
  const file = shallowRef<File | null>(null)
  const preview = shallowRef<Preview | null>(null)
  const error = shallowRef<CallError | null>(null)
  const isLoading = ref(false)
  /** False while `preview` belongs to an earlier state of the list. */
  const isCurrent = ref(false)
  let latest = 0

  async function refresh(): Promise<void> {
    const request = ++latest
    error.value = null
    isCurrent.value = false
    if (file.value === null && text.value.trim() === '') {
      preview.value = null
      isLoading.value = false
      return
    }
    isLoading.value = true
    try {
      const loaded = await load(file.value === null ? { text: text.value } : { base64: await readListFile(file.value) })
      if (request !== latest) return
      preview.value = loaded
      isCurrent.value = true
    } catch (thrown) {
      if (request !== latest) return
      preview.value = null
      error.value = thrown as CallError
    } finally {
      if (request === latest) isLoading.value = false
    }
  }

  watch(text, () => (isCurrent.value = false))
  watch(text, useDebounceFn(refresh, 250))
  watch([file, ...others], refresh)
  return { text, file, preview, error, isLoading, isCurrent, refresh }
}

/** Maximum size of a list (shared/project-preview.ts, shared/order/order-views.ts). */
const maxListBytes = 4 * 1024 * 1024

/** Returns a file in base64: the engine decodes the encodings that spreadsheets write. Throws CallError. */
function readListFile(file: File): Promise<string> {
  if (file.size > maxListBytes) {
    throw new CallError(
      'wrong-usage',
      `${file.name} is larger than ${formatBytes(maxListBytes)}, too large for a list.`,
    )
  }
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve((reader.result as string).replace(/^[^,]*,/, '')))
    reader.addEventListener('error', () =>
      reject(new CallError('wrong-usage', `${file.name} cannot be read. Save it again, or choose another file.`)),
    )
    reader.readAsDataURL(file)
  })
}
