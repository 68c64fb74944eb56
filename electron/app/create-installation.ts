import { AppError } from '../../shared/errors.ts'
import type { ConnectionTest, Settings, SetupState } from '../../shared/settings.ts'
import type { OpenAsset } from '../engine/engine.ts'
import { createBridge, type Bridge, type InstallationHandlers } from './api/create-api.ts'
import { lockDataFolder } from '../engine/store/data-folder-lock.ts'
import { absoluteFolder, checkArchiveFolder } from './settings/check-archive-folder.ts'
import { chooseFolder } from './settings/choose-folder.ts'
import { Configuration } from './settings/configuration.ts'
import { createConnectionTester } from './settings/connection-tester.ts'
import { EngineHolder, type EngineListener } from './engine-holder.ts'
import type { InstallationPorts, SettingsSource } from './app-ports.ts'
import { checkMoveTarget, requireMoveTarget } from './move/check-move.ts'
import { createMover } from './move/create-mover.ts'
import { isMoveOf, type MoveRecord, readMoveRecord } from './move/move-record.ts'
import { readLoginItem, setLoginItem } from './settings/login-item.ts'
import { openEngine } from './open-engine.ts'
import { createSetUp } from './settings/set-up.ts'

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
    const mover = createMover({
      homeFolder: source.homeFolder,
      clock: ports.clock,
      log: ports.logger,
      rest: async () => {
        if (!engines.isResting) await engines.replace(open, { rest: true })
      },
      wake: () => engines.resume(),
      engine: () => engines.require(),
      archiveFolder: () => configuration.engineSettings.archiveFolder,
      async settle(archiveFolder) {
        // A flag would go on naming the old folder, which is about to be emptied: then the move is undone.
        configuration.requireFree('archiveFolder')
        await configuration.change({ archiveFolder })
        await engines.replace(open, { rest: true })
        tell()
      },
      onState: () => events.tell('move-state'),
      onProgress: (progress) => events.publish('move-progress', progress),
    })
    const requireArchiveAtRest = () => mover.requireNone()
    const setUp = createSetUp({
      ...{ source, ports, configuration, engines, open, requireArchiveAtRest },
      testConnection: (asked) => tester.test(asked),
    })
    const unfinished = await unfinishedMove(source.homeFolder, configuration)
    await setUp.start({ rest: unfinished !== undefined })

    const setupState = (): SetupState => ({
      ready: engines.present !== undefined,
      usesSample: configuration.usesSample,
      serviceUrl: engines.serviceUrl ?? configuration.resolved.serviceUrl,
      archiveFolder: configuration.engineSettings.archiveFolder,
      ownArchiveFolder: configuration.resolved.archiveFolder,
      token: configuration.tokenSource,
      tokenProblem: configuration.tokenProblem,
      keepsTokenIn: configuration.keepsTokenIn,
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

    // A refused token of the environment may be replaced, and one that could not be used can be. In turn: the host hears of it first.
    engines.follow((engine) => {
      let wasInTheWay = false
      engine?.events.on('watch-state', (state) => {
        const isInTheWay = state.kind === 'blocked' && state.obstacle === 'token'
        if (isInTheWay || wasInTheWay) void inTurn(() => configuration.lookForToken(), setupState)
        wasInTheWay = isInTheWay
      })
    })

    const moveOrder = async (folder: string) => {
      engines.require()
      configuration.requireFree('archiveFolder')
      if (configuration.usesSample && !configuration.resolved.useSample) throw sampleStays()
      const { homeFolder, userFolder } = source
      // Asked for again, one that waited for a drive goes on.
      const record = await readMoveRecord(homeFolder)
      if (record !== undefined && record.to === absoluteFolder(folder, userFolder)) return record
      const from = configuration.engineSettings.archiveFolder
      const folders = engines.require().projectFolders()
      return { from, to: await requireMoveTarget({ from, to: folder, homeFolder, userFolder, folders }) }
    }

    const handlers: InstallationHandlers = {
      'app.info': () => ({
        ...ports.app,
        homeFolder: source.homeFolder,
        canShowFiles: ports.desktop !== undefined,
        canChooseFolders: ports.desktop?.chooseFolder !== undefined,
      }),
      'setup.state': setupState,
      'setup.complete': (input) => inTurn(() => setUp.complete(input), setupState),
      'setup.useSample': () => inTurn(() => setUp.useSample(), setupState),
      'connection.test': (input): Promise<ConnectionTest> => tester.test(input),
      'folders.choose': ({ from }) => chooseFolder(ports.desktop, from, source.userFolder),
      'archive.check': ({ folder, purpose }) =>
        purpose === 'use'
          ? checkArchiveFolder(folder, setUp.places())
          : checkMoveTarget({
              from: configuration.engineSettings.archiveFolder,
              to: folder,
              homeFolder: source.homeFolder,
              userFolder: source.userFolder,
              folders: engines.present?.projectFolders() ?? [],
            }),
      'archive.move': ({ folder }) =>
        inTurn(
          async () => {
            const { from, to } = await moveOrder(folder)
            await mover.start({ from, to })
          },
          () => mover.state,
        ),
      'archive.stopMove': () =>
        inTurn(
          () => mover.stop(),
          () => mover.state,
        ),
      'settings.get': () => configuration.settings,
      'settings.save': (patch) =>
        inTurn(
          () => setUp.save(patch),
          () => configuration.settings,
        ),
      'token.save': async (input) => {
        await setUp.requireAccepted(input.token)
        return inTurn(() => setUp.saveToken(input), setupState)
      },
      'diagnostics.bundle': () => ports.giveBundle(),
      'startAtLogin.get': () => readLoginItem(ports.loginItem),
      'startAtLogin.set': ({ isOn }) => setLoginItem(ports.loginItem, isOn),
    }
    const { bridge, events } = createBridge({
      engines,
      installation: handlers,
      states: {
        'setup-state': setupState,
        'settings-state': () => configuration.settings,
        'move-state': () => mover.state,
      },
      requireArchiveAtRest,
      clock: ports.clock,
      log: ports.logger,
      desktop: ports.desktop,
    })
    if (unfinished !== undefined) mover.resume(unfinished)
    return {
      bridge,
      setupState,
      settings: () => configuration.settings,
      followEngine: (listener) => engines.follow(listener),
      openAsset: async (assetId) => engines.require().openAsset(assetId),
      run: (signal) => engines.run(signal),
      async close() {
        engines.end()
        try {
          await bridge.close()
          await mover.close()
          await last
        } finally {
          await engines.replace(undefined).finally(() => lock.release())
        }
      },
    }
  } catch (error) {
    await engines.replace(undefined).finally(() => lock.release())
    throw error
  }
}

/** One that fits the settings: who chose other folders meanwhile does not want it to go on. */
async function unfinishedMove(homeFolder: string, configuration: Configuration): Promise<MoveRecord | undefined> {
  const record = await readMoveRecord(homeFolder)
  return record !== undefined && isMoveOf(record, configuration.engineSettings.archiveFolder) ? record : undefined
}

function sampleStays(): AppError {
  return new AppError('wrong-usage', "The sample service's archive stays where it is. Nothing was changed.")
}
