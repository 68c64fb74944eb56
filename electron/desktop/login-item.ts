import { app } from 'electron'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { type HostEnvironment, resolveHomeFolder } from '../app/settings/resolve-settings.ts'
import { makeFoldersSync } from '../engine/lib/fs/make-folders.ts'
import type { LoginItem } from '../engine/lib/ports.ts'
import { writePrivateFile } from '../engine/lib/fs/private-files.ts'
import { areTurnedOff, autostartEntry, installedProgram, isEntryOf, isEntryOn } from './startup.ts'

/** Returns the system's setting that starts the app at login, or undefined for an app that is not installed. */
export function createLoginItem(environment: HostEnvironment): LoginItem | undefined {
  const { env, platform, userFolder } = environment
  const program = installedProgram({ env, execPath: process.execPath, isPackaged: app.isPackaged })
  if (program === undefined) return undefined
  if (platform === 'linux') {
    const folder = join(env['XDG_CONFIG_HOME'] || join(userFolder, '.config'), 'autostart')
    const homeFolder = env['SOLARCHIVE_HOME']?.trim() ? resolveHomeFolder({}, environment) : undefined
    return autostartFile(folder, program, homeFolder)
  }
  // macOS passes no arguments to an app that it starts at login; see `wasOpenedAtLogin` in main.ts.
  const item = platform === 'win32' ? { path: program, args: ['--hidden'] } : {}
  return {
    isOn() {
      const { openAtLogin } = app.getLoginItemSettings(item)
      // Electron finds the entries of a path with spaces only if it is quoted.
      const entries = platform === 'win32' ? app.getLoginItemSettings({ path: `"${program}"` }).launchItems : []
      return Promise.resolve(openAtLogin && !areTurnedOff(entries))
    },
    set: (isOn) => Promise.resolve(app.setLoginItemSettings({ ...item, openAtLogin: isOn })),
  }
}

/**
 * The user's `autostart/solarchive.desktop`. An AppImage has another name after an update and may be moved: an entry
 * that is enabled and starts another program is rewritten for this one.
 */
function autostartFile(folder: string, program: string, homeFolder: string | undefined): LoginItem {
  const path = join(folder, 'solarchive.desktop')
  const read = () => readFile(path, 'utf8').catch(() => undefined)
  const write = () => writePrivateFile(path, autostartEntry(program, homeFolder))
  const renew = async () => {
    const text = await read()
    if (text !== undefined && isEntryOn(text) && !isEntryOf(program, text)) await write()
  }
  renew().catch(() => undefined)
  return {
    async isOn() {
      const text = await read()
      return text !== undefined && isEntryOn(text)
    },
    async set(isOn) {
      try {
        if (!isOn) return await rm(path, { force: true })
        makeFoldersSync(folder, 0o700)
        await write()
      } catch (cause) {
        throw new AppError('wrong-settings', `${path} could not be written, so nothing was changed.`, { cause })
      }
    },
  }
}
