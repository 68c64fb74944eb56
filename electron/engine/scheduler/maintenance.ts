import type { WatchState } from '../../../shared/watch.ts'
import type { Scrub } from '../integrity/scrub.ts'
import type { Clock } from '../lib/ports.ts'

export interface MaintenanceDeps {
  readonly clock: Clock
  readonly scrub: Scrub
  /** Does what is due on the database now and then, such as its backup. Decides by itself. */
  readonly maintainDatabase: (signal: AbortSignal) => Promise<void>
  readonly state: () => WatchState
}

/** A rest is noticed, and a day's work found due, after this at the latest. */
const maxWaitMs = 60_000

/** Others get the disk between two slices. */
const minWaitMs = 1_000

/**
 * Keeps the archive and the database sound beside the sync, until the signal aborts: the scrub and the backups of the
 * database. Rests with the watch, unless only the service is unreachable. Rejects with errors of the database.
 */
export async function runMaintenance(deps: MaintenanceDeps, signal: AbortSignal): Promise<void> {
  const { clock, scrub, maintainDatabase } = deps
  try {
    while (!signal.aborted) {
      let waitMs = maxWaitMs
      if (mayWork(deps.state())) {
        await maintainDatabase(signal)
        waitMs = (await scrub.scrubNext(signal)).nextInMs
      }
      await clock.sleep(Math.min(maxWaitMs, Math.max(minWaitMs, waitMs)), signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function mayWork(state: WatchState): boolean {
  return state.kind === 'idle' || state.kind === 'syncing' || (state.kind === 'blocked' && state.obstacle !== 'disk')
}

export interface FollowOrdersDeps {
  readonly clock: Clock
  /** Asks the service about the orders that are due. Decides by itself. */
  readonly followOrders: (signal: AbortSignal) => Promise<void>
  readonly state: () => WatchState
  /** Returns the signal of the work until the next rest: a call that waits for the rate budget is not sent after it. */
  readonly session: () => AbortSignal
  readonly onFailed: (thrown: unknown) => Promise<void>
}

/** An order without an answer is asked for a minute after it was sent: this is late enough to cost nothing. */
const followIntervalMs = 20_000
const firstFollowMs = 1_000

/** Follows the orders while the watch works, until the signal aborts. Never rejects. */
export async function runFollowOrders(deps: FollowOrdersDeps, signal: AbortSignal): Promise<void> {
  const { clock, followOrders, state, session, onFailed } = deps
  // The watch has to start first.
  await clock.sleep(firstFollowMs, signal).catch(() => undefined)
  while (!signal.aborted) {
    const { kind } = state()
    if (kind === 'idle' || kind === 'syncing') {
      const combinedSignal = AbortSignal.any([signal, session()])
      await followOrders(combinedSignal).catch((error: unknown) =>
        combinedSignal.aborted ? undefined : onFailed(error),
      )
    }
    await clock.sleep(followIntervalMs, signal).catch(() => undefined)
  }
}
