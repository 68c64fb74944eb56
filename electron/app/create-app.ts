import { AppError, toAppError } from '../../shared/errors.ts'
import type { SetupState } from '../../shared/settings.ts'
import type { Engine } from '../engine/engine.ts'
import { type BackgroundTasks, createBackgroundTasks } from './api/background-tasks.ts'
import { type Api, createApi } from './api/create-api.ts'
import { EventStream } from './api/event-stream.ts'
import { createHookHandlers } from './api/hook-handlers.ts'
import { HookRunner } from './hooks/hook-runner.ts'
import { hookSecrets } from './hooks/hook-settings.ts'
import { createCatalogHandlers } from './api/catalog-handlers.ts'
import { createExportHandlers } from './api/export-handlers.ts'
import { createMoveHandlers } from './api/move-handlers.ts'
import { createOrderHandlers } from './api/order-handlers.ts'
import { createPacketHandlers } from './api/packet-handlers.ts'
import { createSettingsHandlers } from './api/settings-handlers.ts'
import { createSyncHandlers } from './api/sync-handlers.ts'
import type { Handlers, HandlersDeps } from './api/handlers.ts'
import { type OfferedSettings, offerOf, openOwnerSocket, type OwnerSocket } from './api/owner-socket.ts'
import { EngineHolder, type EngineListener, openEngine, type OpenedEngine } from './engine-holder.ts'
import type { DownloadContent, WrittenKind } from './last-written.ts'
import { Mover } from './move/mover.ts'
import { isMoveOf, type MoveRecord, readMoveRecord } from './move/move-record.ts'
import { openBesideOwner } from './open-beside-owner.ts'
import { Ownership } from './ownership.ts'
import type { AppPorts, SettingsSource } from './ports.ts'
import { Configuration } from './settings/configuration.ts'
import { createConnectionTester } from './settings/connection-tester.ts'
import { createSettingsQueue, SettingsChanger, type SettingsQueue } from './settings/change-settings.ts'
import { createActionRecorder, type RecordAction } from './settings/settings-activity.ts'

export interface AppOptions {
  readonly source: SettingsSource
  readonly ports: AppPorts
  /** True to show the archive beside another process that owns the data folder, instead of failing. Default false. */
  readonly mayRead?: boolean
}

/** An owned data folder: its settings, its archive, and the engine for them once they are set up. */
export interface App {
  readonly api: Api
  setupState(): SetupState
  /**
   * Calls `listener` at once with the current engine (undefined if there is none), then with each that replaces it.
   * Returns a function that stops following.
   */
  followEngine(listener: EngineListener): () => void
  /** See `Engine`; throws `setup-needed` while there is none. */
  openAsset: Engine['openAsset']
  /** Returns the names of copies of archived files; see `Engine.copies`. */
  copies: Engine['copies']
  /** Opens what the last export or packet wrote; see `LastWritten`. */
  openWritten: (kind: WrittenKind) => Promise<DownloadContent>
  /**
   * Keeps everything archived, through setup and changes of the settings, until the signal aborts. Rejects with
   * `database-damaged`, or with the error of opening a new engine.
   */
  run(signal: AbortSignal): Promise<void>
  /**
   * Resolves once no list of orders is being placed, and no work is done for other processes, to whether there was any
   * of these.
   */
  requestsEnded(): Promise<boolean>
  /** Resolves once no order waits for its answer. None is sent afterwards. */
  finishOrders(): Promise<void>
  /** Stops all work and releases the data folder. */
  close(): Promise<void>
}

/**
 * Takes ownership of a data folder, or with `mayRead` reads beside its owner, and opens the engine if it is set up: by
 * flags, the environment, settings.json, or the projects in its database. Throws `data-folder-locked`,
 * `wrong-settings`, `wrong-usage`, and the errors of opening the database.
 */
export async function createApp({ source, ports, mayRead = false }: AppOptions): Promise<App> {
  const configuration = await Configuration.read(source, ports.tokens)
  const ownership = new Ownership(source.homeFolder, { mayRead })
  const engines = new EngineHolder()
  try {
    return await assemble({ source, ports, configuration, ownership, engines })
  } catch (error) {
    await engines.replace(undefined).finally(() => ownership.release())
    throw error
  }
}

interface Core extends AppOptions {
  readonly configuration: Configuration
  readonly ownership: Ownership
  readonly engines: EngineHolder
}

