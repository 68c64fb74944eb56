import { computed, ref } from 'vue'
import type { FixableSetting, SettingsPatch } from '../../shared/settings.ts'
import { useInstallation } from './installation-store.ts'
import type { CallError } from '../transport/transport.ts'
import { useClient } from '../transport/use-client.ts'

/** The settings, and saving a part of them. The settings page confirms every save in its header. */
export function useSettings() {
  const client = useClient()
  const installation = useInstallation()
  const isSaving = ref(false)
  /** Message of the last failed save. */
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
