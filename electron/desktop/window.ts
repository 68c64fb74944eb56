import { BrowserWindow, dialog, Menu, nativeImage, screen, type WebContents } from 'electron'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock, Log } from '../engine/lib/ports.ts'
import type { ShownProgress } from './app-status.ts'
import { type MenuCommand, textMenu } from './menu.ts'
import { isOwnAddress, pageOrigin } from './origins.ts'
import { crashResponse, fitToScreens, minSize, type Rectangle } from './window-policy.ts'
import type { WindowStateFile } from './window-state.ts'

export interface AppWindowDeps {
  /** Absolute path of the built preload. */
  readonly preload: string
  /** Absolute path. */
  readonly icon: string
  /** Color of the window while its page loads. */
  readonly backgroundColor: () => string
  readonly stateFile: WindowStateFile
  /** Resolves to true if the tray can bring back a hidden window. Never rejects. */
  readonly hasTray: () => Promise<boolean>
  readonly quit: () => void
  readonly clock: Clock
  readonly log: Log
}

/** Progress and overlay icon of the taskbar button; only Windows has overlay icons. `image` is an absolute path. */
export interface WindowBadge {
  readonly progress: ShownProgress
  readonly overlay: { readonly image: string; readonly description: string } | null
}

/** Time that a page has to send its last changes. */
const maxCloseMs = 2_000

/** Windows adds a taskbar button a moment after its window is shown, and ignores what is set before. */
const taskbarButtonMs = 500

const defaultSize = { width: 1280, height: 820 }

/** The only window, created when it is first shown. */
export class AppWindow {
  readonly #deps: AppWindowDeps
  #window: BrowserWindow | undefined
  #mayClose = false
  #badge: WindowBadge = { progress: null, overlay: null }
  readonly #painted = Promise.withResolvers<void>()

  constructor(deps: AppWindowDeps) {
    this.#deps = deps
  }

  /** Resolves once a page was painted for the first time, or could not be. */
  get painted(): Promise<void> {
    return this.#painted.promise
  }

