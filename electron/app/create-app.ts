import { AppError } from '../../shared/errors.ts'
import type { ConnectionTest, Settings, SetupState } from '../../shared/settings.ts'
import { type DataFolderLock, lockDataFolder } from '../engine/store/data-folder-lock.ts'
import type { OpenAsset } from '../engine/engine.ts'
import { createBackgroundTasks } from './api/background-tasks.ts'
import { type Api, createApi } from './api/create-api.ts'
import { EventStream } from './api/event-stream.ts'
import { createCatalogHandlers } from './api/catalog-handlers.ts'
import { createMoveHandlers } from './api/move-handlers.ts'
import { createOrderHandlers } from './api/order-handlers.ts'
import { createSettingsHandlers } from './api/settings-handlers.ts'
import { createSyncHandlers } from './api/sync-handlers.ts'
import { type Offered, offerOf, openOwnerSocket } from './api/owner-socket.ts'
import { EngineHolder, type EngineListener, openEngine } from './engine-holder.ts'
import { Mover } from './move/mover.ts'
import { isMoveOf, type MoveRecord, readMoveRecord } from './move/move-record.ts'
import type { AppPorts, SettingsSource } from './ports.ts'
import { Configuration, createSettingsQueue } from './settings/configuration.ts'
import { createConnectionTester } from './settings/connection-tester.ts'
import { SetUp } from './settings/set-up.ts'

export interface AppOptions {
  readonly source: SettingsSource
  readonly ports: AppPorts
}

/** An owned data folder: its settings, its archive, and the engine for them once they are set up. */
export interface App {
  readonly api: Api
  setupState(): SetupState
  settings(): Settings
  /**
   * Calls `listener` at once with the current engine (undefined if there is none), then with each that replaces it.
   * Returns a function that stops following.
   */
  followEngine(listener: EngineListener): () => void
  /** See `Engine`; throws `setup-needed` while there is none. */
  openAsset(assetId: number): Promise<OpenAsset>
  /**
   * Keeps everything archived, through setup and changes of the settings, until the signal aborts. Rejects with
   * `database-damaged`, or with the error of opening a new engine.
   */
  run(signal: AbortSignal): Promise<void>
  /** Stops all work and releases the data folder. */
  close(): Promise<void>
}

/**
 * Takes ownership of a data folder, and opens the engine if it is set up: by flags, the environment, settings.json, or
 * the projects in its database. Throws `data-folder-locked`, `wrong-settings`, `wrong-usage`, and the errors of opening
 * the database.
 */
export async function createApp({ source, ports }: AppOptions): Promise<App> {
  const configuration = await Configuration.read(source, ports.tokens)
  const lock = lockDataFolder(source.homeFolder)
  const engines = new EngineHolder()
  try {
    return await assemble({ source, ports, configuration, lock, engines })
  } catch (error) {
    await engines.replace(undefined).finally(() => lock.release())
    throw error
  }
}

interface Core extends AppOptions {
  readonly configuration: Configuration
  readonly lock: DataFolderLock
  readonly engines: EngineHolder
}

async function assemble({ source, ports, configuration, lock, engines }: Core): Promise<App> {
  const { clock, logger: log, desktop } = ports
  const tester = createConnectionTester(configuration, engines, ports)
  const open = () => openEngine(configuration, ports, { lock, callsMadeAtMs: tester.callsMadeAtMs })
  const setupState = () => describeSetup(configuration, engines)
  const events: EventStream = new EventStream({
    'setup-state': setupState,
    'settings-state': () => configuration.settings,
    'move-state': () => mover.state,
    'watch-state': () => engines.present?.watch.state() ?? { kind: 'stopped' },
    'sync-state': () => tasks.sync.state,
    'verify-state': () => tasks.verify.state,
  })
  const tasks = createBackgroundTasks({ clock, log, events, engine: () => engines.require() })
  const publishSettings = () => {
    events.publishState('setup-state')
    events.publishState('settings-state')
  }
  const mover = new Mover({
    homeFolder: source.homeFolder,
    ...{ clock, log },
    pauseWatch: async () => {
      if (!engines.isPaused) await engines.replace(open, { paused: true })
    },
    resumeWatch: () => engines.resume(),
    engine: () => engines.require(),
    archiveFolder: () => configuration.engineSettings.archiveFolder,
    async switchArchive(archiveFolder) {
      // A flag would still name the old folder, which is about to be emptied: the move is undone then.
      configuration.requireFree('archiveFolder')
      await configuration.change({ archiveFolder })
      await engines.replace(open, { paused: true })
      publishSettings()
    },
    onState: () => events.publishState('move-state'),
    onProgress: (progress) => events.publish('move-progress', progress),
  })
  const requireWritableArchive = () => mover.requireNone()
  const testConnection = (asked: Parameters<typeof tester.test>[0]): Promise<ConnectionTest> => tester.test(asked)
  const setUp = new SetUp({ source, ports, configuration, engines, open, requireWritableArchive, testConnection })
  const unfinished = await unfinishedMove(source.homeFolder, configuration)
  await setUp.start({ paused: unfinished !== undefined })

  const queue = createSettingsQueue(publishSettings)
  const stopWatchingTokens = reloadTokenWhenBlocked(engines, () => queue.run(() => configuration.reloadToken()))
  const closing = new AbortController()
  const handlerDeps = { engines, tasks, requireWritableArchive, desktop, signal: closing.signal }
  const api = createApi({
    handlers: {
      ...createSettingsHandlers({ source, ports, configuration, engines, setUp, queue, setupState, testConnection }),
      ...createMoveHandlers({ source, configuration, engines, setUp, queue, mover }),
      ...createSyncHandlers(handlerDeps),
      ...createCatalogHandlers(handlerDeps),
      ...createOrderHandlers(() => engines.require()),
    },
    ...{ events, log, readToken: () => ports.tokens.read() },
  })
  const stopFollowing = tasks.follow(engines)
  const socket = await openOwnerSocket({
    homeFolder: source.homeFolder,
    command: ports.appInfo.host === 'desktop' ? 'app' : 'serve',
    offered: () => ({ engine: engines.require(), settings: offeredSettings(configuration, engines) }),
    requireWritableArchive,
    readToken: () => ports.tokens.read(),
    log,
    stop: ports.stop,
  })
  const stopPublishing = engines.follow(() => socket?.publish())
  if (unfinished !== undefined) mover.resume(unfinished)
  return {
    api,
    setupState,
    settings: () => configuration.settings,
    followEngine: (listener) => engines.follow(listener),
    openAsset: async (assetId) => engines.require().openAsset(assetId),
    run: (signal) => engines.run(signal),
    async close() {
      engines.end()
      try {
        closing.abort()
        stopPublishing()
        await socket?.close()
        await tasks.close()
        stopFollowing()
        stopWatchingTokens()
        events.close()
        await mover.close()
        await queue.idle()
      } finally {
        await engines.replace(undefined).finally(() => lock.release())
      }
    },
  }
}

/** Throws `setup-needed` while the app shows the sample service in place of the archive of this data folder. */
function offeredSettings(configuration: Configuration, engines: EngineHolder): Offered['settings'] {
  const { resolved, engineSettings, usesSample } = configuration
  if (usesSample && !resolved.useSample) {
    throw new AppError(
      'setup-needed',
      'The app is exploring the sample service, so it does not work on your archive. Leave the sample in the app first.',
    )
  }
  return offerOf({ ...engineSettings, serviceUrl: engines.serviceUrl ?? engineSettings.serviceUrl }, resolved.useSample)
}

function describeSetup(configuration: Configuration, engines: EngineHolder): SetupState {
  return {
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
