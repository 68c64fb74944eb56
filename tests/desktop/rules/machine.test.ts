import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runsOnBattery } from '../../../electron/desktop/battery.ts'
import { appMenu, pageMenu, textMenu } from '../../../electron/desktop/menu.ts'
import {
  areTurnedOff,
  autostartEntry,
  execArgument,
  installedProgram,
  isEntryOf,
  isEntryOn,
  isUpdatable,
} from '../../../electron/desktop/startup.ts'
import { hasTrayHost, isTrue } from '../../../electron/desktop/tray-host.ts'
import { cloneFolder } from '../../headless/run-solarchive.ts'

test('an autostart entry is valid whatever the name of the program’s folder', () => {
  expect(autostartEntry('/opt/Solarchive/solarchive')).toContain('\nExec="/opt/Solarchive/solarchive" --hidden\n')
  expect(autostartEntry('/opt/app', '/mnt/my data')).toContain(
    '\nExec=env "SOLARCHIVE_HOME=/mnt/my data" "/opt/app" --hidden\n',
  )
  // A backslash of the shell's quoting is two in the file; a percent sign starts a field code.
  expect(execArgument('/a b/$x`"\\ 100%')).toBe('"/a b/\\\\$x\\\\`\\\\"\\\\\\\\ 100%%"')
  // A line break in a folder's name would start another key.
  expect(autostartEntry('/a\nHidden=true\r/app')).toContain('\nExec="/a\\nHidden=true\\r/app" --hidden\n')
  expect(isEntryOn(autostartEntry('/a\nHidden=true\n/app'))).toBe(true)
  expect(isEntryOn(autostartEntry('/opt/solarchive'))).toBe(true)
  expect(isEntryOn(`${autostartEntry('/opt/solarchive')}Hidden=true\n`)).toBe(false)
  expect(isEntryOn('[Desktop Entry]\nX-GNOME-Autostart-enabled=false')).toBe(false)
})

test('an autostart entry belongs to the program that it starts, whatever options a user added', () => {
  const entry = autostartEntry('/opt/Solarchive-0.1.0.AppImage')
  expect(isEntryOf('/opt/Solarchive-0.1.0.AppImage', entry)).toBe(true)
  expect(isEntryOf('/opt/Solarchive-0.1.0.AppImage', entry.replace('--hidden', '--hidden --force-dark-mode'))).toBe(
    true,
  )
  expect(isEntryOf('/opt/Solarchive-0.2.0.AppImage', entry)).toBe(false)
})

test('the installed program starts at login, and never a clone', () => {
  const hints = { env: {}, execPath: '/opt/Solarchive/solarchive', isPackaged: true }
  expect(installedProgram(hints)).toBe('/opt/Solarchive/solarchive')
  expect(installedProgram({ ...hints, isPackaged: false })).toBeUndefined()
  const image = { APPIMAGE: '/home/me/Solarchive.AppImage', APPDIR: '/tmp/.mount_Solar1' }
  expect(installedProgram({ ...hints, env: image, execPath: '/tmp/.mount_Solar1/solarchive' })).toBe(image.APPIMAGE)
  // Started from the terminal of an editor that is an AppImage itself.
  expect(installedProgram({ ...hints, env: image })).toBe(hints.execPath)
  expect(installedProgram({ ...hints, env: image, isPackaged: false })).toBeUndefined()
  const portable = { PORTABLE_EXECUTABLE_FILE: 'D:\\Solarchive.exe' }
  expect(installedProgram({ ...hints, env: portable })).toBe('D:\\Solarchive.exe')
})

test('the windows of the installed app belong to its desktop entry, which is named after its program', () => {
  const read = (name: string) => readFileSync(join(cloneFolder, name), 'utf8')
  const { desktopName } = JSON.parse(read('package.json')) as { readonly desktopName?: string }
  const [, program] = /^linux:\n {2}executableName: (.+)$/m.exec(read('electron-builder.yml')) ?? []
  expect(desktopName).toBe(`${program}.desktop`)
})

test('an app whose only entries are turned off in the Task Manager does not start at login', () => {
  const [on, off] = [{ enabled: true }, { enabled: false }]
  expect([[off], [off, off]].every(areTurnedOff)).toBe(true)
  expect([[], [on], [off, on]].some(areTurnedOff)).toBe(false)
})

test('an app that was packaged with an update address is updated, but not the portable program', () => {
  const hints = { env: {}, isPackaged: true, hasUpdateAddress: true }
  expect(isUpdatable(hints)).toBe(true)
  expect(isUpdatable({ ...hints, hasUpdateAddress: false })).toBe(false)
  expect(isUpdatable({ ...hints, isPackaged: false })).toBe(false)
  expect(isUpdatable({ ...hints, env: { PORTABLE_EXECUTABLE_FILE: 'D:\\Solarchive.exe' } })).toBe(false)
})

