import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { CallOutput } from '../../shared/contract/calls.ts'
import type { Download, EventMessage, EventValue } from '../../shared/contract/events.ts'
import { advanceMeter, idleMeter } from '../../shared/progress-meter.ts'
import { attentionCount as countAttention, failedChecks as checksOf } from '../../shared/status-text.ts'
import { orderRequests } from '../transport/request-order.ts'
import { type CallError, type Client, type HostLink, useClient } from '../transport/transport.ts'
import { createRefresh } from './create-refresh.ts'

/** Minimum interval between two refreshes of all lists while files arrive. */
const refreshMs = 1_000

/** `connecting` until the host was reached for the first time. */
type Link = 'connecting' | HostLink

/** State of the engine, from its events, and the numbers of the overview. */
export const useEngine = defineStore('engine', () => {
  const client = useClient()
  const link = ref<Link>('connecting')
  const { adopt, handleEvent, ...states } = createStates()
  const { loadOverview, ...numbers } = createOverview(client, adopt)

  const { changes, refresh } = createRefresh(loadOverview, refreshMs)

  /** Loads the overview and listens for events. Returns a function that stops listening. */
  function start(): () => void {
    refresh()
    return client.listen({
      onEvent(message) {
        if (handleEvent(message)) refresh()
      },
      onLink(now) {
        link.value = now
        if (now === 'open') refresh()
      },
    })
  }

  return { ...states, ...numbers, link, changes, loadOverview, refresh, start }
})

/** Creates the state of what the engine does. */
function createStates() {
  const watch = shallowRef<EventValue<'watch-state'>>({ kind: 'stopped' })
  const sync = shallowRef<EventValue<'sync-state'>>({ kind: 'idle', last: null })
  const verify = shallowRef<EventValue<'verify-state'>>({ kind: 'idle', last: null })
  const progress = createSyncProgress()
  const verifyProgress = shallowRef<EventValue<'verify-progress'> | null>(null)
  /** Incremented whenever texts or hints of archived files may have changed. */
  const readings = ref(0)
  const isSyncing = computed(() => sync.value.kind === 'running' || watch.value.kind === 'syncing')

  /** Takes the states that the overview contains. */
  function adopt(loaded: CallOutput<'overview'>): void {
    progress.setWait(loaded.api.waitMs)
    watch.value = loaded.watch
    sync.value = loaded.sync
    verify.value = loaded.verify
  }

  function endSync(): void {
    if (!isSyncing.value) progress.clear()
  }

  /** Returns true if the overview and the lists may have changed. */
  function handleEvent(message: EventMessage): boolean {
    switch (message.name) {
      case 'watch-state':
        watch.value = message.value
        endSync()
        return true
      case 'sync-state':
        sync.value = message.value
        endSync()
        return true
      case 'verify-state':
        verify.value = message.value
        if (verify.value.kind === 'idle') verifyProgress.value = null
        return true
      case 'sync-progress':
        progress.set(message.value)
        return true
      case 'downloads':
        progress.downloads.value = message.value.files
        return false
      case 'verify-progress':
        verifyProgress.value = message.value
        return false
      case 'files-read':
        readings.value += 1
        return false
      case 'setup-state':
      case 'settings-state':
      case 'move-state':
      case 'move-progress':
      case 'evidence-state':
      case 'export-progress':
      case 'packet-progress':
      case 'orders-changed':
        return false
      case 'activity':
      case 'project-synced':
      case 'sync-failure':
      case 'finding':
      case 'export-state':
      case 'packet-state':
        return true
    }
  }

  const { syncProgress, downloads, syncMeter, nextCallAtMs } = progress
  return {
    watch,
    sync,
    verify,
    isSyncing,
    readings,
    syncProgress,
    downloads,
    syncMeter,
    nextCallAtMs,
    verifyProgress,
    adopt,
    handleEvent,
  }
}

/** Creates the numbers of the overview. `onLoaded` is called before they change. */
function createOverview(client: Client, onLoaded: (loaded: CallOutput<'overview'>) => void) {
  const overview = shallowRef<CallOutput<'overview'> | null>(null)
  const overviewError = shallowRef<CallError | null>(null)
  const failedChecks = computed(() => (overview.value === null ? undefined : checksOf(overview.value)))
  const attentionCount = computed(() => (overview.value === null ? 0 : countAttention(overview.value)))
  /** Files that are queued or being downloaded. */
  const waitingFiles = computed(() => overview.value?.counts.filesWaiting ?? 0)

  const begin = orderRequests()
  async function loadOverview(): Promise<void> {
    const isNewest = begin()
    try {
      const loaded = await client.call('overview', {})
      if (!isNewest()) return
      onLoaded(loaded)
      overview.value = loaded
      overviewError.value = null
    } catch (error) {
      if (isNewest()) overviewError.value = error as CallError
    }
  }

  return { overview, overviewError, attentionCount, failedChecks, waitingFiles, loadOverview }
}

/** Creates the state of the current sync's progress. */
function createSyncProgress() {
  const syncProgress = shallowRef<EventValue<'sync-progress'> | null>(null)
  /** Downloads in flight. */
  const downloads = shallowRef<readonly Download[]>([])
  /** Speed of the current sync; reset after each. */
  const syncMeter = shallowRef(idleMeter)
  /** Time at which the service's rate limit allows the next call, in ms since the epoch; 0 if it is allowed now. */
  const nextCallAtMs = ref(0)

  function setWait(waitMs: number): void {
    nextCallAtMs.value = waitMs > 0 ? Date.now() + waitMs : 0
  }

  return {
    syncProgress,
    downloads,
    syncMeter,
    nextCallAtMs,
    setWait,
    set(progress: EventValue<'sync-progress'>): void {
      syncProgress.value = progress
      syncMeter.value = advanceMeter(syncMeter.value, progress)
      setWait(progress.budgetWaitMs)
    },
    clear(): void {
      syncProgress.value = null
      downloads.value = []
      syncMeter.value = idleMeter
    },
  }
}
