import type { ContextMenuParams, MenuItemConstructorOptions } from 'electron'
import type { NativeMenu } from '../../shared/contract/calls.ts'

export interface MenuActions {
  /** Brings the window to the front, at a view of the app. */
  readonly open: (view: MenuView) => void
  /** Runs a command on the page that is open. */
  readonly run: (command: MenuCommand) => void
  readonly openArchive: () => void
  readonly openLogs: () => void
  readonly saveBundle: () => void
  readonly quit: () => void
}

/** Paths of the app that the menu leads to. */
export type MenuView =
  | '/'
  | '/projects'
  | '/projects?add'
  | '/orders'
  | '/orders/new'
  | '/attention'
  | '/activity'
  | '/settings'
  | '/settings?section=about'
  | '/settings?section=about&notices'

/** Commands that the page runs; see `renderer/ui/page-commands.ts`. */
export type MenuCommand = 'search' | 'export'

export interface MenuOptions {
  readonly platform: NodeJS.Platform
  /** False in a clone, whose menu has the developer tools. */
  readonly isPackaged: boolean
}

const separator: MenuItemConstructorOptions = { type: 'separator' }

/** Returns the app's menu in the platform's form: at the top of the screen on macOS, in the window elsewhere. */
export function appMenu(options: MenuOptions, actions: MenuActions): MenuItemConstructorOptions[] {
  return options.platform === 'darwin' ? macMenu(options, actions) : windowMenu(options, actions)
}

function macMenu(options: MenuOptions, actions: MenuActions): MenuItemConstructorOptions[] {
  const appItems: MenuItemConstructorOptions[] = [
    about(actions),
    separator,
    settings(actions),
    separator,
    { role: 'services' },
    separator,
    { role: 'hide' },
    { role: 'hideOthers' },
    { role: 'unhide' },
    separator,
    { role: 'quit' },
  ]
  return [
    { label: 'Solarchive', submenu: appItems },
    { label: 'File', submenu: [...file(actions), separator, { role: 'close' }] },
    { role: 'editMenu' },
    { label: 'View', submenu: view(options) },
    { label: 'Go', submenu: go(actions) },
    { role: 'windowMenu' },
    { role: 'help', label: 'Help', submenu: support(actions) },
  ]
}

function windowMenu(options: MenuOptions, actions: MenuActions): MenuItemConstructorOptions[] {
  const quit = { label: '&Quit', accelerator: 'CommandOrControl+Q', click: () => actions.quit() }
  const closing = [separator, settings(actions), separator, { role: 'close', label: '&Close Window' }, quit] as const
  return [
    { label: '&File', submenu: [...file(actions), ...closing] },
    { role: 'editMenu', label: '&Edit' },
    { label: '&View', submenu: view(options) },
    { label: '&Go', submenu: go(actions) },
    { label: '&Help', submenu: [...support(actions), separator, about(actions)] },
  ]
}

function file(actions: MenuActions): MenuItemConstructorOptions[] {
  return [
    { label: 'New Order', accelerator: 'CommandOrControl+N', click: () => actions.open('/orders/new') },
    { label: 'Add Projects…', click: () => actions.open('/projects?add') },
    { label: 'Export…', click: () => actions.run('export') },
    separator,
    { label: 'Open Archive Folder', accelerator: 'CommandOrControl+Shift+O', click: () => actions.openArchive() },
  ]
}

function view({ isPackaged }: MenuOptions): MenuItemConstructorOptions[] {
  const developerItems = [separator, { role: 'reload' }, { role: 'toggleDevTools' }] as const
  return [
    { role: 'resetZoom', label: 'Actual Size' },
    { role: 'zoomIn' },
    // The plus sign needs Shift on many keyboards.
    { role: 'zoomIn', accelerator: 'CommandOrControl+=', visible: false, acceleratorWorksWhenHidden: true },
    { role: 'zoomOut' },
    separator,
    { role: 'togglefullscreen' },
    ...(isPackaged ? [] : developerItems),
  ]
}

function go(actions: MenuActions): MenuItemConstructorOptions[] {
  const views = [
    ['Overview', '/'],
    ['Projects', '/projects'],
    ['Orders', '/orders'],
    ['Attention', '/attention'],
    ['Activity', '/activity'],
    ['Settings', '/settings'],
  ] as const
  return [
    { label: 'Search…', click: () => actions.run('search') },
    separator,
    ...views.map(([label, path], index) => ({
      label,
      accelerator: `CommandOrControl+${index + 1}`,
      click: () => actions.open(path),
    })),
  ]
}

function support(actions: MenuActions): MenuItemConstructorOptions[] {
  return [
    { label: 'Create Support Bundle…', click: () => actions.saveBundle() },
    { label: 'Open Logs Folder', click: () => actions.openLogs() },
    { label: 'Third-Party Notices', click: () => actions.open('/settings?section=about&notices') },
  ]
}

function about(actions: MenuActions): MenuItemConstructorOptions {
  return { label: 'About Solarchive', click: () => actions.open('/settings?section=about') }
}

function settings(actions: MenuActions): MenuItemConstructorOptions {
  return { label: 'Settings…', accelerator: 'CommandOrControl+,', click: () => actions.open('/settings') }
}

/** Returns the context menu of a text field or of selected text; empty elsewhere, where the page has menus. */
export function textMenu({
  isEditable,
  editFlags,
  selectionText,
}: Pick<ContextMenuParams, 'isEditable' | 'editFlags' | 'selectionText'>): MenuItemConstructorOptions[] {
  const copy: MenuItemConstructorOptions = { role: 'copy', enabled: editFlags.canCopy }
  if (!isEditable) return selectionText.trim() === '' ? [] : [copy]
  return [
    { role: 'undo', enabled: editFlags.canUndo },
    { role: 'redo', enabled: editFlags.canRedo },
    separator,
    { role: 'cut', enabled: editFlags.canCut },
    copy,
    { role: 'paste', enabled: editFlags.canPaste },
    { role: 'delete', enabled: editFlags.canDelete },
    separator,
    { role: 'selectAll', enabled: editFlags.canSelectAll },
  ]
}

/** Returns a menu that the page asked for. `choose` is called with the index of the chosen item among all items. */
export function pageMenu(
  { groups }: Pick<NativeMenu, 'groups'>,
  choose: (index: number) => void,
): MenuItemConstructorOptions[] {
  let next = 0
  return groups.flatMap((items, group) => [
    ...(group === 0 ? [] : [separator]),
    ...items.map(({ label, isEnabled }) => {
      const index = next++
      // An ampersand marks the letter to press.
      return { label: label.replaceAll('&', '&&'), enabled: isEnabled, click: () => choose(index) }
    }),
  ])
}
