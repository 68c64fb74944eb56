import { computed, ref, shallowRef, watch } from 'vue'
import { useDebounceFn } from '@vueuse/core'
import type { CallOutput } from '../../shared/contract.ts'
import type { CallError } from '../transport/transport.ts'
import { readListFile } from './read-list-file.ts'
import { useClient } from './use-client.ts'

type Preview = CallOutput<'projects.preview'>
export type PreviewRow = Preview['rows'][number]

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
        file.value === null ? { text: text.value } : { base64: await readListFile(file.value) },
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
