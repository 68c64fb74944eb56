import { app, dialog } from 'electron'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Api } from '../app/api/create-api.ts'
import type { App } from '../app/create-app.ts'
import type { Log } from '../engine/lib/ports.ts'
import { afterEvent, isIdle, unknownStatus } from './app-status.ts'
import type { Quitting } from './lifecycle.ts'
import { isUpdatable } from './startup.ts'

const minuteMs = 60_000

/** The first check comes soon after a start, when it delays nothing; then one a day. */
const firstCheckMs = minuteMs
const checkIntervalMs = 24 * 60 * minuteMs

export interface UpdatesDeps {
  /** Emits the user's setting, and the states of the engine. */
  readonly api: Pick<Api, 'subscribe'>
  readonly app: Pick<App, 'requestsEnded' | 'finishOrders'>
  readonly quitToInstall: Quitting['quitToInstall']
  readonly log: Log
}

/** Returns true if this app was packaged with an update address, and an update replaces it. */
export function canUpdate(): boolean {
  const hasUpdateAddress = existsSync(join(process.resourcesPath, 'app-update.yml'))
  return isUpdatable({ env: process.env, isPackaged: app.isPackaged, hasUpdateAddress })
}

/**
 * Checks for newer versions and downloads them. The user is asked about a downloaded version while the engine is idle;
 * it is installed only if they agree. Returns a function that ends the checks.
 */
export function followUpdates({
  api,
  app: { requestsEnded, finishOrders },
  quitToInstall,
  log,
}: UpdatesDeps): () => void {
  if (!canUpdate()) return () => undefined
  const stopping = new AbortController()
  let isWanted: boolean | undefined
  let isChecking = false
  let timer: NodeJS.Timeout | undefined

  const schedule = (delayMs: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => void check(), delayMs)
  }

  async function check(): Promise<void> {
    schedule(checkIntervalMs)
    if (isChecking) return
    isChecking = true
    await update().catch((cause: unknown) => log.warn('Checking for a newer version failed', { cause }))
    isChecking = false
  }

  async function update(): Promise<void> {
    const { default: updater } = await import('electron-updater')
    const { autoUpdater } = updater
    autoUpdater.logger = null
    autoUpdater.autoInstallOnAppQuit = false
    const found = await autoUpdater.checkForUpdates()
    if (found?.isUpdateAvailable !== true) return
    const { version } = found.updateInfo
    log.info('There is a newer version', { version })
    await found.downloadPromise
    if (!(await untilIdle(api, stopping.signal)) || !(await askToInstall(version))) return
    // Wait again: new work may have started while the dialog was open.
    do {
      if (!(await untilIdle(api, stopping.signal))) return
    } while (await requestsEnded())
    await finishOrders()
    log.info('The newer version is installed', { version })
    quitToInstall((onFailure) => {
      autoUpdater.once('error', onFailure)
      autoUpdater.quitAndInstall()
    })
  }

  const unsubscribe = api.subscribe(({ name, value }) => {
    if (name !== 'settings-state') return
    const { looksForUpdates } = value
    if (looksForUpdates === isWanted) return
    if (!looksForUpdates) clearTimeout(timer)
    // A user who switches it on wants to know now.
    else schedule(isWanted === undefined ? firstCheckMs : 0)
    isWanted = looksForUpdates
  })
  return () => {
    unsubscribe()
    clearTimeout(timer)
    stopping.abort()
  }
}

/** Resolves to true once a restart would interrupt nothing, or to false if the signal aborts first. */
function untilIdle(api: Pick<Api, 'subscribe'>, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let status = unknownStatus
  // `subscribe` emits the current states one by one before it returns: only then is the status complete.
  let isComplete = false
  const check = () => {
    if (isComplete && isIdle(status)) resolve(true)
  }
  const unsubscribe = api.subscribe((message) => {
    status = afterEvent(status, message)
    check()
  })
  isComplete = true
  check()
  const abort = () => resolve(false)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return promise.finally(() => {
    unsubscribe()
    signal.removeEventListener('abort', abort)
  })
}

async function askToInstall(version: string): Promise<boolean> {
  const { response } = await dialog.showMessageBox({
    type: 'info',
    title: 'Solarchive',
    message: `Solarchive ${version} is ready`,
    detail:
      'It is installed when Solarchive restarts. What is running is finished first: a sync, an export, orders, or a ' +
      'move of the archive. Your archive stays unchanged.',
    buttons: ['Restart now', 'Later'],
    defaultId: 0,
    cancelId: 1,
  })
  return response === 0
}
