import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { withholdToken } from '../../electron/app/child-environment.ts'
import { desktopOf, openCommand, showCommand } from '../../electron/headless/system-programs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/watching.ts'

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

test.runIf(process.platform === 'linux')('the file manager is started without the access token', async () => {
  const folder = temporaryFolder()
  const program = join(folder, 'xdg-open')
  writeFileSync(program, '#!/bin/sh\nenv > "$1.partial"\nmv "$1.partial" "$1"\n')
  chmodSync(program, 0o755)
  const path = [folder, process.env['PATH']].join(delimiter)
  const env = { PATH: path, DISPLAY: ':0', SOLARCHIVE_TOKEN: 'canary-token', SOLARCHIVE_HOME: folder }
  const read = () => {
    try {
      return readFileSync(join(folder, 'seen'), 'utf8')
    } catch {
      return ''
    }
  }
  await desktopOf({ env, platform: 'linux', host: '127.0.0.1' })?.openFile(join(folder, 'seen'))
  await until('the program has run', () => read() !== '')
  expect(read()).toContain(`SOLARCHIVE_HOME=${folder}`)
  expect(read()).not.toContain('canary-token')
})

test('the token is taken from the environment that other programs inherit, and put back for a restart', () => {
  const env: NodeJS.ProcessEnv = { PATH: '/bin', SOLARCHIVE_TOKEN: 'canary-token' }
  const { before, restore } = withholdToken(env, 'linux')
  expect(env).toEqual({ PATH: '/bin' })
  expect(before).toEqual({ PATH: '/bin', SOLARCHIVE_TOKEN: 'canary-token' })
  restore()
  expect(env).toEqual({ PATH: '/bin', SOLARCHIVE_TOKEN: 'canary-token' })
  expect(withholdToken({ Path: 'C:' }, 'win32').before).toEqual({ PATH: 'C:' })
})
