import { computed, shallowReactive, type ComputedRef } from 'vue'

interface Named {
  readonly id: string
  readonly name: string
}

/** An end of a range of rows: the row when it was chosen, and its project if that was loaded. */
export interface RangeEnd {
  readonly index: number
  readonly id: string | undefined
}

export interface Selection {
  /** Names by ID, in the order of selection. */
  readonly names: ReadonlyMap<string, string>
  readonly ids: ComputedRef<string[]>
  has(id: string): boolean
  set(items: readonly Named[], isSelected: boolean): void
  clear(): void
}

/** Selected rows of a long list. Rows stay selected when they scroll out of view. */
export function useSelection(): Selection {
  const names = shallowReactive(new Map<string, string>())
  return {
    names,
    ids: computed(() => [...names.keys()]),
    has: (id) => names.has(id),
    set(items, isSelected) {
      for (const { id, name } of items) {
        if (isSelected) names.set(id, name)
        else names.delete(id)
      }
    },
    clear: () => names.clear(),
  }
}
