import { computed } from 'vue'
import { maxSavedSearches, type Settings } from '../../../shared/settings.ts'
import { useInstallation, useSettings } from '../../stores/installation-store.ts'

/** Resolves once the changes so far are answered: each starts from the list that the one before it left. */
let last: Promise<unknown> = Promise.resolve()

/** Searches that users named. They are settings, so that they survive restarts, also in a browser at another port. */
export function useSavedSearches() {
  const installation = useInstallation()
  const { save, error } = useSettings()
  const saved = computed(() => installation.settings?.savedSearches ?? [])

  function change(act: (searches: Settings['savedSearches']) => Settings['savedSearches']): Promise<boolean> {
    const current = last.then(() => save({ savedSearches: act(saved.value) }))
    last = current
    return current
  }

  return {
    saved,
    error,
    /** False beside a running Solarchive, whose settings cannot be changed here, and once there is no room. */
    canAdd: computed(() => !installation.isReadOnly && saved.value.length < maxSavedSearches),
    canRemove: computed(() => !installation.isReadOnly),
    nameOf: (query: string): string | undefined => saved.value.find((one) => one.query === query.trim())?.name,
    /** Saves a search, which replaces one with the same name. Returns false if that failed. */
    add: (name: string, query: string): Promise<boolean> =>
      change((searches) => [
        ...searches.filter((one) => one.name !== name.trim()),
        { name: name.trim(), query: query.trim() },
      ]),
    remove: (name: string): Promise<boolean> => change((searches) => searches.filter((one) => one.name !== name)),
  }
}
