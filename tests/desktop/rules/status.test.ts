import { expect, test } from 'vitest'
import { afterEvent, type AppStatus, isIdle, progressOf, unknownStatus } from '../../../electron/desktop/app-status.ts'
import {
  isPanelDark,
  statusPresentation,
  trayImage,
  type TrayItem,
  trayMenu,
  trayTooltip,
} from '../../../electron/desktop/tray-menu.ts'
import type { EventMessage } from '../../../shared/contract/events.ts'

const nowMs = new Date(2026, 6, 1, 12).getTime()
const at = (hours: number) => new Date(nowMs + hours * 3_600_000).toISOString()
const setUp = { ready: true } as AppStatus['setUp']
const idle: AppStatus = { ...unknownStatus, setUp, watch: { kind: 'idle', nextPollAt: at(1) } }
const syncProgress = {
  projectsDone: 1,
  projectsRead: 4,
  projectsTotal: 4,
  filesDone: 30,
  filesFailed: 10,
  filesTotal: 1200,
  bytesDownloaded: 1,
  elapsedMs: 1,
  budgetWaitMs: 0,
  timeLeft: null,
}
const syncing: AppStatus = { ...idle, watch: { kind: 'syncing', projects: 3 }, syncProgress }
const blocked = (obstacle: 'offline' | 'service' | 'token' | 'disk'): AppStatus => ({
  ...idle,
  watch: {
    kind: 'blocked',
    obstacle,
    code: obstacle === 'token' ? 'token-refused' : 'disk-full',
    message: 'No.',
    since: at(-1),
  },
})
const running = { kind: 'running', startedAt: at(0), order: { projectIds: null } } as const
const moving = { kind: 'running', startedAt: at(0), order: { from: '/a', to: '/b' } } as const
const unfinished = (isAtRest: boolean): AppStatus => ({
  ...idle,
  move: { kind: 'idle', last: null, unfinished: { from: '/a', to: '/b', archive: 'arrived', isAtRest } },
})

test.each<[string, AppStatus, string, string]>([
  ['has nothing to do', idle, 'idle', 'Watching for changes'],
  [
    'syncs only when asked',
    { ...idle, watch: { kind: 'idle', nextPollAt: null, onlyWhenAsked: true } },
    'idle',
    'Ready',
  ],
  ['syncs', syncing, 'syncing', 'Syncing'],
  ['syncs because a user asked for it while it was paused', { ...idle, sync: running }, 'syncing', 'Syncing'],
  ['is paused', { ...idle, watch: { kind: 'paused', until: null } }, 'paused', 'Paused'],
  ['is in its quiet hours', { ...idle, watch: { kind: 'quiet', until: at(3) } }, 'paused', 'Quiet hours'],
  ['is paused on battery', { ...idle, watch: { kind: 'battery' } }, 'paused', 'Paused on battery'],
  ['has no network', blocked('offline'), 'offline', 'Offline'],
  ['has a service in trouble', blocked('service'), 'offline', 'Service not responding'],
  ['has a refused token', blocked('token'), 'attention', 'Access token refused'],
  ['has no disk', blocked('disk'), 'attention', 'Archive folder problem'],
  ['has failed files', { ...idle, attention: 2 }, 'attention', 'Needs attention'],
  ['is not set up', { ...idle, setUp: { ready: false } as AppStatus['setUp'] }, 'attention', 'Not set up yet'],
  ['moves the archive', { ...idle, watch: { kind: 'stopped' }, move: moving }, 'syncing', 'Moving the archive'],
  ['waits for a move to be finished', unfinished(true), 'attention', 'Archive move not finished'],
  ['has only old files left of a move', unfinished(false), 'idle', 'Watching for changes'],
])('a Solarchive that %s shows it', (_what, status, icon, title) => {
  expect(statusPresentation(status, nowMs)).toMatchObject({ icon, title })
})

test('the tooltip counts files and problems, and shows the end of a pause', () => {
  const tooltip = (status: AppStatus, platform: NodeJS.Platform = 'linux') =>
    trayTooltip(statusPresentation(status, nowMs), status.attention, platform)
  const busy = { ...syncing, attention: 2 }
  expect(tooltip(busy, 'win32')).toBe('Solarchive: Syncing\n30 of 1,200 files\n2 problems to review')
  // Not on Linux, where a new tooltip replaces the menu, and would close it each second.
  expect(tooltip(busy)).toBe('Solarchive: Syncing\n2 problems to review')
  expect(tooltip({ ...idle, attention: 1 })).toBe('Solarchive: Needs attention\n1 problem to review')
  expect(tooltip({ ...idle, watch: { kind: 'paused', until: at(1) } })).toMatch(/^Solarchive: Paused\nUntil 1:00\sPM$/)
  expect(tooltip({ ...idle, watch: { kind: 'paused', until: at(20) } })).toMatch(/Until Thursday.* 8:00\sAM$/)
})

const labels = (items: readonly TrayItem[]): unknown[] =>
  items
    .filter((item) => item.kind !== 'separator')
    .map((item) => (item.kind === 'menu' ? [item.label, ...labels(item.items)] : item.label))

