import { computed } from 'vue'
import { pauseLabels, syncLabels } from '../../shared/sync-words.ts'
import type { PauseLength } from '../../shared/watch.ts'
import { useEngine } from './engine-store.ts'
import { useEngineActions } from './use-engine-actions.ts'

/** What can be done with the sync as it is now, as items of a menu, wherever that menu is. */
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
    /** Begins a sync, or stops the one that runs. */
    run: computed(() =>
      engine.sync.kind === 'running'
        ? { label: syncLabels.stop, icon: 'i-lucide-square', onSelect: () => void stopSync() }
        : { label: syncLabels.run, icon: 'i-lucide-refresh-cw', onSelect: () => void syncNow() },
    ),
    pauses,
    /** The same, or the end of the pause. */
    pausesOrResume: computed(() =>
      engine.watch.kind === 'paused'
        ? [{ label: syncLabels.resume, icon: 'i-lucide-play', onSelect: () => void resume() }]
        : pauses,
    ),
  }
}
