import { app, dialog } from 'electron'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { EventValue } from '../../../shared/contract.ts'
import type { Bridge } from '../../app/api/create-api.ts'
import type { Log } from '../../engine/lib/ports.ts'
import type { Quitting } from '../life/quitting.ts'
import { untilRest } from './until-rest.ts'

const minuteMs = 60_000

/** Soon after a start, when it is in nobody's way; then once a day. */
const firstLookMs = minuteMs
const betweenLooksMs = 24 * 60 * minuteMs

export interface UpdatesOptions {
  /** Tells the person's setting, and what is being done. */
  readonly bridge: Pick<Bridge, 'subscribe'>
  readonly quitToInstall: Quitting['quitToInstall']
  readonly log: Log
}

/** Whether this app was packaged with an address where newer ones are: electron-builder writes this file then. */
export function canUpdate(): boolean {
  return app.isPackaged && existsSync(join(process.resourcesPath, 'app-update.yml'))
}

/**
 * Looks for newer versions and downloads them. One that is there is told of while nothing is being done, and is installed when the
 * person says so, else never. Answers what ends it.
 */
export function followUpdates({ bridge, quitToInstall, log }: UpdatesOptions): () => void {
  if (!canUpdate()) return () => undefined
  const stopping = new AbortController()
  let isWanted: boolean | undefined
  let isLooking = false
  let timer: NodeJS.Timeout | undefined

  const plan = (waitMs: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => void look(), waitMs)
  }

  async function look(): Promise<void> {
    plan(betweenLooksMs)
    if (isLooking) return
    isLooking = true
    await install().catch((cause: unknown) => log.warn('Looking for a newer version failed', { cause }))
    isLooking = false
  }

  async function install(): Promise<void> {
    const { default: updater } = await import('electron-updater')
    const { autoUpdater } = updater
    autoUpdater.logger = null
    autoUpdater.autoInstallOnAppQuit = false
    const found = await autoUpdater.checkForUpdates()
    if (found?.isUpdateAvailable !== true) return
    const { version } = found.updateInfo
    log.info('There is a newer version', { version })
    await found.downloadPromise
    if (!(await untilRest(bridge, stopping.signal)) || !(await isToBeInstalled(version))) return
    // A sync that has begun meanwhile comes to its end.
    if (!(await untilRest(bridge, stopping.signal))) return
    log.info('The newer version is installed', { version })
    quitToInstall((onFailure) => {
      autoUpdater.once('error', onFailure)
      autoUpdater.quitAndInstall()
    })
  }

  const unsubscribe = bridge.subscribe(({ name, value }) => {
    if (name !== 'settings-state') return
    const { looksForUpdates } = value as EventValue<'settings-state'>
    if (looksForUpdates === isWanted) return
    if (!looksForUpdates) clearTimeout(timer)
    // Who switches it on wants to know now.
    else plan(isWanted === undefined ? firstLookMs : 0)
    isWanted = looksForUpdates
  })
  return () => {
    unsubscribe()
    clearTimeout(timer)
    stopping.abort()
  }
}

async function isToBeInstalled(version: string): Promise<boolean> {
  const { response } = await dialog.showMessageBox({
    type: 'info',
    title: 'Solarchive',
    message: `Solarchive ${version} is ready`,
    detail:
      'It is installed when Solarchive restarts. What is being done, a sync or a move of the archive, is finished first; ' +
      'the archive stays as it is.',
    buttons: ['Restart now', 'Later'],
    defaultId: 0,
    cancelId: 1,
  })
  return response === 0
}
