import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../shared/errors.ts'
import type { WatchState } from '../../shared/watch.ts'
import type { ArchiveReader, Engine, EngineSettings } from '../engine/engine.ts'
import { EngineEvents } from '../engine/lib/events.ts'
import type { Clock, Log } from '../engine/lib/ports.ts'
import { type OpenedReader, openReader } from '../engine/open-reader.ts'
import { defaultCallsPerMinute } from '../engine/service/rate-budget.ts'
import { lockedBy } from '../engine/store/data-folder-lock.ts'
import { findLiveOwner } from './api/live-owner.ts'
import { requireSameVersion } from './api/owner-client.ts'
import type { OpenedEngine } from './engine-holder.ts'

export interface BesideOwnerDeps {
  /** Returns the current settings, with the archive and the service of the owner. */
  readonly settings: () => EngineSettings
  readonly clock: Clock
  readonly logger: Log
  /** Throws `data-folder-locked`. */
  readonly requireOwn: () => void
  /** Returns the state of the owner's watch; `stopped` if it has none, or does not answer. */
  readonly watchState: () => Promise<WatchState>
  /** Called now and then, to check whether the owner still runs. */
  readonly onCheck: () => void
  /** Called when this engine no longer reads the owner's archive, and another one can. It follows nothing from then on. */
  readonly reopen: () => void
}

/** Interval at which the pages of a reading app follow the owner. */
const checkMs = 2_000

/** Time that an owner has to create or update its database. */
const ownerPatienceMs = 10_000

const retryAfterMs = 100

/**
 * Opens an engine for an app beside the owner of the data folder: it reads the owner's database as it changes, emits an
 * event when it has, and refuses what would change something. Rejects with `data-folder-locked` if the database cannot
 * be read.
 */
export async function openBesideOwner(deps: BesideOwnerDeps): Promise<OpenedEngine> {
  const { clock, requireOwn } = deps
  const settings = deps.settings()
  const opened = await openWhenReadable(settings, clock)
  const { reader } = opened
  const refuse = (): never => {
    requireOwn()
    throw new AppError('internal', 'An engine that only reads was asked to change something.')
  }
  const follower = new Follower(deps, settings, opened)
  const engine: Engine = {
    ...refuseChanges(reader, refuse),
    isMadeFromArchive: false,
    events: follower.events,
    watch: {
      run: (signal = follower.closed) => untilAborted(AbortSignal.any([signal, follower.closed])),
      state: () => follower.watch,
      pause: refuse,
      resume: refuse,
      pauseOnBattery: () => undefined,
      recheck: () => undefined,
    },
    apiBudget: () => ({
      callsPerMinute: settings.apiCallsPerMinute ?? defaultCallsPerMinute,
      freeCalls: null,
      waitMs: 0,
    }),
    async close() {
      await follower.close()
      await reader.close()
    },
  }
  follower.start()
  return { engine, close: () => engine.close() }
}

/** Opens the owner's database, once the owner has brought it up to date. */
async function openWhenReadable(
  settings: EngineSettings,
  clock: Clock,
): Promise<Extract<OpenedReader, { kind: 'open' }>> {
  const untilMs = clock.monotonicMs() + ownerPatienceMs
  for (;;) {
    const opened = openReader(settings, { clock })
    if (opened.kind === 'open') return opened
    const problem = 'cannot be read yet. Start Solarchive again in a moment.'
    if (opened.owner === undefined) throw new AppError('data-folder-locked', `The archive ${problem}`)
    if (clock.monotonicMs() >= untilMs) {
      const facts = findLiveOwner(settings.homeFolder)?.facts
      if (facts !== undefined) requireSameVersion(facts)
      throw lockedBy(opened.owner.pid, `has the data folder, and its archive ${problem}`)
    }
    await clock.sleep(retryAfterMs)
  }
}

/** Returns whether the owner's database can be read now. */
async function isReadable(settings: EngineSettings, clock: Clock): Promise<boolean> {
  const opened = openReader(settings, { clock })
  if (opened.kind === 'open') await opened.reader.close()
  return opened.kind === 'open' && opened.owner !== undefined
}

type OwnParts = 'isMadeFromArchive' | 'events' | 'watch' | 'apiBudget' | 'close'

/** Returns the parts of the engine that read, with `refuse` instead of what would change something. */
function refuseChanges(reader: ArchiveReader, refuse: () => never): Omit<Engine, OwnParts> {
  const refuseLater = () => new Promise<never>(refuse)
  return {
    ...reader,
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
    orders: {
      ...reader.orders,
      create: refuse,
      saveDraft: refuse,
      discard: refuse,
      withDraft: refuseLater,
      review: refuseLater,
      preview: refuse,
      place: refuseLater,
      check: refuseLater,
      resolve: refuse,
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
    testConnection: refuseLater,
  }
}

type Changes = Pick<Extract<OpenedReader, { kind: 'open' }>, 'changes' | 'isReplaced'>

/** Follows the owner: emits events when its database or its watch has changed. */
class Follower {
  readonly events = new EngineEvents()
  readonly #deps: BesideOwnerDeps
  readonly #settings: EngineSettings
  readonly #opened: Changes
  readonly #closing = new AbortController()
  #watch: WatchState = { kind: 'stopped' }
  #revision = 0
  /** Undefined before the first event: this engine may read another database than the one before it. */
  #changes: number | undefined
  #isFailing = false
  #following: Promise<void> = Promise.resolve()

  constructor(deps: BesideOwnerDeps, settings: EngineSettings, opened: Changes) {
    this.#deps = deps
    this.#settings = settings
    this.#opened = opened
  }

  /** Last known state of the owner's watch. */
  get watch(): WatchState {
    return this.#watch
  }

  /** Aborts once this is closed. */
  get closed(): AbortSignal {
    return this.#closing.signal
  }

  start(): void {
    this.#following = this.#follow()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#following
  }

  async #follow(): Promise<void> {
    const { clock, logger, reopen } = this.#deps
    while (!this.closed.aborted) {
      try {
        if (await this.#isToReopen()) return reopen()
        await this.#notify()
        this.#isFailing = false
      } catch (cause) {
        if (!this.#isFailing) logger.error('The archive of another process could not be followed', { cause })
        this.#isFailing = true
      }
      await clock.sleep(checkMs, this.closed).catch(() => undefined)
    }
  }

  /** Resolves to whether another engine has to read in place of this one, and can. */
  async #isToReopen(): Promise<boolean> {
    this.#deps.onCheck()
    const settings = this.#deps.settings()
    const isOutdated = this.#opened.isReplaced() || !isDeepStrictEqual(settings, this.#settings)
    return isOutdated && (await isReadable(settings, this.#deps.clock))
  }

  async #notify(): Promise<void> {
    const now = await this.#deps.watchState()
    const changes = this.#opened.changes()
    if (isDeepStrictEqual(now, this.#watch) && changes === this.#changes) return
    this.#changes = changes
    this.#watch = now
    this.#revision += 1
    this.events.emit('watch-state', { ...this.#watch, revision: this.#revision })
    this.events.emit('orders-changed', { orderId: null, batchId: null })
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
