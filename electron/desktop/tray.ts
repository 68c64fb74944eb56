import { Menu, type MenuItemConstructorOptions, nativeImage, nativeTheme, screen, Tray } from 'electron'
import { join } from 'node:path'
import type { Log } from '../engine/lib/ports.ts'
import { type AppStatus, unknownStatus } from './app-status.ts'
import { hasTrayHost } from './tray-host.ts'
import { isPanelDark, statusPresentation, trayImage, trayMenu, trayTooltip } from './tray-menu.ts'
import type { StatusPresentation, TrayCommand, TrayItem } from './tray-menu.ts'

export interface AppTrayDeps {
  /** Absolute path of the folder with `tray/`. */
  readonly resources: string
  /** Called when the user chooses an item of the menu. */
  readonly onCommand: (command: TrayCommand) => void
  readonly log: Log
}

/** Delays of further checks for a tray after the start: at login the app may start before the desktop's panel. */
const recheckMs = [5_000, 30_000, 120_000]

/** The app's icon in the system's tray, which brings back a closed window. */
export class AppTray {
  readonly #deps: AppTrayDeps
  #tray: Tray | undefined
  /** True if the desktop showed tray icons when the tray was created. */
  #isShown = false
  #status: AppStatus = unknownStatus
  #drawn = { image: '', tooltip: '', menu: '' }
  readonly #timers: NodeJS.Timeout[]
  readonly #redraw = () => this.#draw()

  constructor(deps: AppTrayDeps) {
    this.#deps = deps
    this.#create()
    void this.isShown()
    this.#timers = recheckMs.map((delayMs) => setTimeout(() => void this.isShown(), delayMs))
    nativeTheme.on('updated', this.#redraw)
  }

  /**
   * Resolves to true if the desktop shows the tray now; asked each time, because desktop shells restart. Never rejects.
   */
  async isShown(): Promise<boolean> {
    const isShown = await hasTrayHost(process)
    // A tray created while nothing shows it never appears.
    if (isShown && !this.#isShown && process.platform === 'linux') this.#create()
    this.#isShown = isShown
    return isShown && this.#tray !== undefined
  }

  update(status: AppStatus): void {
    this.#status = status
    this.#draw()
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    nativeTheme.off('updated', this.#redraw)
    this.#tray?.destroy()
    this.#tray = undefined
  }

  #create(): void {
    this.#tray?.destroy()
    this.#drawn = { image: '', tooltip: '', menu: '' }
    try {
      const presentation = statusPresentation(this.#status, Date.now())
      this.#tray = new Tray(nativeImage.createFromPath(this.#imagePath(presentation)))
    } catch (cause) {
      this.#tray = undefined
      this.#deps.log.warn('The tray icon could not be created', { cause })
      return
    }
    // On macOS a click opens the menu.
    if (process.platform !== 'darwin') this.#tray.on('click', () => this.#deps.onCommand({ kind: 'show' }))
    this.#draw()
  }

  /** Sets only what changed: a new menu would close one that is open. */
  #draw(): void {
    const tray = this.#tray
    if (tray === undefined) return
    const presentation = statusPresentation(this.#status, Date.now())
    const items = trayMenu(this.#status, presentation)
    const next = {
      image: this.#imagePath(presentation),
      tooltip: trayTooltip(presentation, this.#status.attention, process.platform),
      menu: JSON.stringify(items),
    }
    if (next.image !== this.#drawn.image) tray.setImage(nativeImage.createFromPath(next.image))
    if (next.tooltip !== this.#drawn.tooltip) tray.setToolTip(next.tooltip)
    if (next.menu !== this.#drawn.menu) {
      tray.setContextMenu(Menu.buildFromTemplate(items.map((item) => this.#menuItem(item))))
    }
    this.#drawn = next
  }

  #menuItem(item: TrayItem): MenuItemConstructorOptions {
    switch (item.kind) {
      case 'separator':
        return { type: 'separator' }
      case 'note':
        return { label: item.label, enabled: false }
      case 'menu':
        return { label: item.label, submenu: item.items.map((inner) => this.#menuItem(inner)) }
      case 'command':
        return { label: item.label, click: () => this.#deps.onCommand(item.command) }
    }
  }

  #imagePath({ icon }: StatusPresentation): string {
    const { platform, env } = process
    const isDark = isPanelDark({
      platform,
      env,
      isAppDark: nativeTheme.shouldUseDarkColors,
      isSystemDark: platform === 'win32' ? nativeTheme.shouldUseDarkColorsForSystemIntegratedUI : undefined,
    })
    const { scaleFactor } = screen.getPrimaryDisplay()
    return join(this.#deps.resources, ...trayImage(icon, { platform, isDark, scaleFactor }).split('/'))
  }
}
