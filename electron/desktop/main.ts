import { app } from 'electron'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { withholdToken } from '../app/child-environment.ts'
import { prepareHomeFolder } from '../app/data-folder.ts'
import { type HostEnvironment, resolveHomeFolder, type StartSettings } from '../app/settings/resolve-settings.ts'
import { makeFoldersSync } from '../engine/lib/fs/make-folders.ts'
import { createDesktop } from './create-desktop.ts'
import { showStartFailure, watchForUnexpectedErrors } from './failures.ts'
import { prepareQuitting, type Quitting } from './lifecycle.ts'
import { confineAllContents } from './page-security.ts'
import { registerSchemes } from './protocol.ts'
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
 * that app was asked to show itself.
 */
function becomeSingleInstance(homeFolder: string): boolean {
  const folder = join(homeFolder, 'chromium')
  makeFoldersSync(folder, 0o700)
  app.setPath('userData', folder)
  return app.requestSingleInstanceLock()
}

interface RunOptions {
  readonly started: StartSettings
  readonly environment: HostEnvironment
  readonly homeFolder: string
  readonly isHidden: boolean
}

async function run({ isHidden, ...options }: RunOptions, quitting: Quitting): Promise<void> {
  let isWanted = !isHidden
  let show = () => {
    isWanted = true
  }
  const setErrorLog = watchForUnexpectedErrors()
  const onSecondStart = () => quitting.requestShow() || show()
  app.on('second-instance', (_event, argv) => {
    if (!readDesktopStart(argv).isHidden) onSecondStart()
  })
  // The app's icon in the Dock of macOS.
  app.on('activate', onSecondStart)
  // Not at the top of the module: Electron is not ready before the module has been loaded.
  await app.whenReady()
  const opening = createDesktop({
    ...options,
    quit: () => quitting.quit(),
    quitToInstall: quitting.quitToInstall,
  })
  quitting.setClose(async () => (await opening.catch(() => undefined))?.close())
  const desktop = await opening
  setErrorLog(desktop.log)
  show = () => desktop.show()
  quitting.setLog(desktop.log)
  // macOS passes no arguments to an app that it starts at login.
  const isAtLogin = process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin
  if (isWanted && !isAtLogin) show()
  await desktop.run()
}

main()