test('the menu of the tray offers the actions that are possible now', () => {
  const menu = (status: AppStatus) => labels(trayMenu(status, statusPresentation(status, nowMs)))
  const pauses = ['Pause', 'Pause for an hour', 'Pause until tomorrow', 'Pause until I resume']
  const ways = ['Open archive', 'Show Solarchive', 'Quit Solarchive']
  expect(menu(idle)).toEqual(['Watching for changes', 'Sync everything now', pauses, ...ways])
  expect(menu({ ...syncing, sync: running })).toEqual(['Syncing', 'Stop this sync', pauses, ...ways])
  const paused = menu({ ...idle, watch: { kind: 'paused', until: null } })
  expect(paused).toEqual(['Paused: Until you resume', 'Sync everything now', 'Resume syncing', ...ways])
  for (const only of [{ ...idle, move: moving }, unfinished(true)]) {
    expect(menu(only)).not.toContain('Sync everything now')
  }
  expect(menu(unfinished(false))).toEqual(menu(idle))
  const before = menu({ ...idle, setUp: { ready: false } as AppStatus['setUp'] })
  expect(before).toEqual(['Not set up yet', 'Show Solarchive', 'Quit Solarchive'])
})

test('the menu of the tray stays open while a sync or a move proceeds, and names what they wait for', () => {
  const note = (status: AppStatus) => labels(trayMenu(status, statusPresentation(status, nowMs)))[0]
  const menu = (status: AppStatus) => trayMenu(status, statusPresentation(status, nowMs))
  expect(menu({ ...syncing, syncProgress: { ...syncProgress, filesDone: 31 } })).toEqual(menu(syncing))
  const move: AppStatus = { ...idle, move: moving }
  const moveProgress = { phase: 'copying', filesDone: 1, filesTotal: 9, bytesDone: 30, bytesTotal: 40 } as const
  expect(menu({ ...move, moveProgress })).toEqual(menu({ ...move, moveProgress: { ...moveProgress, filesDone: 2 } }))
  expect(note({ ...move, moveProgress })).toBe('Moving the archive')
  expect(note(blocked('disk'))).toBe('Archive folder problem: Syncing waits')
  expect(note({ ...idle, attention: 2 })).toBe('Needs attention: 2 problems to review')
})

test('each panel gets the image that is visible on it', () => {
  const panel = { isDark: true, scaleFactor: 1 }
  expect(trayImage('paused', { ...panel, platform: 'darwin' })).toBe('tray/mac/pausedTemplate.png')
  expect(trayImage('idle', { ...panel, platform: 'win32' })).toBe('tray/windows/idle-on-dark.ico')
  expect(trayImage('idle', { ...panel, platform: 'linux' })).toBe('tray/linux/idle-on-dark-22.png')
  const sharp = { isDark: false, scaleFactor: 2, platform: 'linux' } as const
  expect(trayImage('offline', sharp)).toBe('tray/linux/offline-on-light-32.png')

  const hints = { platform: 'linux', env: {}, isAppDark: false, isSystemDark: undefined } as const
  expect(isPanelDark({ ...hints, env: { XDG_CURRENT_DESKTOP: 'ubuntu:GNOME' } })).toBe(true)
  expect(isPanelDark({ ...hints, env: { XDG_CURRENT_DESKTOP: 'KDE' } })).toBe(false)
  expect(isPanelDark({ ...hints, platform: 'win32', isSystemDark: true })).toBe(true)
})

test('the taskbar shows the progress of downloads, and nothing while there are none', () => {
  expect(progressOf(syncing)).toBeCloseTo(40 / 1200)
  expect(progressOf({ ...syncing, syncProgress: { ...syncProgress, filesTotal: 0 } })).toBeNull()
  const reading = { ...syncProgress, projectsRead: 4, projectsTotal: 2_000 }
  expect(progressOf({ ...syncing, syncProgress: reading })).toBeCloseTo(4 / 2_000)
  expect(progressOf({ ...idle, sync: running })).toBe('unknown')
  expect(progressOf(idle)).toBeNull()
  const verify = { kind: 'running', startedAt: at(0), order: { repair: false } } as const
  expect(progressOf({ ...idle, verify, verifyProgress: { filesDone: 1, filesTotal: 4 } })).toBe(0.25)
  const moveProgress = { phase: 'copying', filesDone: 0, filesTotal: 9, bytesDone: 30, bytesTotal: 40 } as const
  expect(progressOf({ ...idle, move: moving, moveProgress })).toBe(0.75)
})

test('progress is dropped once its activity has ended', () => {
  const event = (name: EventMessage['name'], value: unknown) => ({ name, value, revision: 1 }) as EventMessage
  const during = [
    event('watch-state', { kind: 'syncing', projects: 1 }),
    event('sync-progress', syncProgress),
    event('activity', { items: [], hasMore: false }),
  ].reduce(afterEvent, unknownStatus)
  expect(during.syncProgress).toEqual(syncProgress)
  const after = afterEvent(during, event('watch-state', { kind: 'idle', nextPollAt: null }))
  expect(after).toMatchObject({ syncProgress: undefined, watch: { kind: 'idle' } })
})

test('a restart waits for a sync, a verify, a move, a stamp, an export, and a packet, and for nothing else', () => {
  expect(isIdle(idle)).toBe(true)
  expect(isIdle({ ...idle, watch: { kind: 'paused', until: null } })).toBe(true)
  expect(isIdle(blocked('token'))).toBe(true)
  for (const busy of [syncing, { ...idle, sync: running }, { ...idle, move: moving }]) expect(isIdle(busy)).toBe(false)
  expect(isIdle({ ...idle, verify: { kind: 'running', startedAt: at(0), order: { repair: true } } })).toBe(false)
  expect(isIdle({ ...idle, evidence: { isStamping: true } })).toBe(false)
  const exporting = { kind: 'running', startedAt: at(0), order: { to: '/usb/x', format: 'folder' } } as const
  expect(isIdle({ ...idle, export: exporting })).toBe(false)
  const packing = { kind: 'running', startedAt: at(0), order: { to: '/usb/x', template: 'Permit' } } as const
  expect(isIdle({ ...idle, packet: packing })).toBe(false)
})
