import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../shared/errors.ts'
import type { WatchState } from '../../shared/watch.ts'
import type { Engine, EngineSettings } from '../engine/engine.ts'
import { EngineEvents } from '../engine/lib/events.ts'
import type { Clock, Log } from '../engine/lib/ports.ts'
import { openReader } from '../engine/open-reader.ts'
import { defaultCallsPerMinute } from '../engine/service/rate-budget.ts'
import type { OpenedEngine } from './engine-holder.ts'

export interface BesideOwnerDeps {
  readonly settings: EngineSettings
  readonly clock: Clock
  readonly logger: Log
  /** Throws `data-folder-locked`. */
  readonly requireOwn: () => void
  /** Returns the state of the owner's watch; `stopped` if it has none, or does not answer. */
  readonly watchState: () => Promise<WatchState>
  /** Called now and then, to look whether the owner still runs. */
  readonly onLook: () => void
}

/** Interval at which the pages of a reading app follow the owner. */
const lookMs = 2_000

/**
 * Opens an engine for an app beside the owner of the data folder: it reads the owner's database as it changes, emits an
 * event when it has, and refuses what would change something. Throws `data-folder-locked` if the database cannot be
 * read yet.
 */
export function openBesideOwner(deps: BesideOwnerDeps): OpenedEngine {
  const { settings, clock, logger, requireOwn } = deps
  const opened = openReader(settings, { clock })
  if (opened.kind !== 'open') {
    requireOwn()
    throw new AppError('data-folder-locked', 'The archive cannot be read yet. Start Solarchive again in a moment.')
  }
  const { reader, changes: readChanges } = opened
  const events = new EngineEvents()
  const closed = new AbortController()
  let watch: WatchState = { kind: 'stopped' }
  let revision = 0
  let changes = readChanges()

  async function follow(): Promise<void> {
    while (!closed.signal.aborted) {
      deps.onLook()
      const now = await deps.watchState()
      if (!isDeepStrictEqual(now, watch) || readChanges() !== changes) {
        changes = readChanges()
        watch = now
        revision += 1
        events.emit('watch-state', { ...watch, revision })
        events.emit('orders-changed', { orderId: null, batchId: null })
      }
      await clock.sleep(lookMs, closed.signal)
    }
  }

  const refuse = (): never => {
    requireOwn()
    throw new AppError('internal', 'An engine that only reads was asked to change something.')
  }
  const refuseLater = () => new Promise<never>(refuse)
  const engine: Engine = {
    ...reader,
    isMadeFromArchive: false,
    events,
    projects: { ...reader.projects, add: refuse, preview: refuseLater, remove: refuse, discover: refuseLater },
    sync: refuseLater,
    readNewFiles: refuseLater,
    verify: refuseLater,
    retry: refuse,
    stampEvidence: refuseLater,
    hooks: {
      subscribe: refuse,
      collect: refuseLater,
      dueHooks: () => [],
      nextDue: () => undefined,
      begin: refuse,
      delivered: refuse,
      giveUp: refuse,
      failed: refuse,
      repeat: refuse,
      refuseAddress: refuse,
      post: refuseLater,
    },
    watch: {
      run: (signal = closed.signal) => untilAborted(AbortSignal.any([signal, closed.signal])),
      state: () => watch,
      pause: refuse,
      resume: refuse,
      pauseOnBattery: () => undefined,
      recheck: () => undefined,
    },
    orders: {
      ...reader.orders,
      create: refuse,
      saveDraft: refuse,
      discard: refuse,
      review: refuseLater,
      preview: refuse,
      place: refuseLater,
      check: refuseLater,
      resolve: refuse,
      resolveWaiting: refuseLater,
      finish: () => Promise.resolve(),
    },
    presets: { ...reader.presets, save: refuse, remove: refuse },
    packets: { ...reader.packets, saveTemplate: refuse, removeTemplate: refuse, correct: refuse },
    batches: {
      ...reader.batches,
      preview: refuseLater,
      create: refuseLater,
      review: refuse,
      start: refuse,
      stop: refuseLater,
      ended: refuseLater,
    },
    refreshOrders: refuseLater,
    moduleNames: refuseLater,
    recordAction: refuse,
    apiBudget: () => ({
      callsPerMinute: settings.apiCallsPerMinute ?? defaultCallsPerMinute,
      freeCalls: null,
      waitMs: 0,
    }),
    testConnection: refuseLater,
    async close() {
      closed.abort()
      await following
      await reader.close()
    },
  }
  const following = follow().catch((error: unknown) => {
    if (!closed.signal.aborted)
      logger.error('The archive of another process can no longer be followed', { cause: error })
  })
  return { engine, close: () => engine.close() }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
