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
    const [sentText, sentFile] = [text.value, file.value]
    error.value = null
    isCurrent.value = false
    if (sentFile === null && sentText.trim() === '') {
      preview.value = null
      isLoading.value = false
      return
    }
    isLoading.value = true
    try {
      requireSmall(sentFile ?? new Blob([sentText]))
      const loaded = await load(sentFile === null ? { text: sentText } : { base64: await readListFile(sentFile) })
      if (request !== latest) return
      preview.value = loaded
      // The list may have changed while this was in flight: its own preview is requested a moment later.
      isCurrent.value = text.value === sentText && file.value === sentFile
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

/** `String.fromCharCode` takes tens of thousands of arguments. */
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
