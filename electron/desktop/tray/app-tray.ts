import { Menu, type MenuItemConstructorOptions, nativeImage, nativeTheme, screen, Tray } from 'electron'
import { join } from 'node:path'
import type { Log } from '../../engine/lib/ports.ts'
import { type AppStatus, unknownStatus } from '../status/app-status.ts'
import { lookOf, type StatusLook } from '../status/status-words.ts'
import { hasTrayHost } from './tray-host.ts'
import { isPanelDark, trayImage } from './tray-image.ts'
import { type TrayCommand, type TrayItem, trayMenu, trayTooltip } from './tray-menu.ts'

export interface AppTrayParts {
  /** Absolute path of the folder with `tray/`. */
  readonly resources: string
  readonly onCommand: (command: TrayCommand) => void
  readonly log: Log
}

/** Started at login, the app may be there before what shows its tray. */
const laterMs = [5_000, 30_000, 120_000]

/** The sign in the system's tray, by which a window that was closed is found again. */
export class AppTray {
  readonly #parts: AppTrayParts
  #tray: Tray | undefined
  /** Whether something showed it when it was made. */
  #isShown = false
  #status: AppStatus = unknownStatus
  #drawn = { image: '', tooltip: '', menu: '' }
  readonly #timers: NodeJS.Timeout[]
  readonly #redraw = () => this.#draw()

  constructor(parts: AppTrayParts) {
    this.#parts = parts
    this.#make()
    void this.isThere()
    this.#timers = laterMs.map((delayMs) => setTimeout(() => void this.isThere(), delayMs))
    nativeTheme.on('updated', this.#redraw)
  }

  /** Whether the desktop shows it now: asked anew each time, because shells come and go. Never rejects. */
  async isThere(): Promise<boolean> {
    const isShown = await hasTrayHost(process)
    // One that was made when nothing showed it never will be shown.
    if (isShown && !this.#isShown && process.platform === 'linux') this.#make()
    this.#isShown = isShown
    return isShown && this.#tray !== undefined
  }

  tell(status: AppStatus): void {
    this.#status = status
    this.#draw()
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    nativeTheme.off('updated', this.#redraw)
    this.#tray?.destroy()
    this.#tray = undefined
  }

  #make(): void {
    this.#tray?.destroy()
    this.#drawn = { image: '', tooltip: '', menu: '' }
    try {
      this.#tray = new Tray(nativeImage.createFromPath(this.#imagePath(lookOf(this.#status, Date.now()))))
    } catch (cause) {
      this.#tray = undefined
      this.#parts.log.warn('The sign in the tray could not be made', { cause })
      return
    }
    // On macOS a click opens the menu.
    if (process.platform !== 'darwin') this.#tray.on('click', () => this.#parts.onCommand({ kind: 'show' }))
    this.#draw()
  }

  /** Only what has changed: a menu that is open is closed by a new one. */
  #draw(): void {
    const tray = this.#tray
    if (tray === undefined) return
    const look = lookOf(this.#status, Date.now())
    const items = trayMenu(this.#status, look)
    const next = {
      image: this.#imagePath(look),
      tooltip: trayTooltip(look, this.#status.attention),
      menu: JSON.stringify(items),
    }
    if (next.image !== this.#drawn.image) tray.setImage(nativeImage.createFromPath(next.image))
    if (next.tooltip !== this.#drawn.tooltip) tray.setToolTip(next.tooltip)
    if (next.menu !== this.#drawn.menu)
      tray.setContextMenu(Menu.buildFromTemplate(items.map((item) => this.#item(item))))
    this.#drawn = next
  }

  #item(item: TrayItem): MenuItemConstructorOptions {
    switch (item.kind) {
      case 'separator':
        return { type: 'separator' }
      case 'note':
        return { label: item.label, enabled: false }
      case 'menu':
        return { label: item.label, submenu: item.items.map((inner) => this.#item(inner)) }
      case 'command':
        return { label: item.label, click: () => this.#parts.onCommand(item.command) }
    }
  }

  #imagePath({ sign }: StatusLook): string {
    const { platform, env } = process
    const isDark = isPanelDark({
      ...{ platform, env, isAppDark: nativeTheme.shouldUseDarkColors },
      isSystemDark: platform === 'win32' ? nativeTheme.shouldUseDarkColorsForSystemIntegratedUI : undefined,
    })
    const { scaleFactor } = screen.getPrimaryDisplay()
    return join(this.#parts.resources, ...trayImage(sign, { platform, isDark, scaleFactor }).split('/'))
  }
}
