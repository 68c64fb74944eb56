import { computed } from 'vue'
import type { CallOutput } from '../../../shared/contract.ts'
import { useClient } from '../../transport/use-client.ts'
import { useListPreview } from '../../stores/use-list-preview.ts'

export type PreviewRow = CallOutput<'projects.preview'>['rows'][number]

/** A list of projects before it is added: pasted or a file, and what adding it would do. */
export function useProjectPreview() {
  const client = useClient()
  const { look, ...list } = useListPreview((input) => client.call('projects.preview', input))

  /** What `projects.add` is given: known projects only where the list tells something of them. */
  const projects = computed(() =>
    (list.preview.value?.rows ?? [])
      .filter(({ state, name, address }) => state === 'new' || (state === 'known' && (name ?? address) !== null))
      .map(({ id, name, address }) => ({ id, ...(name !== null && { name }), ...(address !== null && { address }) })),
  )

  return {
    ...list,
    projects,
    clear: () => {
      list.text.value = ''
      list.file.value = null
      void look()
    },
  }
}
