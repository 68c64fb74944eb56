import { BrowserWindow, nativeImage, screen, type WebContents } from 'electron'
import type { Clock, Log } from '../../engine/lib/ports.ts'
import { pageOrigin } from '../protocol/addresses.ts'
import type { ShownProgress } from '../status/progress-of.ts'
import { onScreen, type Rectangle, smallestSize } from './on-screen.ts'
import { keepPage } from './page-keeper.ts'
import type { PlaceFile } from './place-file.ts'

export interface AppWindowParts {
  /** Absolute path of the built preload. */
  readonly preload: string
  readonly icon: string
  /** Of the page, while it loads. */
  readonly backgroundColor: () => string
  readonly places: PlaceFile
  /** Whether the window can be brought back from somewhere else once it is not on the screen. Never rejects. */
  readonly hasTray: () => Promise<boolean>
  readonly clock: Clock
  readonly log: Log
}

/** How far the work is, and a small sign on the taskbar's button, which only Windows has. `image`: absolute path. */
export interface WindowBadge {
  readonly progress: ShownProgress
  readonly sign: { readonly image: string; readonly description: string } | null
}

/** The first time. */
const firstSize = { width: 1280, height: 820 }

/** A window that is being dragged tells its place many times a second. */
const settledMs = 500

/** The one window: made when it is first asked for. */
export class AppWindow {
  readonly #parts: AppWindowParts
  #window: BrowserWindow | undefined
  #mayClose = false
  #badge: WindowBadge = { progress: null, sign: null }

  constructor(parts: AppWindowParts) {
    this.#parts = parts
  }

  /** Brings it before the person, made anew if need be; `view` is a path of the app, `/settings` say. */
  show(view?: string): void {
    if (this.#mayClose) return
    const window = this.#window
    if (window === undefined) {
      this.#window = this.#make(view)
      this.setBadge(this.#badge)
      return
    }
    // Another fragment alone does not load the page anew. One that crashed, and was left so, is.
    if (view !== undefined || window.webContents.isCrashed()) this.#load(window, view)
    if (window.isMinimized()) window.restore()
    // Its screen may have been taken away while it was hidden.
    if (onScreen(window.getNormalBounds(), workAreas()) === undefined) {
      window.setSize(firstSize.width, firstSize.height)
      window.center()
    }
    window.show()
    window.focus()
  }

  /** Whether these are its contents. */
  isOwn(contents: WebContents): boolean {
    return this.#window !== undefined && !this.#window.isDestroyed() && this.#window.webContents === contents
  }

  /**
   * Whether the person looks at it. Windows counts a hidden window as focused, and X11 does where the window was hidden while
   * another app took the focus.
   */
  get isFocused(): boolean {
    const window = this.#window
    if (window === undefined || window.isDestroyed()) return false
    return window.isVisible() && !window.isMinimized() && window.isFocused()
  }

  /** Shown on its button in the taskbar, and in the dock, from now on. */
  setBadge(badge: WindowBadge): void {
    this.#badge = badge
    const window = this.#window
    if (window === undefined || window.isDestroyed()) return
    const { progress, sign } = badge
    if (progress === 'unknown') window.setProgressBar(2, { mode: 'indeterminate' })
    else window.setProgressBar(progress ?? -1)
    if (process.platform !== 'win32') return
    window.setOverlayIcon(sign && nativeImage.createFromPath(sign.image), sign?.description ?? '')
  }

  /** Closes it for good; its place is kept. */
  close(): void {
    this.#mayClose = true
    if (this.#window !== undefined && !this.#window.isDestroyed()) this.#window.close()
  }

  #make(view?: string): BrowserWindow {
    const { places, preload, icon, backgroundColor } = this.#parts
    const before = places.read()
    const place = before && onScreen(before, workAreas())
    const window = new BrowserWindow({
      ...(place ?? firstSize),
      ...{ minWidth: smallestSize.width, minHeight: smallestSize.height },
      ...{ show: false, autoHideMenuBar: true, title: 'Solarchive', icon, backgroundColor: backgroundColor() },
      webPreferences: {
        preload,
        ...{ sandbox: true, contextIsolation: true, webSecurity: true },
        ...{ nodeIntegration: false, nodeIntegrationInWorker: false, nodeIntegrationInSubFrames: false },
        ...{ webviewTag: false, allowRunningInsecureContent: false, experimentalFeatures: false },
        spellcheck: false,
      },
    })
    if (place !== undefined && before?.isMaximized) window.maximize()
    window.once('ready-to-show', () => window.show())
    this.#followPlace(window)
    window.on('close', (event) => {
      if (this.#mayClose) return
      event.preventDefault()
      void this.#putAway(window)
    })
    window.once('closed', () => {
      this.#window = undefined
    })
    keepPage(window, () => this.#load(window), this.#parts)
    this.#load(window, view)
    return window
  }

  /** Closing keeps syncing. Without a tray the window stays where it can be found again. */
  async #putAway(window: BrowserWindow): Promise<void> {
    const isFoundAgain = process.platform === 'darwin' || (await this.#parts.hasTray())
    if (window.isDestroyed()) return
    if (!isFoundAgain) return window.minimize()
    if (!window.isFullScreen()) return window.hide()
    // macOS would leave a black screen behind.
    window.once('leave-full-screen', () => window.hide())
    window.setFullScreen(false)
  }

  #load(window: BrowserWindow, view = '/'): void {
    window.loadURL(`${pageOrigin}/index.html#${view}`).catch((cause: unknown) => {
      this.#parts.log.error('The page of the window could not be loaded', { cause })
    })
  }

  #followPlace(window: BrowserWindow): void {
    let waiting: NodeJS.Timeout | undefined
    const keep = () => {
      clearTimeout(waiting)
      waiting = undefined
      if (window.isDestroyed()) return
      this.#parts.places.write({ ...window.getNormalBounds(), isMaximized: window.isMaximized() })
    }
    const keepSoon = () => {
      clearTimeout(waiting)
      waiting = setTimeout(keep, settledMs)
    }
    for (const name of ['resize', 'move', 'maximize', 'unmaximize'] as const) window.on(name as 'resize', keepSoon)
    window.on('close', keep)
    window.once('closed', () => clearTimeout(waiting))
  }
}

function workAreas(): Rectangle[] {
  return screen.getAllDisplays().map(({ workArea }) => workArea)
}
