import { nativeTheme, session } from 'electron'
import { join } from 'node:path'
import { productFolder, rendererFolder } from '../app/static-files/page-files.ts'
import { openHost } from '../app/open-host.ts'
import type { Surroundings } from '../app/settings/default-folders.ts'
import type { StartSettings } from '../app/settings/resolve-settings.ts'
import type { Log } from '../engine/lib/ports.ts'
import { createRedactor } from '../engine/lib/redact.ts'
import { systemClock } from '../engine/lib/system-clock.ts'
import { serveBridge } from './bridge/serve-bridge.ts'
import { startDrag } from './bridge/start-drag.ts'
import { chooseFolder } from './choose-folder.ts'
import { fileManager } from './file-manager.ts'
import { giveBundle } from './give-bundle.ts'
import { followPowerFor } from './life/power-and-engine.ts'
import type { Quitting } from './life/quitting.ts'
import { serveFiles } from './protocol/serve-files.ts'
import { servePages } from './protocol/serve-pages.ts'
import { lockSession } from './session/lock-session.ts'
import { showOutside } from './show-outside.ts'
import { startSample } from './start-sample.ts'
import { createLoginItem } from './startup/login-item.ts'
import { systemKeychain } from './system-keychain.ts'
import { tellPerson } from './tell-person.ts'
import { canUpdate, followUpdates } from './updates/follow-updates.ts'
import { AppWindow } from './window/app-window.ts'
import { PlaceFile } from './window/place-file.ts'

export interface DesktopOptions {
  readonly started: StartSettings
  readonly surroundings: Surroundings
  readonly homeFolder: string
  readonly quitToInstall: Quitting['quitToInstall']
}

/** The installed app, running. */
export interface RunningDesktop {
  readonly log: Log
  /** Brings the window before the person. */
  show(): void
  /** Keeps everything archived until `close`. Rejects with what makes that impossible. */
  run(): Promise<void>
  close(): Promise<void>
}

/**
 * Puts the app together around an installation: its session, its two protocols, the bridge and the window. The app has to be
 * ready. Throws what `openHost` throws.
 */
export async function createDesktop(options: DesktopOptions): Promise<RunningDesktop> {
  const { started, surroundings, homeFolder, quitToInstall } = options
  const host = await openHost({
    ...{ started, surroundings, startSample, giveBundle, host: 'desktop' },
    desktop: { ...fileManager, chooseFolder },
    loginItem: createLoginItem(surroundings),
    keychain: systemKeychain(surroundings.platform),
    canUpdate: canUpdate(),
    redactor: createRedactor(),
    tell: tellPerson,
    loggerOf: (log) => ({ ...log, tell: tellPerson }),
  })
  const { installation, log } = host
  const { bridge } = installation

  await lockSession(session.defaultSession)
  servePages(session.defaultSession, rendererFolder())
  serveFiles(session.defaultSession, (assetId) => installation.openAsset(assetId))

  const resources = join(productFolder(), 'resources')
  const window = new AppWindow({
    preload: join(productFolder(), 'out', 'preload', 'bridge.cjs'),
    icon: join(resources, 'icons', '256x256.png'),
    backgroundColor: () => (nativeTheme.shouldUseDarkColors ? '#020618' : '#ffffff'),
    places: new PlaceFile(homeFolder, log),
    hasTray: () => outside.hasTray(),
    ...{ clock: systemClock, log },
  })
  serveBridge({
    ...{ bridge, log },
    isOwnWindow: (contents) => window.isOwn(contents),
    startDrag: (contents, assetId) => startDrag(bridge, contents, assetId),
  })
  const outside = showOutside({ installation, window, resources, log })
  const stopFollowingPower = followPowerFor(installation, log)
  const stopFollowingUpdates = followUpdates({ bridge, quitToInstall, log })

  const stop = new AbortController()
  let running: Promise<void> = Promise.resolve()
  return {
    log,
    show: () => window.show(),
    run() {
      running = installation.run(stop.signal)
      return running
    },
    async close() {
      stopFollowingPower()
      outside.close()
      stopFollowingUpdates()
      window.close()
      stop.abort()
      await running.catch(() => undefined)
      await host.close()
    },
  }
}