test('a Linux laptop runs on its battery while that discharges and the laptop is not plugged in', () => {
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-power-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const supply = (name: string, attributes: Readonly<Record<string, string>>) => {
    mkdirSync(join(folder, name), { recursive: true })
    for (const [attribute, value] of Object.entries(attributes)) {
      writeFileSync(join(folder, name, attribute), `${value}\n`)
    }
  }
  expect(runsOnBattery(join(folder, 'none'))).toBe(false)
  supply('hidpp_battery_0', { type: 'Battery', scope: 'Device', status: 'Discharging' })
  expect(runsOnBattery(folder)).toBe(false)
  supply('AC', { type: 'Mains', online: '0' })
  supply('BAT0', { type: 'Battery', status: 'Discharging' })
  expect(runsOnBattery(folder)).toBe(true)
  supply('BAT0', { scope: 'System' })
  expect(runsOnBattery(folder)).toBe(true)
  // Under load, a battery discharges also while the machine is plugged in.
  supply('AC', { online: '1' })
  expect(runsOnBattery(folder)).toBe(false)
  supply('BAT0', { status: 'Not charging' })
  expect(runsOnBattery(folder)).toBe(false)
  // Many machines that are charged over USB-C have no supply of type Mains.
  rmSync(join(folder, 'AC'), { recursive: true })
  supply('BAT1', { type: 'Battery', status: 'Discharging' })
  expect(runsOnBattery(folder)).toBe(true)
  supply('ucsi', { type: 'USB', online: '2' })
  expect(runsOnBattery(folder)).toBe(false)
  supply('ucsi', { online: '0' })
  supply('tablet', { type: 'Mains', scope: 'Device', online: '1' })
  expect(runsOnBattery(folder)).toBe(true)
  supply('BAT1', { status: 'Charging' })
  expect(runsOnBattery(folder)).toBe(false)
})

test('a desktop whose message bus reports no tray has none', async () => {
  expect(['(<true>,)', '   variant       boolean true\n', 'b true\n'].every(isTrue)).toBe(true)
  expect(['(<false>,)', '   variant       boolean false\n', 'b false\n', ''].some(isTrue)).toBe(false)
  expect(await hasTrayHost({ platform: 'linux', env: {} })).toBe(false)
  expect(await hasTrayHost({ platform: 'darwin', env: {} })).toBe(true)
})

test('each platform has its usual menus', () => {
  const nothing = () => undefined
  const menuOf = (platform: NodeJS.Platform, isPackaged = true) =>
    appMenu(
      { platform, isPackaged },
      { open: nothing, run: nothing, openArchive: nothing, openLogs: nothing, saveBundle: nothing, quit: nothing },
    )
  const titles = (platform: NodeJS.Platform) => menuOf(platform).map(({ label, role }) => label ?? role)
  expect(titles('darwin')).toEqual(['Solarchive', 'File', 'editMenu', 'View', 'Go', 'windowMenu', 'Help'])
  expect(titles('win32')).toEqual(['&File', '&Edit', '&View', '&Go', '&Help'])
  expect(titles('linux')).toEqual(titles('win32'))

  const items = (platform: NodeJS.Platform, isPackaged = true) =>
    menuOf(platform, isPackaged).flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
  for (const platform of ['darwin', 'win32', 'linux'] as const) {
    expect(items(platform)).toContainEqual(
      expect.objectContaining({ label: 'Settings…', accelerator: 'CommandOrControl+,' }),
    )
    const labels = items(platform).map(({ label }) => label)
    expect(labels).toEqual(expect.arrayContaining(['New Order', 'Projects', 'About Solarchive', 'Third-Party Notices']))
    expect(labels).toEqual(expect.arrayContaining(['Export…', 'Search…', 'Settings']))
    expect(labels).toEqual(expect.arrayContaining(['Create Support Bundle…', 'Open Logs Folder', 'Actual Size']))
    expect(items(platform).some(({ role }) => role === 'toggleDevTools' || role === 'reload')).toBe(false)
    expect(items(platform, false).some(({ role }) => role === 'toggleDevTools')).toBe(true)
  }
  expect(items('darwin').some(({ role }) => role === 'quit')).toBe(true)
  expect(items('linux')).toContainEqual(expect.objectContaining({ label: '&Quit', accelerator: 'CommandOrControl+Q' }))
})

test('fields have the usual context menu, selected text can be copied, and elsewhere the page has menus', () => {
  const editFlags = {
    canUndo: false,
    canRedo: false,
    canCut: true,
    canCopy: true,
    canPaste: true,
    canDelete: true,
    canSelectAll: true,
    canEditRichly: false,
  }
  const roles = (isEditable: boolean, selectionText: string) =>
    textMenu({ isEditable, editFlags, selectionText }).flatMap(({ role, enabled }) => (enabled === true ? [role] : []))
  expect(roles(true, '')).toEqual(['cut', 'copy', 'paste', 'delete', 'selectAll'])
  expect(roles(false, 'an address')).toEqual(['copy'])
  expect(roles(false, ' ')).toEqual([])
})

test('a menu of the page reports the index of the chosen item, and its labels are plain text', () => {
  const chosen: number[] = []
  const open = { label: 'Open', isEnabled: true }
  const groups = [[open], [{ label: 'Cut & paste', isEnabled: false }, open]]
  const items = pageMenu({ groups }, (index) => chosen.push(index))
  expect(items.map(({ type, label, enabled }) => type ?? [label, enabled])).toEqual([
    ['Open', true],
    'separator',
    ['Cut && paste', false],
    ['Open', true],
  ])
  for (const { click } of items) (click as (() => void) | undefined)?.()
  expect(chosen).toEqual([0, 1, 2])
})
