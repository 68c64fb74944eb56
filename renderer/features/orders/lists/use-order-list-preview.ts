import { computed, ref } from 'vue'
import type { BatchInput } from '../../../../shared/order/order-views.ts'
import { useClient } from '../../../transport/use-client.ts'
import { useListPreview } from '../../../stores/use-list-preview.ts'

/** A list of orders before it is kept: pasted or a file, and what it would place. */
export function useOrderListPreview() {
  const client = useClient()
  const presetId = ref<number | undefined>()
  const { preview, isCurrent, ...list } = useListPreview(
    async (given) => {
      const input: BatchInput = { list: given, ...(presetId.value !== undefined && { presetId: presetId.value }) }
      return { input, answer: await client.call('batches.preview', input) }
    },
    [presetId],
  )
  return {
    ...list,
    presetId,
    preview: computed(() => preview.value?.answer ?? null),
    /** What `preview` is of: exactly that is kept, whatever becomes of the file meanwhile. */
    previewed: computed(() => (isCurrent.value ? (preview.value?.input ?? null) : null)),
  }
}
