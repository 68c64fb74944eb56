import { defineStore } from 'pinia'
import { ref, shallowRef, watch } from 'vue'
import type { EventValue } from '../../shared/contract/events.ts'
import type { AppInfo } from '../../shared/settings.ts'
import { useClient } from '../transport/use-client.ts'
import { useAppearance } from './appearance.ts'

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
