import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { CallOutput, Download, EventMessage, EventValue } from '../../shared/contract.ts'
import { advanceMeter, idleMeter } from '../../shared/progress-meter.ts'
import { useClient } from '../transport/use-client.ts'
import { throttled } from '../ui/throttled.ts'
import type { CallError, HostLink } from '../transport/transport.ts'

/** How often lists are fetched again at most while files come in. */
const refreshMs = 1_000

/** `connecting`: never reached yet; `lost`: it was, and is not now. */
type Link = 'connecting' | HostLink

/** What the engine does now, as its events tell it, and the numbers of the overview. */
export const useEngine = defineStore('engine', () => {
  const client = useClient()
  const link = ref<Link>('connecting')
  const watch = shallowRef<EventValue<'watch-state'>>({ kind: 'stopped' })
  const sync = shallowRef<EventValue<'sync-state'>>({ kind: 'idle', last: null })
  const verify = shallowRef<EventValue<'verify-state'>>({ kind: 'idle', last: null })
  const syncProgress = shallowRef<EventValue<'sync-progress'> | null>(null)
  /** The files that are being downloaded now. */
  const downloads = shallowRef<readonly Download[]>([])
  /** How fast it goes; begins anew with each pass. */
  const syncMeter = shallowRef(idleMeter)
  /** When the limit of calls lets the next one go, in milliseconds; 0: now. */
  const nextCallAtMs = ref(0)
  const verifyProgress = shallowRef<EventValue<'verify-progress'> | null>(null)
  const overview = shallowRef<CallOutput<'overview'> | null>(null)
  const overviewError = shallowRef<CallError | null>(null)
  /** Grows whenever what lists show may have changed; views watch it to fetch again. */
  const changes = ref(0)

  const isSyncing = computed(() => sync.value.kind === 'running' || watch.value.kind === 'syncing')
  const attentionCount = computed(() => {
    if (overview.value === null) return 0
    const { counts, damagedFiles } = overview.value
    return counts.filesFailed + counts.projectsWithProblem + counts.troubledChecklists + damagedFiles
  })

  /** Queued, or being downloaded. */
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

  const refresh = throttled(refreshMs, () => {
    changes.value += 1
    void loadOverview()
  })

  function forgetProgress(): void {
    if (isSyncing.value) return
    syncProgress.value = null
    downloads.value = []
    syncMeter.value = idleMeter
  }

  function takeProgress(progress: EventValue<'sync-progress'>): void {
    syncProgress.value = progress
    syncMeter.value = advanceMeter(syncMeter.value, progress)
    nextCallAtMs.value = timeOfNextCall(progress.budgetWaitMs)
  }

  function take(message: EventMessage): void {
    switch (message.name) {
      case 'watch-state':
        watch.value = message.value as EventValue<'watch-state'>
        forgetProgress()
        return refresh()
      case 'sync-state':
        sync.value = message.value as EventValue<'sync-state'>
        forgetProgress()
        return refresh()
      case 'verify-state':
        verify.value = message.value as EventValue<'verify-state'>
        if (verify.value.kind === 'idle') verifyProgress.value = null
        return refresh()
      case 'sync-progress':
        takeProgress(message.value as EventValue<'sync-progress'>)
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

  /** Asks for the overview at once and listens until what it answers is called. */
  function start(): () => void {
    refresh()
    return client.listen({
      onEvent: take,
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
    attentionCount,
    waitingFiles,
    loadOverview,
    refresh,
    start,
  }
})

function timeOfNextCall(waitMs: number): number {
  return waitMs > 0 ? Date.now() + waitMs : 0
}
