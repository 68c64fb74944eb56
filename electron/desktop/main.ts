import { app } from 'electron'
import { homedir } from 'node:os'
import { prepareHomeFolder } from '../app/prepare-home-folder.ts'
import type { Surroundings } from '../app/settings/default-folders.ts'
import { resolveHomeFolder, type StartSettings } from '../app/settings/resolve-settings.ts'
import { createDesktop } from './create-desktop.ts'
import { tellRunningAlready, tellWhyItCannotRun } from './life/tell-why.ts'
import { prepareQuitting, type Quitting } from './life/quitting.ts'
import { becomeSingleInstance, onSecondStart } from './life/single-instance.ts'
import { watchForUnexpectedErrors } from './life/unexpected-errors.ts'
import { registerSchemes } from './protocol/schemes.ts'
import { lockEveryContents } from './session/lock-contents.ts'
import { readStartOptions } from './start-options.ts'

/** Everything that has to be said before the app is ready; then the app itself. */
function main(): void {
  const { isHidden, useSample } = readStartOptions(process.argv)
  const { env, platform } = process
  const surroundings: Surroundings = { env, platform, currentFolder: process.cwd(), userFolder: homedir() }
  const started: StartSettings = { useSample }
  registerSchemes()
  // Windows shows notifications of programs that it knows by name: appId of electron-builder.yml.
  if (platform === 'win32') app.setAppUserModelId('app.solarchive.desktop')
  // Every page of the app asks for the sandbox anyway; where it was switched off (root cannot have it) this would be fatal.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()
  lockEveryContents()
  const quitting = prepareQuitting()
  const fail = (error: unknown) => tellWhyItCannotRun(error).finally(() => quitting.quit(1))
  try {
    const homeFolder = resolveHomeFolder(started, surroundings)
    prepareHomeFolder(homeFolder)
    if (!becomeSingleInstance(homeFolder)) {
      tellRunningAlready(isHidden)
      return app.exit(0)
    }
    run({ started, surroundings, homeFolder, isHidden }, quitting).catch(fail)
  } catch (error) {
    void fail(error)
  }
}

interface RunOptions {
  readonly started: StartSettings
  readonly surroundings: Surroundings
  readonly homeFolder: string
  readonly isHidden: boolean
}

async function run({ isHidden, ...options }: RunOptions, quitting: Quitting): Promise<void> {
  let isWanted = !isHidden
  let show = () => {
    isWanted = true
  }
  const setLogOfErrors = watchForUnexpectedErrors()
  onSecondStart(() => quitting.wasWanted() || show())
  // Not at the top of the module: Electron is not ready before the module has been loaded.
  await app.whenReady()
  const opening = createDesktop({ ...options, quitToInstall: quitting.quitToInstall })
  quitting.setEnd(async () => (await opening.catch(() => undefined))?.close())
  const desktop = await opening
  setLogOfErrors(desktop.log)
  show = () => desktop.show()
  quitting.setLog(desktop.log)
  // macOS gives a start at login no arguments.
  const isAtLogin = process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin
  if (isWanted && !isAtLogin) show()
  await desktop.run()
}

main()
