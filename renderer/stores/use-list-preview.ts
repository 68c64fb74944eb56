import { useDebounceFn } from '@vueuse/core'
import { ref, shallowRef, watch, type Ref } from 'vue'
import { type ListSource, listTooLarge, maxListBytes } from '../../shared/csv.ts'
import { CallError } from '../transport/transport.ts'

/**
 * A pasted list or a chosen file, and the preview that `load` returns for it. Loads the preview whenever the list or
 * one of `others` changes.
 */
export function useListPreview<Preview>(
  load: (list: ListSource) => Promise<Preview>,
  others: readonly Ref<unknown>[] = [],
) {
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
      requireSmall(file.value ?? new Blob([text.value]))
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

/** The engine has the same limit; a larger list is not even sent. */
function requireSmall(list: Blob): void {
  if (list.size > maxListBytes) throw new CallError('wrong-usage', listTooLarge())
}

/** `String.fromCharCode` takes some ten thousand arguments. */
const codesAtOnce = 0x2000

/** Returns a file in base64: the engine decodes the encodings that spreadsheets write. Throws CallError. */
async function readListFile(file: File): Promise<string> {
  const content = await file.arrayBuffer().catch(() => {
    throw new CallError('wrong-usage', `${file.name} cannot be read. Save it again, or choose another file.`)
  })
  const bytes = new Uint8Array(content)
  const parts: string[] = []
  for (let start = 0; start < bytes.length; start += codesAtOnce) {
    parts.push(String.fromCharCode(...bytes.subarray(start, start + codesAtOnce)))
  }
  return btoa(parts.join(''))
}
