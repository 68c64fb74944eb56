import type { WatchState } from '../../../shared/watch.ts'
import type { Clock } from '../lib/ports.ts'

export interface FollowingParts {
  readonly clock: Clock
  /** Asks for what is due of the orders; decides by itself. */
  readonly followOrders: (signal: AbortSignal) => Promise<void>
  readonly state: () => WatchState
  /** Of the work that goes on until the next rest: what waits for the rate budget then does not go out any more. */
  readonly session: () => AbortSignal
  readonly onFailed: (thrown: unknown) => Promise<void>
}

/** An order without an answer is asked for a minute after it was sent: this is late enough to cost nothing, and soon enough. */
const intervalMs = 20_000
const firstMs = 1_000

/** Follows the orders while the watch works, until the signal aborts. Never rejects. */
export async function runFollowing(parts: FollowingParts, signal: AbortSignal): Promise<void> {
  const { clock, followOrders, state, session, onFailed } = parts
  // The watch has to begin first.
  await clock.sleep(firstMs, signal).catch(() => undefined)
  while (!signal.aborted) {
    const { kind } = state()
    if (kind === 'idle' || kind === 'syncing') {
      const either = AbortSignal.any([signal, session()])
      await followOrders(either).catch((error: unknown) => (either.aborted ? undefined : onFailed(error)))
    }
    await clock.sleep(intervalMs, signal).catch(() => undefined)
  }
}
