import { computed, ref } from 'vue'
import type { FixableSetting, SettingsPatch } from '../../shared/settings.ts'
import { useInstallation } from './installation-store.ts'
import type { CallError } from '../transport/transport.ts'
import { useClient } from '../transport/use-client.ts'

/** The settings and how a section of the page saves a part of them. The page says once, at its head, that it was done. */
export function useSettings() {
  const client = useClient()
  const installation = useInstallation()
  const isSaving = ref(false)
  /** Why the last change was not taken. */
  const error = ref<string | undefined>()
  const settings = computed(() => installation.settings)

  const isFixed = (name: FixableSetting) => settings.value?.fixed.includes(name) ?? false

  async function save(patch: SettingsPatch): Promise<boolean> {
    isSaving.value = true
    error.value = undefined
    try {
      installation.settings = await client.call('settings.save', patch)
      installation.savedCount += 1
      return true
    } catch (thrown) {
      error.value = (thrown as CallError).message
      return false
    } finally {
      isSaving.value = false
    }
  }

  return { settings, isFixed, isSaving, error, save }
}
