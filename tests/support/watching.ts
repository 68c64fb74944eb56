import { setTimeout as sleep } from 'node:timers/promises'
import type { SyncFailure } from '../../shared/domain.ts'
import type { WatchState } from '../../shared/watch.ts'
import type { Engine } from '../../electron/engine/engine.ts'
import type { ProjectSynced } from '../../electron/engine/lib/events.ts'

/** A running watch, and its events so far. */
export interface Watching {
  readonly states: readonly WatchState[]
  readonly failures: readonly SyncFailure[]
  readonly synced: readonly ProjectSynced[]
  /** Stops the watch and resolves when it has ended. */
  stop(): Promise<void>
}

export function startWatching(engine: Engine): Watching {
  const states: WatchState[] = []
  const failures: SyncFailure[] = []
  const synced: ProjectSynced[] = []
  engine.events.on('watch-state', (state) => void states.push(state))
  engine.events.on('sync-failure', (failure) => void failures.push(failure))
  engine.events.on('project-synced', (project) => void synced.push(project))
  const stop = new AbortController()
  const ended = engine.watch.run(stop.signal)
  return {
    states,
    failures,
    synced,
    async stop() {
      stop.abort()
      await ended
    },
  }
}

/**
 * Waits until a condition is true. Only a condition that never becomes true should reach the deadline; `detail` then
 * says what is known, such as the output of a process.
 */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  deadlineMs = 240_000,
  detail = () => '',
): Promise<void> {
  const endMs = performance.now() + deadlineMs
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`Timed out waiting until ${what}. ${detail()}`.trim())
    await sleep(20)
  }
}
