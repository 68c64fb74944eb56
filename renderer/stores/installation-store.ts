import { defineStore } from 'pinia'
import { ref, shallowRef, watch, computed, watchEffect } from 'vue'
import { usePreferredDark } from '@vueuse/core'
import type { EventValue } from '../../shared/contract/events.ts'
import type { FixableSetting } from '../../shared/setting-names.ts'
import type { AppInfo, Appearance, SettingsPatch } from '../../shared/settings.ts'
import { useClient, type CallError } from '../transport/transport.ts'

/** Setup state, settings, archive move, and host of this installation; `null` until the host sent them. */
export const useInstallation = defineStore('installation', () => {
  const client = useClient()
  const appearance = useAppearance()
  const setUp = shallowRef<EventValue<'setup-state'> | null>(null)
  const settings = shallowRef<EventValue<'settings-state'> | null>(null)
  const move = shallowRef<EventValue<'move-state'>>({ kind: 'idle', last: null, unfinished: null })
  const moveProgress = shallowRef<EventValue<'move-progress'> | null>(null)
  /** Number of settings changes saved in this window. */
  const savedCount = ref(0)
  const info = shallowRef<AppInfo | null>(null)
  /** True while another process owns the data folder: everything that changes something is refused. */
  const isReadOnly = computed(() => (setUp.value?.owner ?? null) !== null)

  watch(settings, (current) => {
    if (current !== null) appearance.chosen = current.appearance
  })

  async function loadInfo(): Promise<void> {
    info.value = await client.call('app.info', {}).catch(() => info.value)
  }

  /** Listens for events. Returns a function that stops listening. */
  function start(): () => void {
    return client.listen({
      onEvent({ name, value }) {
        if (name === 'setup-state') setUp.value = value
        if (name === 'settings-state') settings.value = value
        if (name === 'move-progress') moveProgress.value = value
        if (name === 'move-state') {
          move.value = value
          if (move.value.kind === 'idle') moveProgress.value = null
        }
      },
      onResync: () => void loadInfo(),
    })
  }

  return { setUp, settings, savedCount, move, moveProgress, info, isReadOnly, start }
})

/** The theme: the user's choice, or the system's. */
export const useAppearance = defineStore('appearance', () => {
  const chosen = ref<Appearance>('system')
  const systemIsDark = usePreferredDark()
  const isDark = computed(() => (chosen.value === 'system' ? systemIsDark.value : chosen.value === 'dark'))
  watchEffect(() => {
    document.documentElement.classList.toggle('dark', isDark.value)
    document.documentElement.style.colorScheme = isDark.value ? 'dark' : 'light'
  })
  return { chosen, isDark }
})

/** The settings, and saving a part of them. The settings page confirms every save in its header. */
export function useSettings() {
  const client = useClient()
  const installation = useInstallation()
  /** Message of the last failed save. */
  const error = ref<string | undefined>()
  const settings = computed(() => installation.settings)

  const isFixed = (name: FixableSetting) => settings.value?.fixed.includes(name) ?? false

  async function save(patch: SettingsPatch): Promise<boolean> {
    error.value = undefined
    try {
      installation.settings = await client.call('settings.save', patch)
      installation.savedCount += 1
      return true
    } catch (thrown) {
      error.value = (thrown as CallError).message
      return false
    }
  }

  return { settings, isFixed, error, save }
}