async function listsEnded({ present: engine }: EngineHolder): Promise<boolean> {
  const running = engine?.batches.list().filter(({ state }) => state === 'running') ?? []
  for (const { batchId } of running) await engine?.batches.ended(batchId)
  return running.length > 0
}

async function assemble(core: Core): Promise<App> {
  const { source, ports, configuration, ownership, engines } = core
  const { clock, logger: log } = ports
  const closing = new AbortController()
  const { signal } = closing
  const { test: testConnection, callsMadeAtMs } = createConnectionTester(configuration, engines, ports, signal)
  const requireOwn = () => ownership.requireOwn()
  const recordAction = createActionRecorder(engines, log)
  const setupState = () => describeSetup(configuration, engines, ownership)
  const events: EventStream = createEvents({ ...core, setupState, mover: () => mover, tasks: () => tasks })
  const tasks = createBackgroundTasks({ clock, log, events, engine: () => engines.require() })
  const publishSettings = () => {
    events.publishState('setup-state')
    events.publishState('settings-state')
  }
  const queue = createSettingsQueue(publishSettings)
  const onOwner = () => events.publishState('setup-state')
  const opener = createOpener({ ...core, callsMadeAtMs, queue, signal, onOwner })
  const open = () => opener.open()
  const mover: Mover = createMover({ ...core, open, events, publishSettings, recordAction })
  const requireWritableArchive = () => mover.requireNone()
  const changer = new SettingsChanger({ ...core, open, requireWritableArchive, testConnection, recordAction })
  /** For other processes, while this one is the owner. */
  let socket: OwnerSocket | undefined
  /** Opens the engine, and resumes a move of the archive that an earlier owner left unfinished. */
  const start = async () => {
    for (const secret of hookSecrets(configuration.savedHooks)) ports.keepSecret(secret)
    const isOwner = () => ownership.lock !== undefined
    const unfinished = isOwner() ? await unfinishedMove(source.homeFolder, configuration) : undefined
    await changer.start({ paused: unfinished !== undefined })
    if (!isOwner()) return
    socket = await openSocket({ ...core, requireWritableArchive })
    if (unfinished !== undefined) mover.resume(unfinished)
  }
  const stopWatchingTokens = reloadTokenWhenBlocked(engines, () => queue.run(() => configuration.reloadToken()))
  const api = createApi({
    handlers: createHandlers({
      ...core,
      tasks,
      mover,
      changer,
      queue,
      setupState,
      testConnection,
      requireWritableArchive,
      recordAction,
      signal,
      takeOver: () => opener.takeOver(start),
    }),
    events,
    log,
    requireOwn,
    readToken: () => ports.tokens.read(),
  })
  await start()
  // Nothing is set up yet, so there is nothing to show beside the other process.
  if (engines.present === undefined) ownership.requireLock()
  const stopFollowing = tasks.follow(engines)
  const stopPublishing = engines.follow(() => socket?.publish())
  const stopHooks = runHooks(engines, ownership, new HookRunner({ clock, log, hooks: () => configuration.hooks }))
  return {
    api,
    setupState,
    followEngine: (listener) => engines.follow(listener),
    openAsset: async (assetId, version) => engines.require().openAsset(assetId, version),
    copies: async (assetIds) => engines.require().copies(assetIds),
    openWritten: (kind) => tasks.written.open(kind),
    run: (signal) => engines.run(signal),
    async requestsEnded() {
      // Beside an owner, the orders are that process's.
      if (ownership.lock === undefined) return false
      const had = await Promise.all([listsEnded(engines), socket?.callsEnded()])
      return had.includes(true)
    },
    finishOrders: () => engines.present?.orders.finish() ?? Promise.resolve(),
    async close() {
      engines.end()
      try {
        // A page that was closed may have sent its last change.
        await api.begun()
        closing.abort()
        stopPublishing()
        await stopHooks()
        await socket?.close()
        await tasks.close()
        stopFollowing()
        stopWatchingTokens()
        events.close()
        await mover.close()
        await queue.idle()
      } finally {
        await engines.replace(undefined).finally(() => ownership.release())
      }
    },
  }
}

interface OpenDeps extends Core {
  readonly callsMadeAtMs: readonly number[]
  readonly queue: SettingsQueue
  /** Aborts when the app closes. */
  readonly signal: AbortSignal
  /** Called when the other process that owns the data folder has changed, or ended. */
  readonly onOwner: () => void
}

