import {
  app,
  BrowserWindow,
  dialog,
  Menu,
  type OpenDialogOptions,
  type SaveDialogOptions,
  safeStorage,
  shell,
} from 'electron'
import { join } from 'node:path'
import type { NativeMenu } from '../../shared/contract/calls.ts'
import { AppError } from '../../shared/errors.ts'
import type { BundleAnswer } from '../../shared/settings.ts'
import type { SupportBundle } from '../app/open-app.ts'
import { writeZip } from '../app/support/write-zip.ts'
import type { Keychain } from '../app/token/keychain-tokens.ts'
import type { Desktop } from '../engine/lib/ports.ts'
import { pageMenu } from './menu.ts'

/**
 * The machine's file manager, folder dialog, and native menus. Paths come from the engine, never from a page.
 */
export const systemDesktop: Desktop = {
  showInFolder(path) {
    shell.showItemInFolder(path)
    return Promise.resolve()
  },
  openFolder: (path) =>
    openPath(path, 'The file manager of this computer could not be opened. Copy the path and open it there.'),
  openFile: (path) =>
    openPath(
      path,
      'This computer could not open the file. Show it in its folder and open it with a program you choose.',
    ),
  chooseFolder,
  chooseFile,
  showMenu,
  confirm,
}

async function openPath(path: string, failure: string): Promise<void> {
  const problem = await shell.openPath(path)
  if (problem !== '') throw new AppError('not-found', failure, { cause: new Error(problem) })
}

/** Shows the system's folder dialog over the window. Resolves to `null` if the user cancels it. */
async function chooseFolder(from: string): Promise<string | null> {
  const defaultPath = from === '' ? app.getPath('downloads') : from
  const options: OpenDialogOptions = { defaultPath, properties: ['openDirectory', 'createDirectory'] }
  const [window] = BrowserWindow.getAllWindows()
  const shown = window === undefined ? dialog.showOpenDialog(options) : dialog.showOpenDialog(window, options)
  const { canceled, filePaths } = await shown
  return canceled ? null : (filePaths[0] ?? null)
}

/** The close of a menu may be reported before the choice that closed it. */
const choiceMs = 100

/** Shows a menu at a point of the page. Its labels are plain text; what they do is up to the page. */
function showMenu(menu: NativeMenu): Promise<number | null> {
  const [window] = BrowserWindow.getAllWindows()
  if (window === undefined) return Promise.resolve(null)
  // The page counts in its own pixels, the window does not.
  const zoom = window.webContents.getZoomFactor()
  return new Promise((resolve) => {
    Menu.buildFromTemplate(pageMenu(menu, resolve)).popup({
      window,
      x: Math.round(menu.x * zoom),
      y: Math.round(menu.y * zoom),
      callback: () => setTimeout(() => resolve(null), choiceMs),
    })
  })
}

/** Longer texts would push the buttons out of the screen. */
const maxDetail = 2_000

/** Asks a user in a dialog over the window. Closing it, Enter, and the signal mean no. */
async function confirm(
  { message, detail, yes }: Parameters<NonNullable<Desktop['confirm']>>[0],
  signal: AbortSignal,
): Promise<boolean> {
  // A part of what is agreed to must not be hidden.
  if (detail.length > maxDetail) return false
  const buttons = [yes, 'Cancel']
  const options = { type: 'warning' as const, message, detail, buttons, defaultId: 1, cancelId: 1, signal }
  const [window] = BrowserWindow.getAllWindows()
  const shown = window === undefined ? dialog.showMessageBox(options) : dialog.showMessageBox(window, options)
  return (await shown).response === 0
}

/** Shows the system's save dialog over the window. Resolves to `null` if the user cancels it. */
async function chooseFile(name: string): Promise<string | null> {
  const options: SaveDialogOptions = {
    defaultPath: join(app.getPath('downloads'), name),
    properties: ['createDirectory', 'showOverwriteConfirmation', 'dontAddToRecent'],
  }
  const [window] = BrowserWindow.getAllWindows()
  const shown = window === undefined ? dialog.showSaveDialog(options) : dialog.showSaveDialog(window, options)
  const { canceled, filePath } = await shown
  return canceled || filePath === '' ? null : filePath
}

/** Asks where to save a support bundle, makes it, and writes it there. */
export async function saveBundle(make: () => Promise<SupportBundle>): Promise<BundleAnswer> {
  const { fileName, entries, madeAtMs } = await make()
  const { canceled, filePath } = await dialog.showSaveDialog({
    title: 'Save the support bundle',
    defaultPath: join(app.getPath('downloads'), fileName),
    filters: [{ name: 'Zip', extensions: ['zip'] }],
    properties: ['createDirectory', 'showOverwriteConfirmation', 'dontAddToRecent'],
  })
  if (canceled || filePath === '') return { kind: 'canceled' }
  // The dialog has asked.
  await writeZip(filePath, entries, madeAtMs, { replace: true })
  return { kind: 'saved', file: filePath }
}

/** Returns the keychain of macOS, the data protection of Windows, or the keyring of Linux. The app has to be ready. */
export function systemKeychain(platform: NodeJS.Platform): Keychain {
  // Electron is replacing the synchronous calls by asynchronous ones; older versions have only the former.
  const isSync = typeof (safeStorage as Partial<typeof safeStorage>).encryptStringAsync !== 'function'
  return {
    async isAvailable() {
      // Without a keyring Chromium encrypts with a publicly known password.
      if (platform === 'linux' && ['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend()))
        return false
      return isSync ? safeStorage.isEncryptionAvailable() : safeStorage.isAsyncEncryptionAvailable()
    },
    encrypt: async (text) => (isSync ? safeStorage.encryptString(text) : safeStorage.encryptStringAsync(text)),
    decrypt: async (bytes) =>
      isSync ? safeStorage.decryptString(bytes) : (await safeStorage.decryptStringAsync(bytes)).result,
  }
}

/** Prints a message on the console. Few users of the installed app see it; the app also shows what is important. */
export function printMessage(message: string): void {
  process.stderr.write(`${message}\n`)
}
