import { defineStore } from 'pinia'
import { ref, shallowRef, watch } from 'vue'
import type { EventValue } from '../../shared/contract.ts'
import type { AppInfo } from '../../shared/settings.ts'
import { useClient } from '../transport/use-client.ts'
import { useAppearance } from './appearance.ts'

/** Whether Solarchive is set up, its settings, and where it runs: as the host tells them. Null until then. */
export const useInstallation = defineStore('installation', () => {
  const client = useClient()
  const appearance = useAppearance()
  const setUp = shallowRef<EventValue<'setup-state'> | null>(null)
  const settings = shallowRef<EventValue<'settings-state'> | null>(null)
  const move = shallowRef<EventValue<'move-state'>>({ kind: 'idle', last: null, unfinished: null })
  const moveProgress = shallowRef<EventValue<'move-progress'> | null>(null)
  /** How often a change of the settings was taken in this window. */
  const savedCount = ref(0)
  const info = shallowRef<AppInfo | null>(null)

  watch(settings, (told) => {
    if (told !== null) appearance.chosen = told.appearance
  })

  async function loadInfo(): Promise<void> {
    info.value = await client.call('app.info', {}).catch(() => info.value)
  }

  /** Listens until what it answers is called. */
  function start(): () => void {
    return client.listen({
      onEvent({ name, value }) {
        if (name === 'setup-state') setUp.value = value as EventValue<'setup-state'>
        if (name === 'settings-state') settings.value = value as EventValue<'settings-state'>
        if (name === 'move-progress') moveProgress.value = value as EventValue<'move-progress'>
        if (name === 'move-state') {
          move.value = value as EventValue<'move-state'>
          if (move.value.kind === 'idle') moveProgress.value = null
        }
      },
      onResync: () => void loadInfo(),
      onLink: () => undefined,
    })
  }

  return { setUp, settings, savedCount, move, moveProgress, info, start }
})
