import type { WatchState } from '../../../shared/watch.ts'
import type { Scrub } from '../integrity/scrub.ts'
import type { Clock } from '../lib/ports.ts'

export interface MaintenanceDeps {
  readonly clock: Clock
  readonly scrub: Scrub
  /** Does the database's maintenance that is due, such as its backup. */
  readonly maintainDatabase: (signal: AbortSignal) => Promise<void>
  readonly state: () => WatchState
}

/** Longest wait, after which the watch's state and due work are checked again. */
const maxWaitMs = 60_000

/** Shortest wait, which leaves the disk to others between two slices. */
const minWaitMs = 1_000

/**
 * Runs the scrub and the database backups beside the sync until the signal aborts. Rests with the watch, unless only
 * the service is unreachable. Rejects with errors of the database.
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

export interface RunAnalysisDeps {
  readonly clock: Clock
  /** See `Analysis`. */
  readonly analyzeNext: (signal: AbortSignal) => Promise<number>
  readonly state: () => WatchState
}

/** Wait until the watch's state is checked again. */
const restMs = 5_000

/** Analyzes archived files beside the sync until the signal aborts; rests like the maintenance. */
export async function runAnalysis({ clock, analyzeNext, state }: RunAnalysisDeps, signal: AbortSignal): Promise<void> {
  try {
    while (!signal.aborted) await clock.sleep(mayWork(state()) ? await analyzeNext(signal) : restMs, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

export interface RunEvidenceDeps {
  readonly clock: Clock
  /** See `Evidence`. */
  readonly stampDue: (signal: AbortSignal) => Promise<number>
  readonly state: () => WatchState
}

/** Stamps the archive once a day beside the sync until the signal aborts; rests like the maintenance. */
export async function runEvidence({ clock, stampDue, state }: RunEvidenceDeps, signal: AbortSignal): Promise<void> {
  try {
    while (!signal.aborted) {
      const waitMs = mayWork(state()) ? await stampDue(signal) : restMs
      await clock.sleep(Math.min(maxWaitMs, waitMs), signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
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
