import { countOf, countOfTotal } from '../../shared/format.ts'
import { blockerTitle, pauseLabels, syncLabels, watchText } from '../../shared/status-text.ts'
import { pauseLengths, type PauseLength } from '../../shared/watch.ts'
import { isSyncing, type AppStatus } from './app-status.ts'

/** Icons that the tray has images for. */
export type TrayIcon = 'idle' | 'syncing' | 'paused' | 'attention' | 'offline'

export interface StatusPresentation {
  readonly icon: TrayIcon
  /** Heading of a few words. */
  readonly title: string
  /** Amount or end of the state. */
  readonly detail: string | undefined
}

/** Returns the one thing to show: first what prevents work, then the work itself, then what needs attention. */
export function statusPresentation(status: AppStatus, nowMs: number): StatusPresentation {
  const { setUp, watch, move, moveProgress } = status
  if (setUp?.ready === false) return present('attention', 'Not set up yet')
  if (move.kind === 'running') return present('syncing', 'Moving the archive', filesOf(moveProgress))
  if (move.unfinished?.isAtRest === true) return present('attention', 'Archive move not finished')
  if (isSyncing(status)) return present('syncing', 'Syncing', filesOf(status.syncProgress))
  if (watch.kind === 'blocked') {
    const isRemote = watch.obstacle === 'offline' || watch.obstacle === 'service'
    return present(isRemote ? 'offline' : 'attention', blockerTitle(watch), 'Syncing waits')
  }
  const { title, detail } = watchText(watch, nowMs)
  if (watch.kind !== 'idle') return present('paused', title, detail)
  if (status.attention > 0) return present('attention', 'Needs attention', problemCount(status.attention))
  // The time of the next check would go stale: the tray is drawn when the status changes.
  return present('idle', title, watch.onlyWhenAsked === true ? detail : undefined)
}

function problemCount(count: number): string {
  return `${countOf(count, 'problem')} to review`
}

function filesOf(progress: { readonly filesDone: number; readonly filesTotal: number } | undefined) {
  if (progress === undefined || progress.filesTotal === 0) return undefined
  return countOfTotal(progress.filesDone, progress.filesTotal, 'file')
}

function present(icon: TrayIcon, title: string, detail?: string): StatusPresentation {
  return { icon, title, detail }
}

/** Returns the detail, but no count of files: a menu that is replaced each second can hardly be used. */
function lastingDetail({ icon, detail }: StatusPresentation): string | undefined {
  return icon === 'syncing' ? undefined : detail
}

/** Returns the tooltip. On Linux, a new one replaces the menu. Windows cuts off more than 127 characters. */
export function trayTooltip(presentation: StatusPresentation, attention: number, platform: NodeJS.Platform): string {
  const detail = platform === 'linux' ? lastingDetail(presentation) : presentation.detail
  const problems = attention > 0 ? problemCount(attention) : undefined
  const lines = new Set([`Solarchive: ${presentation.title}`, detail, problems].filter((line) => line !== undefined))
  return [...lines].join('\n').slice(0, 127)
}

export type TrayCommand =
  | { readonly kind: 'run' | 'stop' | 'resume' | 'open-archive' | 'show' | 'quit' }
  | { readonly kind: 'pause'; readonly length: PauseLength }

export type TrayItem =
  | { readonly kind: 'separator' }
  /** Text that cannot be chosen. */
  | { readonly kind: 'note'; readonly label: string }
  | { readonly kind: 'command'; readonly label: string; readonly command: TrayCommand }
  | { readonly kind: 'menu'; readonly label: string; readonly items: readonly TrayItem[] }

const separator: TrayItem = { kind: 'separator' }

/**
 * Returns the tray's menu: the status, what can be done about the sync now, and the ways to the archive and the window.
 */
export function trayMenu(status: AppStatus, presentation: StatusPresentation): readonly TrayItem[] {
  const { title } = presentation
  const detail = lastingDetail(presentation)
  const note: TrayItem = { kind: 'note', label: detail === undefined ? title : `${title}: ${detail}` }
  const appItems: readonly TrayItem[] = [
    command('Show Solarchive', { kind: 'show' }),
    separator,
    command('Quit Solarchive', { kind: 'quit' }),
  ]
  if (status.setUp?.ready !== true) return [note, separator, ...appItems]
  const archive = command('Open archive', { kind: 'open-archive' })
  return [note, separator, ...syncItems(status), separator, archive, ...appItems]
}

/** While the archive moves it is only read, so no sync is offered. */
function syncItems({ sync, watch, move }: AppStatus): readonly TrayItem[] {
  const isMoving = move.kind === 'running' || move.unfinished?.isAtRest === true
  const run =
    sync.kind === 'running' ? command(syncLabels.stop, { kind: 'stop' }) : command(syncLabels.run, { kind: 'run' })
  const pauses: TrayItem = {
    kind: 'menu',
    label: 'Pause',
    items: pauseLengths.map((length) => command(pauseLabels[length], { kind: 'pause', length })),
  }
  const resume = command(syncLabels.resume, { kind: 'resume' })
  return [...(isMoving ? [] : [run]), watch.kind === 'paused' ? resume : pauses]
}

function command(label: string, what: TrayCommand): TrayItem {
  return { kind: 'command', label, command: what }
}

/** Appearance of the panel that holds the tray. */
export interface TrayPanel {
  readonly platform: NodeJS.Platform
  readonly isDark: boolean
  /** Physical pixels per device-independent pixel. */
  readonly scaleFactor: number
}

/** Returns the path of an icon's image, relative to the resources folder, with `/`. */
export function trayImage(icon: TrayIcon, { platform, isDark, scaleFactor }: TrayPanel): string {
  // A template image: macOS colors it like the menu bar, and picks the @2x file beside it.
  if (platform === 'darwin') return `tray/mac/${icon}Template.png`
  const name = `${icon}-on-${isDark ? 'dark' : 'light'}`
  return platform === 'win32' ? `tray/windows/${name}.ico` : `tray/linux/${name}-${scaleFactor > 1 ? 32 : 22}.png`
}

export interface PanelHints {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  /** Color scheme of windows. */
  readonly isAppDark: boolean
  /** Color scheme of the taskbar; `undefined` if the system has no separate one. */
  readonly isSystemDark: boolean | undefined
}

/**
 * Returns true for a dark panel. GNOME's is always dark, as most of Linux; KDE's follows the color scheme of windows.
 */
export function isPanelDark({ platform, env, isAppDark, isSystemDark }: PanelHints): boolean {
  if (platform !== 'linux') return isSystemDark ?? isAppDark
  return !/\bKDE\b/.test(env['XDG_CURRENT_DESKTOP'] ?? '') || isAppDark
}
