import { nativeTheme, session } from 'electron'
import { join } from 'node:path'
import { productFolder, rendererFolder } from '../app/static-files/page-files.ts'
import { openApp } from '../app/open-app.ts'
import type { HostEnvironment, StartSettings } from '../app/settings/resolve-settings.ts'
import type { Log } from '../engine/lib/ports.ts'
import { createRedactor } from '../engine/lib/redact.ts'
import { systemClock } from '../engine/lib/system-clock.ts'
import { systemDesktop, printMessage, saveBundle, systemKeychain } from './desktop-ports.ts'
import { serveIpc } from './ipc.ts'
import { followPower, type Quitting } from './lifecycle.ts'
import { createLoginItem } from './login-item.ts'
import { confineSession } from './page-security.ts'
import { serveFiles, servePages } from './protocol.ts'
import { createSystemUi } from './system-ui.ts'
import { canUpdate, followUpdates } from './updates.ts'
import { WindowStateFile } from './window-state.ts'
import { AppWindow } from './window.ts'

export interface DesktopOptions {
  readonly started: StartSettings
  readonly environment: HostEnvironment
  readonly homeFolder: string
  readonly quit: () => void
  readonly quitToInstall: Quitting['quitToInstall']
}

/** The installed app, running. */
export interface RunningDesktop {
  readonly log: Log
  /** Brings the window to the front. */
  show(): void
  /** Keeps everything archived until `close`. Rejects with what prevents it. */
  run(): Promise<void>
  close(): Promise<void>
}

/**
 * Creates the desktop app: its session, its two protocols, the IPC, the window, and the system UI. Electron must be
 * ready. Throws what `openApp` throws.
 */
export async function createDesktop(options: DesktopOptions): Promise<RunningDesktop> {
  const { started, environment, homeFolder, quit, quitToInstall } = options
  const host = await openApp({
    ...{ started, environment, host: 'desktop', mayRead: true },
    loadSample: () => import('../sample-service/start-sample-service.ts'),
    deliverBundle: saveBundle,
    stop: quit,
    desktop: systemDesktop,
    loginItem: createLoginItem(environment),
    keychain: systemKeychain(environment.platform),
    canUpdate: canUpdate(),
    redactor: createRedactor(),
    showMessage: printMessage,
    loggerOf: (log) => ({ ...log, showMessage: printMessage }),
  })
  const { app, log } = host
  const { api } = app

  await confineSession(session.defaultSession)
  servePages(session.defaultSession, rendererFolder())
  serveFiles(session.defaultSession, (assetId, version) => app.openAsset(assetId, version))

  const resources = join(productFolder(), 'resources')
  const window = new AppWindow({
    preload: join(productFolder(), 'out', 'preload', 'bridge.cjs'),
    icon: join(resources, 'icons', '256x256.png'),
    backgroundColor: () => (nativeTheme.shouldUseDarkColors ? '#020618' : '#ffffff'),
    stateFile: new WindowStateFile(homeFolder, log),
    hasTray: () => systemUi.hasTray(),
    quit,
    ...{ clock: systemClock, log },
  })
  serveIpc({ api, isOwnWindow: (contents) => window.isOwn(contents), log })
  const systemUi = createSystemUi({ app, window, resources, log })
  const stopFollowingPower = followPower(app, log)
  const stopFollowingUpdates = followUpdates({ api, quitToInstall, log })

  const stop = new AbortController()
  let running: Promise<void> = Promise.resolve()
  return {
    log,
    show: () => window.show(),
    run() {
      running = app.run(stop.signal)
      return running
    },
    async close() {
      stopFollowingPower()
      systemUi.close()
      stopFollowingUpdates()
      window.close()
      stop.abort()
      await running.catch(() => undefined)
      await host.close()
    },
  }
}
