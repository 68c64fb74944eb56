import { refDebounced, useLocalStorage } from '@vueuse/core'
import { computed, ref, watch } from 'vue'
import {
  copiedParts,
  defaultNames,
  defaultParts,
  exportFormats,
  exportParts,
  partsOfPhotos,
  type ExportFormat,
  type ExportPart,
} from '../../../shared/export-parts.ts'
import type { ExportSubject } from '../../stores/export-store.ts'
import { useEngine } from '../../stores/engine-store.ts'
import { useClient } from '../../transport/transport.ts'
import { useLoaded } from '../../transport/use-loaded.ts'

/** Pause after which a typed naming template is checked. */
const typingMs = 200

/**
 * The choices of an export, which are those of the last one at first, and what the export would have. `subject` is
 * `null` while nothing is to be exported.
 */
export function useExportForm(subject: () => ExportSubject | null) {
  const client = useClient()
  const engine = useEngine()
  /** The choices of the last export that was started. */
  const last = {
    format: useLocalStorage<ExportFormat>('solarchive-export-format', 'folder'),
    parts: useLocalStorage<ExportPart[]>('solarchive-export-parts', [...defaultParts]),
    names: useLocalStorage('solarchive-export-names', defaultNames),
    folder: useLocalStorage('solarchive-export-folder', ''),
  }
  const format = ref<ExportFormat>('folder')
  const parts = ref<ExportPart[]>([])
  const names = ref('')
  const folder = ref('')
  // An export that silently leaves something out would be a trap: chosen each time.
  const onlyComplete = ref(false)
  function begin(): void {
    // Stored by another version, or by hand.
    format.value = exportFormats.includes(last.format.value) ? last.format.value : 'folder'
    parts.value = exportParts.filter((part) => last.parts.value.includes(part))
    names.value = last.names.value
    folder.value = last.folder.value
    onlyComplete.value = false
  }
  watch(subject, begin, { immediate: true })
  /** Keeps the choices for the next export. */
  function remember(): void {
    last.format.value = format.value
    last.parts.value = [...parts.value]
    last.names.value = names.value
    last.folder.value = folder.value
  }

  const options = computed(() => ({
    format: format.value,
    include: [...parts.value],
    onlyComplete: onlyComplete.value,
    ...(names.value.trim() !== '' && names.value !== defaultNames && { names: names.value }),
  }))
  const previewed = refDebounced(options, typingMs)
  const {
    value: preview,
    error,
    isLoading,
    reload,
  } = useLoaded(
    async () => {
      const wanted = subject()
      const options = previewed.value
      // Without a part there is nothing to preview.
      if (wanted === null || options.include.length === 0) return null
      return client.call('export.preview', { selection: wanted.selection, options })
    },
    { key: subject, refreshOn: () => previewed.value },
  )
  /** Nothing to copy. Tables and documents also say what is missing. */
  const isEmpty = computed(
    () => parts.value.every((part) => copiedParts.includes(part)) && error.value === null && preview.value?.files === 0,
  )
  // Files may arrive while the dialog says that there are none. The plan of a big archive takes seconds: one at a time.
  let planned = engine.changes
  watch([() => engine.changes, isLoading], ([changes]) => {
    if (!isEmpty.value || isLoading.value || changes === planned) return
    planned = changes
    void reload()
  })

  const problem = computed(() => {
    if (parts.value.length === 0) return 'Choose at least one kind of file.'
    if (!parts.value.includes('photos') && parts.value.some((part) => partsOfPhotos.includes(part)))
      return 'Locations and sidecars need the photos as well.'
    return isEmpty.value ? 'Nothing of this is archived yet.' : null
  })

  return {
    format,
    parts,
    names,
    folder,
    onlyComplete,
    options,
    remember,
    preview,
    error,
    reload,
    problem,
    /** False while something has to be corrected first. */
    canStart: computed(
      () => problem.value === null && preview.value !== null && preview.value.problem === null && error.value === null,
    ),
  }
}

export type ExportForm = ReturnType<typeof useExportForm>
