import { AppError } from '../../../shared/errors.ts'
import type { ConnectionTest, Settings, SetupState } from '../../../shared/settings.ts'
import type { OpenAsset } from '../engine.ts'
import { createBridge, type Bridge, type InstallationHandlers } from '../handlers.ts'
import { lockDataFolder } from '../store/data-folder-lock.ts'
import { checkArchiveFolder } from './check-archive-folder.ts'
import { Configuration } from './configuration.ts'
import { createConnectionTester } from './connection-tester.ts'
import { EngineHolder, type EngineListener } from './engine-holder.ts'
import type { InstallationPorts, SettingsSource } from './installation-ports.ts'
import { openEngine } from './open-engine.ts'
import { createSetUp } from './set-up.ts'

export interface InstallationOptions {
  readonly source: SettingsSource
  readonly ports: InstallationPorts
}

/** A data folder in this process's hands: its settings, its archive, and the engine for them once they are set up. */
export interface Installation {
  readonly bridge: Bridge
  setupState(): SetupState
  settings(): Settings
  /** Calls `listener` with the present engine at once (undefined: none), and with each that takes its place. */
  followEngine(listener: EngineListener): () => void
  /** See `Engine`; throws `setup-needed` while there is none. */
  openAsset(assetId: number): Promise<OpenAsset>
  /**
   * Keeps everything archived, through set-up and changes of the settings, until the signal aborts. Rejects with
   * `database-damaged`, and with what keeps a new engine from being opened.
   */
  run(signal: AbortSignal): Promise<void>
  /** Stops what runs and lets go of the data folder. */
  close(): Promise<void>
}

/**
 * Takes a data folder, and opens the engine if it is set up: by flags, the environment, settings.json, or the projects that
 * its database holds. Throws `data-folder-locked`, `wrong-settings`, `wrong-usage` and the errors of opening the database.
 */
export async function createInstallation({ source, ports }: InstallationOptions): Promise<Installation> {
  const configuration = await Configuration.read(source, ports.tokens)
  const lock = lockDataFolder(source.homeFolder)
  const engines = new EngineHolder()
  try {
    const tester = createConnectionTester(configuration, engines, ports)
    const open = () => openEngine(configuration, ports, { lock, callsMadeAtMs: tester.callsMadeAtMs })
    const setUp = createSetUp({ source, ports, configuration, engines, open })
    await setUp.start()

    const setupState = (): SetupState => ({
      ready: engines.present !== undefined,
      usesSample: configuration.usesSample,
      serviceUrl: engines.serviceUrl ?? configuration.resolved.serviceUrl,
      archiveFolder: configuration.engineSettings.archiveFolder,
      token: configuration.tokenSource,
      fixed: configuration.fixed,
    })
    const tell = () => {
      events.tell('setup-state')
      events.tell('settings-state')
    }
    /** What changes the settings comes one after the other. */
    let last: Promise<unknown> = Promise.resolve()
    const inTurn = async <T>(act: () => Promise<void>, answer: () => T): Promise<T> => {
      const mine = last.then(act).finally(tell)
      last = mine.catch(() => undefined)
      await mine
      return answer()
    }

    const handlers: InstallationHandlers = {
      'app.info': () => ({
        ...ports.app,
        homeFolder: source.homeFolder,
        canShowFiles: ports.desktop !== undefined,
      }),
      'setup.state': setupState,
      'setup.complete': (input) => inTurn(() => setUp.complete(input), setupState),
      'setup.useSample': () => inTurn(() => setUp.useSample(), setupState),
      'connection.test': (input): Promise<ConnectionTest> => tester.test(input),
      'archive.check': ({ folder }) => checkArchiveFolder(folder, setUp.places()),
      'archive.move': () => Promise.reject(notYet()),
      'archive.stopMove': () => ({ kind: 'idle', last: null }),
      'settings.get': () => configuration.settings,
      'settings.save': (patch) =>
        inTurn(
          () => setUp.save(patch),
          () => configuration.settings,
        ),
      'token.save': ({ token }) => inTurn(() => setUp.saveToken(token), setupState),
      'diagnostics.bundle': () => ports.giveBundle(),
    }
    const { bridge, events } = createBridge({
      engines,
      installation: handlers,
      states: {
        'setup-state': setupState,
        'settings-state': () => configuration.settings,
        'move-state': () => ({ kind: 'idle', last: null }),
      },
      requireArchiveAtRest: () => undefined,
      clock: ports.clock,
      log: ports.logger,
      desktop: ports.desktop,
    })
    return {
      bridge,
      setupState,
      settings: () => configuration.settings,
      followEngine: (listener) => engines.follow(listener),
      openAsset: async (assetId) => engines.require().openAsset(assetId),
      run: (signal) => engines.run(signal),
      async close() {
        await bridge.close()
        await last
        await engines.replace(undefined)
        lock.release()
      },
    }
  } catch (error) {
    await engines.replace(undefined)
    lock.release()
    throw error
  }
}

function notYet(): AppError {
  return new AppError('wrong-usage', 'The archive cannot be moved yet. Nothing was changed.')
}
