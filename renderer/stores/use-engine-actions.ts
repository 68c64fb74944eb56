import { computed } from 'vue'
import { countOf } from '../../shared/format.ts'
import { useToast } from '@nuxt/ui/composables/useToast'
import type { CallInput, CallName } from '../../shared/contract/calls.ts'
import { pauseLabels, syncLabels } from '../../shared/status-text.ts'
import type { PauseLength } from '../../shared/watch.ts'
import { goneSentence } from '../labels/project-labels.ts'
import { type CallError, useClient } from '../transport/transport.ts'
import { errorTitle } from '../labels/error-labels.ts'
import { useEngine } from './engine-store.ts'

/** Actions on the engine. Each reports its outcome in a toast. */
export function useEngineActions() {
  const client = useClient()
  const engine = useEngine()
  const toast = useToast()

  /** Reports in a toast what failed. It stays until it is closed, since its reason is nowhere else. */
  const reportFailure = (title: string, description: string, more: { id?: string; icon?: string } = {}) =>
    toast.add({ title, description, color: 'error', icon: 'i-lucide-triangle-alert', duration: 0, ...more })

  /** Runs an action. Reports an error in a toast, and then returns `undefined`. `titleOf` replaces its title. */
  async function attempt<Value>(
    act: () => Promise<Value>,
    titleOf: (error: CallError) => string = ({ code }) => errorTitle(code),
  ): Promise<Value | undefined> {
    try {
      return await act()
    } catch (thrown) {
      const error = thrown as CallError
      // The same one again replaces it.
      reportFailure(titleOf(error), error.message, { id: error.message })
      return undefined
    }
  }

  /** Reports in a toast what was done. */
  const notify = (title: string, icon: string, description?: string) =>
    toast.add({ title, icon, color: 'neutral', ...(description !== undefined && { description }) })
  const run = <Name extends CallName>(name: Name, input: CallInput<Name>) => attempt(() => client.call(name, input))

  return {
    attempt,
    notify,
    reportFailure,
    /** Returns the IDs of the projects being synced, without removed ones; `undefined` if all or none are. */
    syncNow: async (projectIds?: string[]) => {
      const state = await run('sync.now', projectIds === undefined ? {} : { projectIds })
      if (state === undefined) return undefined
      const synced = state.kind === 'running' ? (state.order.projectIds ?? undefined) : undefined
      const title = synced === undefined ? 'Sync started' : `Syncing ${countOf(synced.length, 'project')}`
      const left = synced === undefined ? 0 : (projectIds?.length ?? 0) - synced.length
      notify(left > 0 ? `${title}. ${goneSentence(left)}` : title, 'i-lucide-refresh-cw')
      return synced
    },
    stopSync: () => run('sync.stop', {}),
    pause: async (length: PauseLength) => {
      if ((await run('watch.pause', { length })) !== undefined) notify('Syncing is paused', 'i-lucide-circle-pause')
    },
    resume: async () => {
      if ((await run('watch.resume', {})) !== undefined) notify('Syncing resumed', 'i-lucide-circle-play')
    },
    recheck: () => run('watch.recheck', {}),
    retry: async (target: CallInput<'failures.retry'>) => {
      const answer = await run('failures.retry', target)
      if (answer === undefined) return
      engine.refresh()
      notify(retriedText(answer.queued), 'i-lucide-rotate-cw')
    },
    verify: async (repair: boolean) => {
      if ((await run('verify.start', { repair })) !== undefined) notify('Verification started', 'i-lucide-shield-check')
    },
    stopVerify: () => run('verify.stop', {}),
  }
}

/** Returns the message after a retry. It has no number: thumbnails are retried, too, and pages do not count them. */
export function retriedText(queued: number): string {
  return queued === 0 ? 'No file had failed' : 'Failed files are retried now'
}

/** Menu items for the current state of the sync. */
export function useSyncMenu() {
  const engine = useEngine()
  const { syncNow, stopSync, pause, resume } = useEngineActions()
  const pauseItem = (length: PauseLength, icon: string) => ({
    label: pauseLabels[length],
    icon,
    onSelect: () => void pause(length),
  })
  const pauses = [
    pauseItem('hour', 'i-lucide-pause'),
    pauseItem('tomorrow', 'i-lucide-sunrise'),
    pauseItem('resumed', 'i-lucide-circle-pause'),
  ]
  return {
    /** Starts a sync, or stops the current one. */
    run: computed(() =>
      engine.sync.kind === 'running'
        ? { label: syncLabels.stop, icon: 'i-lucide-square', onSelect: () => void stopSync() }
        : { label: syncLabels.run, icon: 'i-lucide-refresh-cw', onSelect: () => void syncNow() },
    ),
    pauses,
    /** The pauses, or while paused, the way to resume. */
    pausesOrResume: computed(() =>
      engine.watch.kind === 'paused'
        ? [{ label: syncLabels.resume, icon: 'i-lucide-play', onSelect: () => void resume() }]
        : pauses,
    ),
  }
}
