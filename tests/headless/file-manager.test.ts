import { expect, test } from 'vitest'
import { desktopOf, openCommand, showCommand } from '../../electron/headless/system-programs.ts'

test('the file manager is offered only to a browser on this machine, and only with a display', () => {
  const isOffered = (platform: NodeJS.Platform, host: string, env: Record<string, string> = {}) =>
    desktopOf({ env, platform, host }) !== undefined
  expect(isOffered('darwin', '127.0.0.1')).toBe(true)
  expect(isOffered('win32', 'LOCALHOST')).toBe(true)
  expect(isOffered('linux', '::1', { WAYLAND_DISPLAY: 'wayland-0' })).toBe(true)
  expect(isOffered('linux', '127.0.0.1', { DISPLAY: ':0' })).toBe(true)
  expect(isOffered('linux', '127.0.0.1')).toBe(false)
  expect(isOffered('linux', '127.0.0.1', { DISPLAY: ':10', SSH_CONNECTION: 'from elsewhere' })).toBe(false)
  for (const host of ['0.0.0.0', '::', '192.168.1.7', 'nas.local']) expect(isOffered('darwin', host), host).toBe(false)
})

test('a path is one argument, whatever its name', () => {
  const path = '/archive/-rf $(x) "y" & z/photo.jpg'
  expect(showCommand('darwin', path)).toEqual({ program: 'open', args: ['-R', path] })
  expect(showCommand('linux', path)).toEqual({ program: 'xdg-open', args: ['/archive/-rf $(x) "y" & z'] })
  expect(openCommand('linux', path)).toEqual({ program: 'xdg-open', args: [path] })
  const windows = 'C:\\Archive\\a, b\\photo.jpg'
  expect(showCommand('win32', windows)).toEqual({
    program: 'explorer.exe',
    args: ['/select,"C:\\Archive\\a, b\\photo.jpg"'],
    verbatim: true,
  })
})
