import type { MenuItemConstructorOptions } from 'electron'

export interface MenuActions {
  /** Brings the window to the front, at a view of the app. */
  readonly open: (view: '/' | '/settings' | '/settings?section=about') => void
  readonly openArchive: () => void
  readonly quit: () => void
}

export interface MenuOptions {
  readonly platform: NodeJS.Platform
  /** False in a clone, whose menu has the developer tools. */
  readonly isPackaged: boolean
}

const separator: MenuItemConstructorOptions = { type: 'separator' }

/** Returns the app's menu in the platform's form: at the top of the screen on macOS, behind Alt elsewhere. */
export function appMenu(options: MenuOptions, actions: MenuActions): MenuItemConstructorOptions[] {
  return options.platform === 'darwin' ? macMenu(options, actions) : windowMenu(options, actions)
}

function macMenu(options: MenuOptions, actions: MenuActions): MenuItemConstructorOptions[] {
  const appItems: MenuItemConstructorOptions[] = [
    ...([about(actions), separator, settings(actions), separator, { role: 'services' }, separator] as const),
    ...([{ role: 'hide' }, { role: 'hideOthers' }, { role: 'unhide' }, separator, { role: 'quit' }] as const),
  ]
  return [
    { label: 'Solarchive', submenu: appItems },
    { label: 'File', submenu: [openArchive(actions), separator, { role: 'close' }] },
    { role: 'editMenu' },
    view(options),
    { role: 'windowMenu' },
  ]
}

function windowMenu(options: MenuOptions, actions: MenuActions): MenuItemConstructorOptions[] {
  const quit = { label: 'Quit', accelerator: 'CommandOrControl+Q', click: () => actions.quit() }
  return [
    {
      label: '&File',
      submenu: [openArchive(actions), separator, settings(actions), separator, { role: 'close' }, quit],
    },
    { role: 'editMenu', label: '&Edit' },
    { ...view(options), label: '&View' },
    { label: '&Help', submenu: [about(actions)] },
  ]
}

function about(actions: MenuActions): MenuItemConstructorOptions {
  return { label: 'About Solarchive', click: () => actions.open('/settings?section=about') }
}

function settings(actions: MenuActions): MenuItemConstructorOptions {
  return { label: 'Settings…', accelerator: 'CommandOrControl+,', click: () => actions.open('/settings') }
}

function openArchive(actions: MenuActions): MenuItemConstructorOptions {
  return { label: 'Open Archive Folder', accelerator: 'CommandOrControl+Shift+O', click: () => actions.openArchive() }
}

function view({ isPackaged }: MenuOptions): MenuItemConstructorOptions {
  const developerItems: MenuItemConstructorOptions[] = isPackaged
    ? []
    : [separator, { role: 'reload' }, { role: 'toggleDevTools' }]
  return {
    label: 'View',
    submenu: [
      ...([{ role: 'resetZoom' }, { role: 'zoomIn' }, { role: 'zoomOut' }, separator] as const),
      { role: 'togglefullscreen' },
      ...developerItems,
    ],
  }
}
