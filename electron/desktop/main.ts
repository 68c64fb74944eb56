import { app, Menu } from 'electron'
import { existsSync, mkdtempSync, readlinkSync, rmdirSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../shared/errors.ts'
import { withholdToken } from '../app/child-environment.ts'
import { prepareHomeFolder } from '../app/prepare-home-folder.ts'
import { type HostEnvironment, resolveHomeFolder, type StartSettings } from '../app/settings/resolve-settings.ts'
import { dataFolderErrorOf, whyNotSaved } from '../engine/lib/fs/data-folder-error.ts'
import { makeFoldersSync } from '../engine/lib/fs/make-folders.ts'
import type { RunningDesktop } from './create-desktop.ts'
import { EarlyLog } from './early-log.ts'
import { showStartFailure, watchForUnexpectedErrors } from './failures.ts'
import { prepareQuitting, type Quitting } from './lifecycle.ts'
import { confineAllContents } from './page-security.ts'
import { registerSchemes } from './page-protocol.ts'
import { createShell } from './shell.ts'
import { readDesktopStart } from './startup.ts'

/** Does everything that has to happen before Electron is ready, then runs the app. */
function main(): void {
  const { isHidden, useSample } = readDesktopStart(process.argv)
  const { platform } = process
  const { before: env, restore } = withholdToken(process.env, platform)
  const environment: HostEnvironment = { env, platform, currentFolder: process.cwd(), userFolder: homedir() }
  const started: StartSettings = { useSample }
  registerSchemes()
  // Windows shows notifications only of programs with a known id: `appId` of electron-builder.yml.
  if (platform === 'win32') app.setAppUserModelId('app.solarchive.desktop')
  // The app's window asks for the sandbox anyway; where it was switched off (root cannot have it) this call would be
  // fatal.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()
  confineAllContents()
  const quitting = prepareQuitting({ restoreEnvironment: restore })
  const fail = (error: unknown) => showStartFailure(error).finally(() => quitting.quit(1))
  try {
    const homeFolder = resolveHomeFolder(started, environment)
    prepareHomeFolder(homeFolder)
    if (!becomeSingleInstance(homeFolder)) {
      process.stdout.write(`Solarchive is running already${isHidden ? '' : '; its window is shown'}.\n`)
      return app.exit(0)
    }
    run({ started, environment, homeFolder, isHidden }, quitting).catch(fail)
  } catch (error) {
    void fail(error)
  }
}

/**
 * Makes this the only app of a data folder, which also holds Chromium's own files. Returns false if another app has it;
 * that app was asked to show itself. Throws if the lock cannot be created, which Electron does not tell apart.
 */
function becomeSingleInstance(homeFolder: string): boolean {
  const folder = join(homeFolder, 'chromium')
  try {
    makeFoldersSync(folder, 0o700)
    app.setPath('userData', folder)
    if (app.requestSingleInstanceLock()) return true
    if (isLockHeld(folder)) return false
    tryToMakeFolder(folder)
  } catch (error) {
    throw dataFolderErrorOf(error, homeFolder) ?? error
  }
  const temporary = tmpdir()
  try {
    tryToMakeFolder(temporary)
  } catch (error) {
    const why = whyNotSaved(error, temporary)
    const message = `Solarchive cannot create files in the temporary folder ${temporary}: ${why}.`
    throw new AppError('disk-error', message, { cause: error })
  }
  return false
}

/**
 * Returns whether another running process has Chromium's lock, which may be so on a full disk, too. The lock is a link
 * to `HOST-PID`, on Windows something else.
 */
function isLockHeld(folder: string): boolean {
  try {
    const pid = Number(readlinkSync(join(folder, 'SingletonLock')).split('-').at(-1))
    // This process may have got no further than its lock.
    return pid !== process.pid && process.kill(pid, 0)
  } catch {
    return false
  }
}

function tryToMakeFolder(parent: string): void {
  rmdirSync(mkdtempSync(join(parent, 'solarchive-')))
}

interface RunOptions {
  readonly started: StartSettings
  readonly environment: HostEnvironment
  readonly homeFolder: string
  readonly isHidden: boolean
}

/** Maximum time for the window's first paint; the data folder is opened then, whatever the window does. */
const paintMs = 10_000

async function run({ isHidden, ...options }: RunOptions, quitting: Quitting): Promise<void> {
  const { started, homeFolder } = options
  let isWanted = !isHidden
  let show = () => {
    isWanted = true
  }
  const log = new EarlyLog()
  watchForUnexpectedErrors(log)
  quitting.setLog(log)
  const onSecondStart = () => quitting.requestShow() || show()
  app.on('second-instance', (_event, argv) => {
    if (!readDesktopStart(argv).isHidden) onSecondStart()
  })
  // The app's icon in the Dock of macOS.
  app.on('activate', onSecondStart)
  // Electron would build a menu of its own first.
  Menu.setApplicationMenu(null)
  // Not at the top of the module: Electron is not ready before the module has been loaded.
  await app.whenReady()
  const opened = Promise.withResolvers<RunningDesktop>()
  const quit = () => quitting.quit()
  const window = await createShell({ homeFolder, desktop: opened.promise, quit, log })
  // macOS passes no arguments to an app that it starts at login.
  const isAtLogin = process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin
  // Until a data folder is set up, its window shows the setup alone: what to show is known once it is open.
  const isSetUp = started.useSample === true || existsSync(join(homeFolder, 'settings.json'))
  if (isSetUp) show = () => window.show()
  if (isWanted && !isAtLogin && isSetUp) {
    show()
    await Promise.race([window.painted, sleep(paintMs, undefined, { ref: false })])
  }
  // The engine takes longer to load than a window to appear.
  const { createDesktop } = await import('./create-desktop.ts')
  const opening = createDesktop({ ...options, window, quit, quitToInstall: quitting.quitToInstall })
  quitting.setClose(async () => (await opening.catch(() => undefined))?.close())
  const desktop = await opening.catch((error: unknown) => {
    void window.close()
    throw error
  })
  log.open(desktop.log)
  opened.resolve(desktop)
  if (!isSetUp) {
    show = () => window.show()
    if (isWanted && !isAtLogin) show()
  }
  await desktop.run()
}

main()
