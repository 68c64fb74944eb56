import { join } from 'node:path'
import { productFolder } from '../app/static-files/page-files.ts'
import { openApp } from '../app/open-app.ts'
import type { HostEnvironment, StartSettings } from '../app/settings/resolve-settings.ts'
import { createRedactor } from '../engine/lib/redact.ts'
import { systemDesktop, printMessage, saveBundle, systemKeychain } from './desktop-ports.ts'
import { followPower, type Quitting } from './lifecycle.ts'
import { createLoginItem } from './login-item.ts'
import { startUtilityProcess } from './utility-process.ts'
import { createSystemUi } from './system-ui.ts'
import { canUpdate, followUpdates } from './updates.ts'
import type { AppWindow } from './window.ts'

export interface DesktopOptions {
  readonly started: StartSettings
  readonly environment: HostEnvironment
  readonly window: AppWindow
  readonly quit: () => void
  readonly quitToInstall: Quitting['quitToInstall']
}

/** The installed app, running. */
export type RunningDesktop = Readonly<Awaited<ReturnType<typeof createDesktop>>>

/**
 * Opens the data folder, and creates what shows it outside of the window. Electron must be ready. Throws what `openApp`
 * throws.
 */
export async function createDesktop(options: DesktopOptions) {
  const { started, environment, window, quit, quitToInstall } = options
  const host = await openApp({
    started,
    environment,
    host: 'desktop',
    mayRead: true,
    loadSample: () => import('../sample-service/start-sample-service.ts'),
    deliverBundle: saveBundle,
    stop: quit,
    startProcess: startUtilityProcess,
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

  const resources = join(productFolder(), 'resources')
  const systemUi = createSystemUi({ app, window, resources, log })
  const stopFollowingPower = followPower(app, log)
  const stopFollowingUpdates = followUpdates({ api, app, quitToInstall, log })

  const stop = new AbortController()
  let running: Promise<void> = Promise.resolve()
  return {
    api,
    log,
    systemUi,
    openAsset: app.openAsset,
    /** Keeps everything archived until `close`. Rejects with what prevents it. */
    run(): Promise<void> {
      running = app.run(stop.signal)
      return running
    },
    async close(): Promise<void> {
      stopFollowingPower()
      systemUi.close()
      stopFollowingUpdates()
      await window.close()
      stop.abort()
      await running.catch(() => undefined)
      await host.close()
    },
  }
}
