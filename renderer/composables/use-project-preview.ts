import { computed, ref, shallowRef, watch } from 'vue'
import { useDebounceFn } from '@vueuse/core'
import type { CallOutput } from '../../shared/contract.ts'
import { formatBytes } from '../format/format-numbers.ts'
import { CallError } from '../transport/transport.ts'
import { useClient } from './use-client.ts'

type Preview = CallOutput<'projects.preview'>
export type PreviewRow = Preview['rows'][number]

/** What the engine takes (shared/project-preview.ts). */
const mostListBytes = 4 * 1024 * 1024

/** A list of projects before it is added: pasted or a file, and what adding it would do. */
export function useProjectPreview() {
  const client = useClient()
  const text = ref('')
  const file = shallowRef<File | null>(null)
  const preview = shallowRef<Preview | null>(null)
  const error = shallowRef<CallError | null>(null)
  const isLoading = ref(false)
  let asked = 0

  async function look(): Promise<void> {
    const mine = ++asked
    error.value = null
    if (file.value === null && text.value.trim() === '') {
      preview.value = null
      isLoading.value = false
      return
    }
    isLoading.value = true
    try {
      const answer = await client.call(
        'projects.preview',
        file.value === null ? { text: text.value } : { base64: await readBase64(file.value) },
      )
      if (mine === asked) preview.value = answer
    } catch (thrown) {
      if (mine !== asked) return
      preview.value = null
      error.value = thrown as CallError
    } finally {
      if (mine === asked) isLoading.value = false
    }
  }

  watch(text, useDebounceFn(look, 250))
  watch(file, look)

  /** What `projects.add` is given: known projects only where the list tells something of them. */
  const projects = computed(() =>
    (preview.value?.rows ?? [])
      .filter(({ state, name, address }) => state === 'new' || (state === 'known' && (name ?? address) !== null))
      .map(({ id, name, address }) => ({ id, ...(name !== null && { name }), ...(address !== null && { address }) })),
  )

  return {
    text,
    file,
    preview,
    error,
    isLoading,
    projects,
    clear: () => {
      text.value = ''
      file.value = null
      void look()
    },
  }
}

/** The file as it is on disk: the engine knows the encodings that spreadsheets write. */
function readBase64(file: File): Promise<string> {
  if (file.size > mostListBytes) {
    const most = formatBytes(mostListBytes)
    throw new CallError('wrong-usage', `${file.name} is larger than ${most}: that is no list of projects.`)
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