function createOpener(deps: OpenDeps) {
  const { configuration, ownership, engines, ports, queue, signal } = deps
  /** Receives why a take-over failed to open the engine; undefined outside of one. */
  let onFailed: ((error: unknown) => void) | undefined
  const reopen = async () => {
    if (ownership.lock === undefined && !signal.aborted) await engines.replace(open)
  }
  const reopenLater = () => {
    queue.run(reopen).catch((cause: unknown) => {
      ports.logger.error('The archive of another process could not be opened again', { cause })
    })
  }
  const open = async () => {
    try {
      return await openOwnOrOther(deps, reopenLater)
    } catch (error) {
      if (onFailed === undefined) throw error
      // The archive stays visible, and the user can try again.
      onFailed(error)
      ownership.giveUp()
      return openOwnOrOther(deps, reopenLater)
    }
  }
  /** Returns what a live owner says about itself. Throws `wrong-usage` if the app could not continue its work. */
  const requireSameOwner = () => {
    ownership.check()
    const { facts } = ownership
    if (facts === undefined || ownership.other?.hasEnded !== false) return undefined
    configuration.requireSameAs(facts)
    return facts
  }
  return {
    open,
    /** Becomes the owner in place of the other process, then calls `start`, which opens the engine. */
    async takeOver(start: () => Promise<void>): Promise<void> {
      // Report settings errors before the other process is stopped.
      await configuration.reload()
      const owner = requireSameOwner()
      // If settings.json cannot be written, the work of the other process goes on.
      if (owner !== undefined) await configuration.adoptArchiveFolder(owner)
      requireSameOwner()
      await ownership.takeOver(ports.clock, signal)
      let failure: unknown
      onFailed = (error) => (failure = error)
      try {
        await configuration.reload()
        configuration.followOwner(undefined)
        await start()
      } catch (error) {
        ownership.giveUp()
        throw failure === undefined ? error : toAppError(failure)
      } finally {
        onFailed = undefined
      }
      if (failure !== undefined) throw toAppError(failure)
    },
  }
}

/** Opens the engine of an owned data folder, or one that reads beside its owner, until it has to be replaced. */
async function openOwnOrOther(deps: OpenDeps, reopen: () => void): Promise<OpenedEngine> {
  const { configuration, ownership, ports, callsMadeAtMs, onOwner } = deps
  const { lock } = ownership
  if (lock !== undefined) return openEngine(configuration, ports, { lock, callsMadeAtMs })
  configuration.followOwner(ownership.facts)
  return openBesideOwner({
    settings: () => configuration.engineSettings,
    clock: ports.clock,
    logger: ports.logger,
    requireOwn: () => ownership.requireOwn(),
    watchState: () => ownership.watchState(),
    onCheck: () => {
      if (ownership.check()) onOwner()
      // A take-over is opening the engine with the app's own settings.
      if (ownership.lock === undefined) configuration.followOwner(ownership.facts)
    },
    reopen,
  })
}

interface EventsDeps extends Core {
  readonly setupState: () => SetupState
  readonly mover: () => Mover
  readonly tasks: () => BackgroundTasks
}

function createEvents({ configuration, engines, setupState, mover, tasks }: EventsDeps): EventStream {
  return new EventStream({
    'setup-state': setupState,
    'settings-state': () => configuration.settings,
    'move-state': () => mover().state,
    'watch-state': () => engines.present?.watch.state() ?? { kind: 'stopped' },
    'sync-state': () => tasks().sync.state,
    'verify-state': () => tasks().verify.state,
    'evidence-state': () => engines.present?.evidenceState() ?? noEvidence,
    'export-state': () => tasks().exporting.state,
    'packet-state': () => tasks().packing.state,
  })
}

function createHandlers(deps: HandlersDeps): Handlers {
  return {
    ...createSettingsHandlers(deps),
    ...createMoveHandlers(deps),
    ...createSyncHandlers(deps),
    ...createCatalogHandlers(deps),
    ...createHookHandlers(deps),
    ...createOrderHandlers(deps),
    ...createExportHandlers(deps),
    ...createPacketHandlers(deps),
  }
}

/**
 * Runs hooks while this process owns the data folder. Returns a function that stops this, and waits for the last one.
 */
function runHooks(engines: EngineHolder, ownership: Ownership, runner: HookRunner): () => Promise<void> {
  let stop = new AbortController()
  let running: Promise<void> = Promise.resolve()
  const stopFollowing = engines.follow((engine) => {
    stop.abort()
    stop = new AbortController()
    const { signal } = stop
    if (engine === undefined || ownership.lock === undefined) return
    running = running.then(() => runner.run(engine, signal))
  })
  return async () => {
    stopFollowing()
    stop.abort()
    await running
  }
}