  /** Brings the window to the front, and creates it if need be. `view` is a path of the app, such as `/settings`. */
  show(view?: string): void {
    if (this.#mayClose) return
    const window = this.#window
    if (window === undefined) {
      this.#window = this.#create(view)
      this.setBadge(this.#badge)
      return
    }
    // Another fragment alone does not reload the page, but the same one does; a lost page is reloaded.
    const isElsewhere = view !== undefined && window.webContents.getURL() !== new URL(addressOf(view)).href
    if (isElsewhere || isPageLost(window)) this.#load(window, view)
    if (window.isMinimized()) window.restore()
    // Its screen may have been disconnected while it was hidden.
    if (fitToScreens(window.getNormalBounds(), workAreas()) === undefined) {
      window.setSize(defaultSize.width, defaultSize.height)
      window.center()
    }
    window.show()
    window.focus()
  }

  /** Brings the window to the front and runs a command on the page that is open; see `renderer/ui/page-commands.ts`. */
  run(command: MenuCommand): void {
    const window = this.#window
    const [, view = '/'] = window === undefined || window.isDestroyed() ? [] : window.webContents.getURL().split('#')
    this.show(`${view}${view.includes('?') ? '&' : '?'}command=${command}`)
  }

  /** Returns true for the contents of this window. */
  isOwn(contents: WebContents): boolean {
    return this.#window !== undefined && !this.#window.isDestroyed() && this.#window.webContents === contents
  }

  /**
   * True while the user looks at the window. Windows reports a hidden window as focused, and so does X11 if it was
   * hidden while another app took the focus.
   */
  get isFocused(): boolean {
    const window = this.#window
    if (window === undefined || window.isDestroyed()) return false
    return window.isVisible() && !window.isMinimized() && window.isFocused()
  }

  /** Sets what its taskbar button or dock icon shows from now on. */
  setBadge(badge: WindowBadge): void {
    this.#badge = badge
    const window = this.#window
    if (window === undefined || window.isDestroyed()) return
    const { progress, overlay } = badge
    if (progress === 'unknown') window.setProgressBar(2, { mode: 'indeterminate' })
    else window.setProgressBar(progress ?? -1)
    if (process.platform !== 'win32') return
    window.setOverlayIcon(overlay && nativeImage.createFromPath(overlay.image), overlay?.description ?? '')
  }

  /**
   * Closes the window for good and stores its bounds. Resolves once its page has sent what it still had to save, or
   * after two seconds if it does not respond.
   */
  async close(): Promise<void> {
    this.#mayClose = true
    const window = this.#window
    if (window === undefined || window.isDestroyed()) return
    const closed = new Promise<void>((resolve) => window.once('closed', () => resolve()))
    window.close()
    await Promise.race([closed, sleep(maxCloseMs, undefined, { ref: false })])
  }

  #create(view?: string): BrowserWindow {
    const { stateFile, preload, icon, backgroundColor } = this.#deps
    const state = stateFile.read()
    const bounds = state && fitToScreens(state, workAreas())
    const window = new BrowserWindow({
      ...(bounds ?? defaultSize),
      minWidth: minSize.width,
      minHeight: minSize.height,
      show: false,
      title: 'Solarchive',
      icon,
      backgroundColor: backgroundColor(),
      webPreferences: {
        preload,
        sandbox: true,
        contextIsolation: true,
        webSecurity: true,
        nodeIntegration: false,
        nodeIntegrationInWorker: false,
        nodeIntegrationInSubFrames: false,
        webviewTag: false,
        allowRunningInsecureContent: false,
        experimentalFeatures: false,
        spellcheck: false,
      },
    })
    if (bounds !== undefined && state?.isMaximized) window.maximize()
    window.once('ready-to-show', () => {
      window.show()
      this.#painted.resolve()
    })
    window.webContents.once('did-fail-load', () => this.#painted.resolve())
    window.webContents.once('render-process-gone', () => this.#painted.resolve())
    stateFile.follow(window)
    window.webContents.on('context-menu', (_event, params) => {
      const items = textMenu(params)
      if (items.length > 0) Menu.buildFromTemplate(items).popup({ window })
    })
    // The taskbar button of a hidden window is removed, with its progress and its overlay.
    window.on('show', () => setTimeout(() => this.setBadge(this.#badge), taskbarButtonMs))
    window.on('close', (event) => {
      if (this.#mayClose) return
      event.preventDefault()
      void this.#hide(window)
    })
    window.once('closed', () => {
      this.#painted.resolve()
      this.#window = undefined
    })
    recoverPage(window, () => this.#load(window), this.#deps)
    this.#load(window, view)
    return window
  }

  /** Closing keeps syncing. Without a tray the window is minimized, so that it can be found again. */
  async #hide(window: BrowserWindow): Promise<void> {
    const canBringBack = process.platform === 'darwin' || (await this.#deps.hasTray())
    if (window.isDestroyed()) return
    if (!canBringBack) return window.minimize()
    // On macOS an app that runs without a window is nothing new.
    if (process.platform !== 'darwin' && !this.#deps.stateFile.isTrayExplained) {
      this.#deps.stateFile.recordTrayExplained(window)
      if (await askToQuit(window)) return this.#deps.quit()
      if (window.isDestroyed()) return
    }
    if (!window.isFullScreen()) return window.hide()
    // macOS would leave a black screen behind.
    window.once('leave-full-screen', () => window.hide())
    window.setFullScreen(false)
  }

  #load(window: BrowserWindow, view = '/'): void {
    window.loadURL(addressOf(view)).catch((cause: unknown) => {
      this.#deps.log.error('The page of the window could not be loaded', { cause })
    })
  }
}

/** Explains where the app stays. Resolves to true if the user wants to quit instead. */
async function askToQuit(window: BrowserWindow): Promise<boolean> {
  const iconLocation = process.platform === 'win32' ? 'in the notification area of the taskbar' : 'in the tray'
  const { response } = await dialog.showMessageBox(window, {
    type: 'info',
    title: 'Solarchive',
    message: 'Solarchive keeps running',
    detail:
      `Closing the window does not stop syncing. Use the icon ${iconLocation} to open the window again, or its menu to ` +
      'quit Solarchive. This message is shown only once.',
    buttons: ['Keep running', 'Quit Solarchive'],
    defaultId: 0,
    cancelId: 0,
  })
  return response === 1
}

function workAreas(): Rectangle[] {
  return screen.getAllDisplays().map(({ workArea }) => workArea)
}

/** Returns the address of a view, a path of the app. */
const addressOf = (view: string) => `${pageOrigin}/index.html#${view}`

/** Returns true if the window does not show the app: its page crashed, or left for an empty one. */
function isPageLost({ webContents }: BrowserWindow): boolean {
  return webContents.isCrashed() || !isOwnAddress(webContents.getURL())
}

/**
 * Reloads the page when its process dies, or when a script of it leaves for `about:blank`. Archiving continues
 * meanwhile, in another process.
 */
function recoverPage(window: BrowserWindow, load: () => void, { clock, log }: { clock: Clock; log: Log }): void {
  const lossesAtMs: number[] = []
  let timer: NodeJS.Timeout | undefined

  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return
    log.error('The page of the window crashed', { reason, exitCode })
    recover()
  })
  window.webContents.on('did-navigate', (_event, url) => {
    if (isOwnAddress(url)) return
    log.error('The page of the window was left and is opened again')
    recover()
  })
  window.webContents.on('unresponsive', () => log.warn('The page of the window does not respond'))
  window.once('closed', () => clearTimeout(timer))

  function recover(): void {
    const nowMs = clock.monotonicMs()
    lossesAtMs.push(nowMs)
    const response = crashResponse(lossesAtMs, nowMs)
    clearTimeout(timer)
    if (response.kind === 'reload') timer = setTimeout(reload, response.delayMs)
    else void askToReload()
  }

  function reload(): void {
    // The user may have opened the window meanwhile, which reloaded the page.
    if (!window.isDestroyed() && isPageLost(window)) load()
  }

  async function askToReload(): Promise<void> {
    const { response } = await dialog.showMessageBox({
      type: 'warning',
      title: 'Solarchive',
      message: 'The window keeps crashing',
      detail: 'Your archive is still kept up to date. Try again, or restart Solarchive later.',
      buttons: ['Try again', 'Close'],
      defaultId: 0,
      cancelId: 1,
    })
    if (response !== 0) return
    lossesAtMs.length = 0
    reload()
  }
}
