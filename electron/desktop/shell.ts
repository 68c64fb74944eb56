import { app, Menu, nativeTheme, session } from 'electron'
import { join } from 'node:path'
import { productFolder, rendererFolder } from '../app/static-files/page-files.ts'
import type { Log } from '../engine/lib/ports.ts'
import { systemClock } from '../engine/lib/system-clock.ts'
import type { RunningDesktop } from './create-desktop.ts'
import { serveFiles } from './file-protocol.ts'
import { serveIpc } from './ipc.ts'
import { appMenu } from './menu.ts'
import { confineSession } from './page-security.ts'
import { servePages } from './page-protocol.ts'
import { WindowStateFile } from './window-state.ts'
import { AppWindow } from './window.ts'

export interface ShellOptions {
  readonly homeFolder: string
  /** Resolves once the data folder is open; calls of the page and commands of the menu wait for it. */
  readonly desktop: Promise<RunningDesktop>
  readonly quit: () => void
  readonly log: Log
}

/**
 * Creates what the window needs to be shown while the data folder is still being opened: its session, both protocols,
 * the IPC, and the menu. Electron must be ready. Returns the window, which is not shown yet.
 */
export async function createShell({ homeFolder, desktop, quit, log }: ShellOptions): Promise<AppWindow> {
  await confineSession(session.defaultSession)
  servePages(session.defaultSession, rendererFolder())
  // A page knows only the protocols that were there when it was loaded.
  serveFiles(session.defaultSession, async (assetId, version) => (await desktop).openAsset(assetId, version))
  const window = new AppWindow({
    preload: join(productFolder(), 'out', 'preload', 'bridge.cjs'),
    icon: join(productFolder(), 'resources', 'icons', '256x256.png'),
    backgroundColor: () => (nativeTheme.shouldUseDarkColors ? '#020618' : '#ffffff'),
    stateFile: new WindowStateFile(homeFolder, log),
    hasTray: async () => (await desktop).systemUi.hasTray(),
    quit,
    clock: systemClock,
    log,
  })
  const api = desktop.then((opened) => opened.api)
  serveIpc({ api, isOwnWindow: (contents) => window.isOwn(contents), log })
  const systemUi = desktop.then((opened) => opened.systemUi)
  const menu = appMenu(
    { platform: process.platform, isPackaged: app.isPackaged },
    {
      open: (view) => window.show(view),
      run: (command) => window.run(command),
      openArchive: () => void systemUi.then((opened) => opened.openArchive()),
      openLogs: () => void systemUi.then((opened) => opened.openLogs()),
      saveBundle: () => void systemUi.then((opened) => opened.saveBundle()),
      quit: () => app.quit(),
    },
  )
  Menu.setApplicationMenu(Menu.buildFromTemplate(menu))
  return window
}