/** Before anything is set up. */
const noEvidence = { isDaily: false, isStamping: false, last: null, problem: null }

interface MoverDeps extends Core {
  readonly open: () => Promise<OpenedEngine>
  readonly events: EventStream
  readonly publishSettings: () => void
  readonly recordAction: RecordAction
}

function createMover(deps: MoverDeps): Mover {
  const { source, ports, configuration, engines, open, events, publishSettings, recordAction } = deps
  return new Mover({
    homeFolder: source.homeFolder,
    clock: ports.clock,
    log: ports.logger,
    pauseWatch: async () => {
      if (!engines.isPaused) await engines.replace(open, { paused: true })
    },
    resumeWatch: () => engines.resume(),
    engine: () => engines.require(),
    archiveFolder: () => configuration.engineSettings.archiveFolder,
    savedArchiveFolder: () => configuration.savedArchiveFolder,
    async switchArchive(archiveFolder) {
      // A flag would still name the old folder, which is about to be emptied: the move is undone then.
      configuration.requireFree('archiveFolder')
      await configuration.change({ archiveFolder })
      await engines.replace(open, { paused: true })
      publishSettings()
    },
    recordAction,
    onState: () => events.publishState('move-state'),
    onProgress: (progress) => events.publish('move-progress', progress),
  })
}

interface SocketDeps extends Core {
  readonly requireWritableArchive: () => void
}

/** Opens the socket for other processes of this data folder. */
function openSocket({ source, ports, configuration, engines, requireWritableArchive }: SocketDeps) {
  return openOwnerSocket({
    homeFolder: source.homeFolder,
    command: ports.appInfo.host === 'desktop' ? 'app' : 'serve',
    settings: () => offeredSettings(configuration, engines),
    engine: () => offeredEngine(configuration, engines),
    requireWritableArchive,
    readToken: () => ports.tokens.read(),
    log: ports.logger,
    stop: ports.stop,
  })
}

/** Returns true while the app shows the sample service instead of the archive of this data folder. */
const isExploring = ({ resolved, usesSample }: Configuration) => usesSample && !resolved.useSample

/** Throws `setup-needed` if there is no engine, or that of the sample service in place of this data folder's. */
function offeredEngine(configuration: Configuration, engines: EngineHolder): Engine {
  if (!isExploring(configuration)) return engines.require()
  throw new AppError(
    'setup-needed',
    'The app is exploring the sample service, so it does not work on your archive. Leave the sample in the app first.',
  )
}

function offeredSettings(configuration: Configuration, engines: EngineHolder): OfferedSettings {
  const { resolved } = configuration
  if (isExploring(configuration)) return offerOf(resolved, false)
  return offerOf({ ...resolved, serviceUrl: engines.serviceUrl ?? resolved.serviceUrl }, resolved.useSample)
}

function describeSetup(configuration: Configuration, engines: EngineHolder, ownership: Ownership): SetupState {
  return {
    owner: ownership.other,
    ready: engines.present !== undefined,
    usesSample: configuration.usesSample,
    serviceUrl: engines.serviceUrl ?? configuration.resolved.serviceUrl,
    archiveFolder: configuration.engineSettings.archiveFolder,
    ownArchiveFolder: configuration.resolved.archiveFolder,
    token: configuration.tokenSource,
    tokenProblem: configuration.tokenProblem,
    keepsTokenIn: configuration.keepsTokenIn,
    fixed: configuration.fixed,
  }
}

/**
 * Reloads the token whenever it blocks the watch, and once more after that: a refused token of the environment may have
 * been replaced, or an unusable one fixed. Returns a function that stops this.
 */
function reloadTokenWhenBlocked(engines: EngineHolder, reload: () => Promise<void>): () => void {
  return engines.follow((engine) => {
    let wasBlocked = false
    engine?.events.on('watch-state', (state) => {
      const isBlocked = state.kind === 'blocked' && state.obstacle === 'token'
      // `reload` is queued, so the token source has recorded the refusal by then.
      if (isBlocked || wasBlocked) void reload()
      wasBlocked = isBlocked
    })
  })
}

/** Returns the unfinished move, or undefined if there is none or other folders were chosen since. */
async function unfinishedMove(homeFolder: string, configuration: Configuration): Promise<MoveRecord | undefined> {
  const record = await readMoveRecord(homeFolder)
  return record !== undefined && isMoveOf(record, configuration.engineSettings.archiveFolder) ? record : undefined
}
