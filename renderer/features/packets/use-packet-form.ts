import { refDebounced, useLocalStorage } from '@vueuse/core'
import { computed, ref, watch } from 'vue'
import { defaultPacketNames, type DocumentPart, documentParts } from '../../../shared/export-parts.ts'
import type { PacketSubject } from '../../stores/packets-store.ts'
import { useClient } from '../../transport/transport.ts'
import { useLoaded } from '../../transport/use-loaded.ts'

/** Pause after which a typed naming template is checked. */
const typingMs = 200

/**
 * The choices for a packet, which are those of the last one at first, and the names of its photos. `subject` is `null`
 * while no packet is to be made.
 */
export function usePacketForm(subject: () => PacketSubject | null) {
  const client = useClient()
  /** The choices of the last packet that was started. */
  const last = {
    documents: useLocalStorage<DocumentPart[]>('solarchive-packet-documents', []),
    names: useLocalStorage('solarchive-packet-names', defaultPacketNames),
    // The same folder as for exports.
    folder: useLocalStorage('solarchive-export-folder', ''),
  }
  const documents = ref<DocumentPart[]>([])
  const names = ref('')
  const folder = ref('')
  function begin(): void {
    // Stored by another version, or by hand.
    documents.value = documentParts.filter((part) => last.documents.value.includes(part))
    names.value = last.names.value
    folder.value = last.folder.value
  }
  watch(subject, begin, { immediate: true })
  /** Keeps the choices for the next packet. */
  function remember(): void {
    last.documents.value = [...documents.value]
    last.names.value = names.value
    last.folder.value = folder.value
  }

  const template = computed(() => ({
    ...(names.value.trim() !== '' && names.value !== defaultPacketNames && { names: names.value }),
  }))
  const previewed = refDebounced(template, typingMs)
  const { value: preview, error } = useLoaded(
    async () => {
      const wanted = subject()
      if (wanted === null) return null
      const { selection, templateId } = wanted
      return client.call('packets.previewNames', { selection, template: templateId, ...previewed.value })
    },
    { key: subject, refreshOn: () => previewed.value },
  )

  return {
    documents,
    names,
    folder,
    remember,
    preview,
    error,
    options: computed(() => ({ documents: [...documents.value], ...template.value })),
    /** False while the naming template has to be corrected first. */
    canStart: computed(() => preview.value?.problem == null),
  }
}
