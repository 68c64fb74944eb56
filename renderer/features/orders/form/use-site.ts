import { computed, ref, watch } from 'vue'
import type { ChecklistDetail, ChecklistSummary } from '../../../../shared/views.ts'
import { useClient } from '../../../transport/transport.ts'
import { useLoaded } from '../../../transport/use-loaded.ts'
import { useEngine } from '../../../stores/engine-store.ts'
import { bestFirst, isOfRoof, roofFirst, showsRoof } from './site-photos.ts'

/** Maximum number of checklists that are loaded to find photos of the roof. */
const maxInspected = 6

/**
 * Archived data of an order's project: the project, its checklists, and the selected one with its photos and report.
 */
export function useSite(projectId: () => string) {
  const client = useClient()
  const engine = useEngine()
  const chosenId = ref<string | null>(null)
  const loaded = useLoaded(
    async () => {
      const id = projectId().trim()
      return id === '' ? null : client.call('projects.get', { projectId: id })
    },
    { key: () => projectId().trim(), refreshOn: () => engine.changes },
  )
  /** `null` if the project is not archived, or not loaded yet. */
  const project = computed(() => loaded.value.value?.project ?? null)
  const checklists = computed<readonly ChecklistSummary[]>(() => loaded.value.value?.checklists.items ?? [])
  const isUnknown = computed(() => loaded.error.value?.code === 'not-found')
  const best = computed(() => bestFirst(checklists.value).slice(0, maxInspected))
  /** ID of the best checklist: if no title mentions the roof, the first with photos of it. Loaded once. */
  const ofRoof = useLoaded<string | null>(
    async () => {
      const id = projectId().trim()
      const [first] = best.value
      if (first === undefined || best.value.length === 1 || isOfRoof(first)) return first?.id ?? null
      for (const { id: checklistId } of best.value) {
        const { sections } = await client.call('checklists.get', { projectId: id, checklistId })
        if (showsRoof(sections)) return checklistId
      }
      return first.id
    },
    { key: () => `${project.value?.id} ${best.value.map(({ id }) => id).join(' ')}` },
  )
  const bestId = computed(() =>
    ofRoof.value.value === null && ofRoof.isLoading.value ? null : (ofRoof.value.value ?? best.value[0]?.id ?? null),
  )
  const checklistId = computed({
    get: () => checklists.value.find(({ id }) => id === chosenId.value)?.id ?? bestId.value,
    set: (id: string | null) => (chosenId.value = id),
  })
  watch(projectId, () => (chosenId.value = null))

  const detail = useLoaded<ChecklistDetail | null>(
    async () =>
      checklistId.value === null || project.value === null
        ? null
        : client.call('checklists.get', { projectId: project.value.id, checklistId: checklistId.value }),
    { key: () => `${project.value?.id} ${checklistId.value}`, refreshOn: () => engine.changes },
  )
  // Another checklist may become the best one while files arrive.
  watch(detail.value, (shown) => {
    if (shown !== null && shown.checklist.archivedFiles > 0) chosenId.value ??= shown.checklist.id
  })
  const sections = computed(() => roofFirst(detail.value.value?.sections ?? []))
  return { project, checklists, checklistId, detail, sections, isUnknown }
}
