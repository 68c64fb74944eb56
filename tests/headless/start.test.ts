import { chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { buildPages } from '../../electron/headless/build-pages.ts'
import { canOpenBrowser } from '../../electron/headless/system-programs.ts'
import { buildRenderer } from '../e2e/support/built-renderer.ts'
import { readFiles } from '../support/sample-archive.ts'
import { openSession } from '../support/browser-session.ts'
import { until } from '../support/watching.ts'
import { start } from '../../electron/headless/start.ts'
import { startInProcess } from '../support/run-main.ts'
import { cloneFolder, longLimits, startSolarchive } from './run-solarchive.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// "npm start" builds the app if needed; other test files may build it at the same time.
beforeAll(() => buildRenderer())

const none = { kind: 'absent', why: 'None is wanted here.' } as const

/** `npm start` with its data in the folder. */
function starting(folder: string, env: NodeJS.ProcessEnv = {}, args: readonly string[] = []) {
  const sampleFolder = join(folder, 'sample')
  const started = startInProcess((io) => start(args, io, { sampleFolder, electron: none }), { env })
  return { ...started, address: () => addressIn(started.printed.stdout) }
}

/** `npm start` in a new process. */
function startingProcess(folder: string) {
  const module = (name: string) => JSON.stringify(pathToFileURL(join(cloneFolder, 'electron', 'headless', name)).href)
  const script = join(folder, 'start.mjs')
  const options = JSON.stringify({ sampleFolder: join(folder, 'sample'), electron: none })
  writeFileSync(
    script,
    `import { start } from ${module('start.ts')}
     import { runProcess } from ${module('run-process.ts')}
     await runProcess((io) => start([], io, ${options}))`,
  )
  const started = startSolarchive([], { script, nodeArgs: ['-r', longLimits] })
  return { ...started, address: () => addressIn(started.printed.stdout) }
}

const addressIn = (stdout: string) => /http:\/\/127\.0\.0\.1:\d+\/open\/[\w-]+/.exec(stdout)?.[0]

test('the first steps show the app on the sample service, archive it, and end with 0 on Ctrl+C', async () => {
  const folder = temporaryFolder()
  const { address, child, ended } = startingProcess(folder)
  await until('the address is printed', () => address() !== undefined || child.exitCode !== null)
  const session = await openSession(address() ?? '')
  const page = await fetch(new URL('/', address()), { headers: session.headers })
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="app">')])
  const headers = { ...session.headers, 'content-type': 'application/json' }
  const state = await fetch(new URL('/api/call/setup.state', address()), { method: 'POST', headers, body: '{}' })
  const archiveFolder = join(folder, 'sample', 'archive')
  expect(await state.json()).toMatchObject({ value: { ready: true, usesSample: true, archiveFolder } })
  await until('photos are archived', () =>
    [...readFiles(archiveFolder).keys()].some((path) => path.includes('/photos/')),
  )
  child.kill('SIGINT')
  const { exitCode, stderr } = await ended
  expect(exitCode).toBe(0)
  expect(stderr).toContain('nothing leaves this machine')
  expect(stderr).toContain('The app opens in a browser, not in a window of its own. None is wanted here.')
  expect(stderr).toContain('it works once')
})

test('one option selects the real service, and a wrong option mentions it', async () => {
  const folder = temporaryFolder()
  const unknown = await starting(folder, {}, ['--nonsense']).ended
  expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('npm start -- --own') as string })
  const own = starting(folder, { SOLARCHIVE_HOME: join(folder, 'own') }, ['--own'])
  await until('the address is printed', () => own.address() !== undefined || own.hasEnded())
  expect(own.printed.stderr).toContain('Nothing is set up yet')
  expect((await own.stop('SIGINT')).exitCode).toBe(0)
  expect(readFiles(join(folder, 'sample')).size).toBe(0)
})

test.runIf(process.platform === 'linux')(
  'with a display the address is opened in the browser, and is in no process list',
  async () => {
    const folder = temporaryFolder()
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'xdg-open'), '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.arguments"\ncat "$1" > "$0.page"\n')
    chmodSync(join(bin, 'xdg-open'), 0o755)
    const env = { DISPLAY: ':0', PATH: [bin, process.env.PATH].join(delimiter) }
    const { address, hasEnded, stop } = starting(folder, env)
    const read = (name: string) => {
      try {
        return readFileSync(join(bin, name), 'utf8')
      } catch {
        return ''
      }
    }
    await until('the browser was opened', () => read('xdg-open.page') !== '' || hasEnded())
    const token = address()?.split('/').at(-1) ?? 'no address'
    expect(read('xdg-open.page')).toContain(token)
    expect(read('xdg-open.arguments')).not.toContain(token)
    expect((await stop('SIGINT')).exitCode).toBe(0)
    const page = join(folder, 'sample', 'data', 'open-solarchive.html')
    expect(() => readFileSync(page)).toThrow('ENOENT')
  },
)

test.each([
  [{ DISPLAY: ':0' }, 'linux', true],
  [{ WAYLAND_DISPLAY: 'wayland-0' }, 'linux', true],
  [{}, 'linux', false],
  [{ DISPLAY: ':0', SSH_CONNECTION: '10.0.0.2 1 10.0.0.3 22' }, 'linux', false],
  [{ DISPLAY: ':0', CI: 'true' }, 'linux', false],
  [{}, 'darwin', true],
  [{}, 'win32', true],
  [{ CI: '1' }, 'win32', false],
] as const)('with %o on %s a browser is opened: %s', (env, platform, opens) => {
  expect(canOpenBrowser({ env, platform })).toBe(opens)
})

test('the pages are built only if they are missing or older than their sources', async () => {
  const clone = temporaryFolder()
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(clone, path)), { recursive: true })
    writeFileSync(join(clone, path), text)
  }
  for (const path of ['renderer/App.vue', 'shared/a.ts', 'resources/icon.svg', 'electron.vite.config.ts']) put(path, '')
  put('package-lock.json', '{}')
  put(
    'node_modules/electron-vite/bin/electron-vite.js',
    `const fs = require('node:fs')
     if (fs.existsSync('broken')) { console.error('a mistake in App.vue'); process.exit(1) }
     fs.mkdirSync('out/renderer', { recursive: true })
     fs.writeFileSync('out/renderer/index.html', '')`,
  )
  let builds = 0
  const build = () => buildPages(clone, () => (builds += 1), new AbortController().signal)
  await build()
  await build()
  expect(builds).toBe(1)
  const later = new Date(Date.now() + 5_000)
  utimesSync(join(clone, 'renderer', 'App.vue'), later, later)
  put('broken', '')
  await expect(build()).rejects.toMatchObject({ code: 'internal', cause: { message: 'a mistake in App.vue\n' } })
  expect(builds).toBe(2)
})
