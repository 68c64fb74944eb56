import type { TraySign } from '../status/status-words.ts'

/** What the panel with the tray looks like, as far as the system tells. */
export interface TrayPanel {
  readonly platform: NodeJS.Platform
  readonly isDark: boolean
  /** Physical pixels of a pixel. */
  readonly scaleFactor: number
}

/** The image of a sign, relative to the resources folder, with `/`. */
export function trayImage(sign: TraySign, { platform, isDark, scaleFactor }: TrayPanel): string {
  // A template: macOS colours it as the menu bar is, and takes the one with @2x beside it by itself.
  if (platform === 'darwin') return `tray/mac/${sign}Template.png`
  const name = `${sign}-on-${isDark ? 'dark' : 'light'}`
  return platform === 'win32' ? `tray/windows/${name}.ico` : `tray/linux/${name}-${scaleFactor > 1 ? 32 : 22}.png`
}

export interface PanelHints {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  /** Of the windows of programs. */
  readonly isAppDark: boolean
  /** Of the taskbar, where the system tells it apart; undefined: it does not. */
  readonly isSystemDark: boolean | undefined
}

/** Whether the panel is dark. GNOME's, and most others of Linux, are so whatever the windows are; KDE's follows its colours. */
export function isPanelDark({ platform, env, isAppDark, isSystemDark }: PanelHints): boolean {
  if (platform !== 'linux') return isSystemDark ?? isAppDark
  return !/\bKDE\b/.test(env['XDG_CURRENT_DESKTOP'] ?? '') || isAppDark
}
