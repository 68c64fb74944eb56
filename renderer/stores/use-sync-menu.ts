import { computed } from 'vue'
import { pauseLabels, syncLabels } from '../../shared/status-text.ts'
import type { PauseLength } from '../../shared/watch.ts'
import { useEngine } from './engine-store.ts'
import { useEngineActions } from './use-engine-actions.ts'

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
