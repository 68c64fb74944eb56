import { computed, shallowRef } from 'vue'
import type { OpenablePhoto } from './photo-rows.ts'

/** Photos that the user has selected, by asset ID, so that the selection survives photos that arrive meanwhile. */
export function usePhotoSelection(photos: () => readonly OpenablePhoto[]) {
  const chosen = shallowRef<ReadonlySet<number>>(new Set())
  /** The photo from which Shift extends the selection. */
  let anchor: number | undefined
  const idAt = (openable: number) => photos()[openable]?.photo.assetId
  const indexOf = (assetId: number | undefined) => photos().findIndex(({ photo }) => photo.assetId === assetId)

  const selected = computed(() => photos().flatMap(({ photo }) => (chosen.value.has(photo.assetId) ? [photo] : [])))

  function toggle(openable: number): void {
    const id = idAt(openable)
    if (id === undefined) return
    const next = new Set(chosen.value)
    if (!next.delete(id)) next.add(id)
    chosen.value = next
    anchor = id
  }

  return {
    /** The selected photos that are still archived, in the order of the checklist. */
    selected,
    has: (assetId: number) => chosen.value.has(assetId),
    toggle,
    /** Selects everything from the last toggled photo to this one, and nothing else. */
    extendTo(openable: number) {
      const from = indexOf(anchor)
      if (from === -1) return toggle(openable)
      const [first, last] = [Math.min(from, openable), Math.max(from, openable)]
      chosen.value = new Set(
        photos()
          .slice(first, last + 1)
          .map(({ photo }) => photo.assetId),
      )
    },
    selectAll() {
      chosen.value = new Set(photos().map(({ photo }) => photo.assetId))
    },
    clear() {
      chosen.value = new Set()
      anchor = undefined
    },
    /** Returns what is dragged with a photo: the selection if it is part of it, or else the photo alone. */
    draggedWith(assetId: number): readonly number[] {
      return chosen.value.has(assetId) ? selected.value.map((photo) => photo.assetId) : [assetId]
    },
  }
}

export type PhotoSelection = ReturnType<typeof usePhotoSelection>
