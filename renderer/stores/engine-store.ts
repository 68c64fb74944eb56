import { useThrottleFn } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { CallOutput } from '../../shared/contract/calls.ts'
import type { Download, EventMessage, EventValue } from '../../shared/contract/events.ts'
import { advanceMeter, idleMeter } from '../../shared/progress-meter.ts'
import { attentionCount } from '../../shared/status-text.ts'
import { useClient } from '../transport/use-client.ts'
import type { CallError, HostLink } from '../transport/transport.ts'

/** Minimum interval between two refreshes of all lists while files arrive. */
const refreshMs = 1_000

/** `connecting` until the host was reached for the first time. */
type Link = 'connecting' | HostLink

/** State of the engine, from its events, and the numbers of the overview. */
export const useEngine = defineStore('engine', () => {
  const client = useClient()
  const link = ref<Link>('connecting')
  const watch = shallowRef<EventValue<'watch-state'>>({ kind: 'stopped' })
  const sync = shallowRef<EventValue<'sync-state'>>({ kind: 'idle', last: null })
  const verify = shallowRef<EventValue<'verify-state'>>({ kind: 'idle', last: null })
  const syncProgress = shallowRef<EventValue<'sync-progress'> | null>(null)
  /** Downloads in flight. */
  const downloads = shallowRef<readonly Download[]>([])
  /** Speed of the current sync; reset after each. */
  const syncMeter = shallowRef(idleMeter)
  /** Time at which the service's rate limit allows the next call, in ms since the epoch; 0 if it is allowed now. */
  const nextCallAtMs = ref(0)
  const verifyProgress = shallowRef<EventValue<'verify-progress'> | null>(null)
  const overview = shallowRef<CallOutput<'overview'> | null>(null)
  const overviewError = shallowRef<CallError | null>(null)
  /** Incremented whenever lists may have changed; views watch it to reload. */
  const changes = ref(0)

  const isSyncing = computed(() => sync.value.kind === 'running' || watch.value.kind === 'syncing')
  const attention = computed(() => (overview.value === null ? 0 : attentionCount(overview.value)))

  /** Files that are queued or being downloaded. */
  const waitingFiles = computed(() => overview.value?.counts.filesWaiting ?? 0)

  async function loadOverview(): Promise<void> {
    try {
      const loaded = await client.call('overview', {})
      overview.value = loaded
      overviewError.value = null
      nextCallAtMs.value = timeOfNextCall(loaded.api.waitMs)
      watch.value = loaded.watch
      sync.value = loaded.sync
      verify.value = loaded.verify
    } catch (error) {
      overviewError.value = error as CallError
    }
  }

  const refreshThrottled = useThrottleFn(
    () => {
      changes.value += 1
      void loadOverview()
    },
    refreshMs,
    true,
  )

  /** Reloads the overview and all lists, at once or at the end of the interval. */
  function refresh(): void {
    void refreshThrottled()
  }

  function clearProgress(): void {
    if (isSyncing.value) return
    syncProgress.value = null
    downloads.value = []
    syncMeter.value = idleMeter
  }

  function setProgress(progress: EventValue<'sync-progress'>): void {
    syncProgress.value = progress
    syncMeter.value = advanceMeter(syncMeter.value, progress)
    nextCallAtMs.value = timeOfNextCall(progress.budgetWaitMs)
  }

  function handleEvent(message: EventMessage): void {
    switch (message.name) {
      case 'watch-state':
        watch.value = message.value as EventValue<'watch-state'>
        clearProgress()
        return refresh()
      case 'sync-state':
        sync.value = message.value as EventValue<'sync-state'>
        clearProgress()
        return refresh()
      case 'verify-state':
        verify.value = message.value as EventValue<'verify-state'>
        if (verify.value.kind === 'idle') verifyProgress.value = null
        return refresh()
      case 'sync-progress':
        setProgress(message.value as EventValue<'sync-progress'>)
        return refresh()
      case 'downloads':
        downloads.value = (message.value as EventValue<'downloads'>).files
        return
      case 'verify-progress':
        verifyProgress.value = message.value as EventValue<'verify-progress'>
        return
      case 'setup-state':
      case 'settings-state':
      case 'move-state':
      case 'move-progress':
      case 'orders-changed':
        return
      case 'activity':
      case 'project-synced':
      case 'sync-failure':
      case 'finding':
        return refresh()
    }
  }

  /** Loads the overview and listens for events. Returns a function that stops listening. */
  function start(): () => void {
    refresh()
    return client.listen({
      onEvent: handleEvent,
      onResync: refresh,
      onLink(now) {
        link.value = now
        if (now === 'open') refresh()
      },
    })
  }

  return {
    link,
    watch,
    sync,
    verify,
    syncProgress,
    downloads,
    syncMeter,
    nextCallAtMs,
    verifyProgress,
    overview,
    overviewError,
    changes,
    isSyncing,
    attentionCount: attention,
    waitingFiles,
    loadOverview,
    refresh,
    start,
  }
})

function timeOfNextCall(waitMs: number): number {
  return waitMs > 0 ? Date.now() + waitMs : 0
}
