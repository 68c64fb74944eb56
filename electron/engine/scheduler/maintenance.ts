import type { WatchState } from '../../../shared/watch.ts'
import type { Clock } from '../lib/ports.ts'

export interface BesideDeps {
  readonly clock: Clock
  readonly state: () => WatchState
  /** Does some of what is due. Returns the milliseconds until the next call makes sense. */
  readonly work: (signal: AbortSignal) => Promise<number>
  /** Wait before the first work. */
  readonly firstInMs: number
}

/** Wait until the state of a resting watch is checked again. */
const restMs = 5_000

/**
 * Works beside the sync until the signal aborts. Rests with the watch, unless only the service is unreachable. Rejects
 * with the errors of the work.
 */
export async function runBeside({ clock, state, work, firstInMs }: BesideDeps, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(firstInMs, signal)
    while (!signal.aborted) await clock.sleep(mayWork(state()) ? await work(signal) : restMs, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function mayWork(state: WatchState): boolean {
  return state.kind === 'idle' || state.kind === 'syncing' || (state.kind === 'blocked' && state.obstacle !== 'disk')
}

export interface FollowOrdersDeps {
  readonly clock: Clock
  /** Requests the state of the orders that are due. */
  readonly followOrders: (signal: AbortSignal) => Promise<void>
  readonly state: () => WatchState
  /** Returns the signal that aborts at the next rest: a call that waits for the rate budget then is not sent. */
  readonly session: () => AbortSignal
  readonly onFailed: (thrown: unknown) => Promise<void>
}

/**
 * An order of unknown outcome is looked up a minute after it was sent, so this interval is short enough and costs
 * nothing.
 */
const followIntervalMs = 20_000
const firstFollowMs = 1_000

/** Follows the orders while the watch works, until the signal aborts. Never rejects. */
export async function runFollowOrders(deps: FollowOrdersDeps, signal: AbortSignal): Promise<void> {
  const { clock, followOrders, state, session, onFailed } = deps
  // The watch must start first.
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
