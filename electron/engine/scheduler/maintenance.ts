import type { WatchState } from '../../../shared/watch.ts'
import type { Clock } from '../lib/ports.ts'
import type { RollingVerify } from '../integrity/scrub.ts'

export interface UpkeepParts {
  readonly clock: Clock
  readonly rollingVerify: RollingVerify
  /** What is due now and then on the database, such as its backup; decides by itself. */
  readonly tendDatabase: (signal: AbortSignal) => Promise<void>
  readonly state: () => WatchState
}

/** A rest is noticed, and a day's work found due, after this at the latest. */
const longestWaitMs = 60_000

/** Between two slices others get the disk. */
const shortestWaitMs = 1_000

/**
 * What keeps the archive and the database sound beside the sync, until the signal aborts: the rolling verify and the
 * database's backups. Rests when the watch does, but for what only concerns the service. Rejects with errors of the
 * database.
 */
export async function runUpkeep(parts: UpkeepParts, signal: AbortSignal): Promise<void> {
  const { clock, rollingVerify, tendDatabase } = parts
  try {
    while (!signal.aborted) {
      let waitMs = longestWaitMs
      if (mayWork(parts.state())) {
        await tendDatabase(signal)
        waitMs = (await rollingVerify.verifyNext(signal)).nextInMs
      }
      await clock.sleep(Math.min(longestWaitMs, Math.max(shortestWaitMs, waitMs)), signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function mayWork(state: WatchState): boolean {
  return state.kind === 'idle' || state.kind === 'syncing' || (state.kind === 'blocked' && state.obstacle !== 'disk')
}
