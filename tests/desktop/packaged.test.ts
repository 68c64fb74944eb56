import asar from '@electron/asar'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createAnalysisRunner } from '../../electron/engine/analysis/analysis-runner.ts'
import type { StartProcess } from '../../electron/engine/lib/ports.ts'
import type { bridgeKey, DesktopBridge } from '../../shared/contract/channel-names.ts'
import { makePdf, writeFile } from '../engine/analysis/made-files.ts'
import { cloneFolder } from '../headless/run-solarchive.ts'
import { archivedHashes, servedHashes } from '../support/sample-archive.ts'
import { makeSandbox, type Sandbox } from './support/open-desktop.ts'
import { openPackaged } from './support/open-packaged.ts'
import { fitToRuntime, packageApp, type PackagedApp } from './support/package-app.ts'

let packaged: PackagedApp

beforeAll(async () => {
  packaged = await packageApp()
})

afterAll(() => packaged?.remove())

async function newSandbox(): Promise<Sandbox> {
  const sandbox = await makeSandbox({ projects: 1, checklistsPerProject: 1 })
  onTestFinished(() => sandbox.remove())
  return sandbox
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))

test('the app contains only files that it needs, with one native file beside it, and its fuses are set', () => {
  const archive = join(packaged.resources, 'app.asar')
  const names = asar
    .listPackage(archive, { isPack: false })
    .map((name) => name.slice(1))
    .filter((name) => !('files' in asar.statFile(archive, name)))
  expect(names).toContain('package.json')
  expect(names).toContain('out/main/app.js')
  expect(names).toContain('out/preload/bridge.cjs')
  expect(names).toContain('out/renderer/index.html')
  const own = names.filter((name) => !name.startsWith('node_modules/'))
  expect(own.filter((name) => !/^(package\.json|out\/(main|preload|renderer)\/|resources\/)/.test(name))).toEqual([])
  expect(names.filter((name) => /\.(ts|mts|cts|vue|map|md)$/.test(name))).toEqual([])
  expect(names.filter((name) => /(^|\/)(tests?|__tests__|\.git|\.github)\//.test(name))).toEqual([])
  expect(names.filter((name) => name.endsWith('.node'))).toEqual([
    'node_modules/better-sqlite3/prebuilds/linux-x64.node',
  ])
  // Packages that are only needed to build the app.
  const packages = names.filter((name) =>
    /^node_modules\/(vue|vite|electron|electron-builder|playwright-core|typescript)\//.test(name),
  )
  expect(packages).toEqual([])
  expect(filesIn(join(packaged.resources, 'app.asar.unpacked'))).toEqual([
    'node_modules/better-sqlite3/prebuilds/linux-x64.node',
  ])
  expect(readFileSync(join(packaged.resources, 'third-party-notices.txt'), 'utf8')).toMatch(/^better-sqlite3 \d/m)
  expect(filesIn(join(packaged.resources, 'bin')).sort()).toEqual(['solarchive', 'solarchive.cmd'])
  expect(readFileSync(join(packaged.resources, 'man', 'solarchive.1'), 'utf8')).toMatch(/^\.TH SOLARCHIVE 1/)

  const fuses = spawnSync(process.execPath, [join(cloneFolder, 'scripts/read-fuses.mjs'), packaged.program])
  expect(fuses.stdout.toString().trim().split('\n')).toEqual([
    'RunAsNode: off',
    'EnableCookieEncryption: on',
    'EnableNodeOptionsEnvironmentVariable: off',
    'EnableNodeCliInspectArguments: off',
    'EnableEmbeddedAsarIntegrityValidation: on',
    'OnlyLoadAppFromAsar: on',
    'GrantFileProtocolExtraPrivileges: off',
  ])
  expect(fuses.status).toBe(0)
  // Neither works: the program does not run as Node.
  const asNode = spawnSync(packaged.launcher, ['--version'], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '--require=/dev/stdin' },
  })
  expect(asNode.stdout.toString()).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('the packaged app archives through its window', async () => {
  fitToRuntime(packaged)
  const sandbox = await newSandbox()
  const app = await openPackaged(packaged, sandbox)
  const projects = sandbox.service.projects.map(({ id, name }) => ({ id, name }))
  type BridgeWindow = { readonly [key in typeof bridgeKey]: DesktopBridge }
  await app.page.evaluate(
    (projects) => (globalThis as unknown as BridgeWindow).solarchive.invoke('projects.add', { projects }),
    projects,
  )
  const served = await servedHashes(sandbox.service)
  await expect.poll(() => archivedHashes(sandbox.archive)).toEqual(served)
  expect(await app.quit()).toBe(0)
})

test('the command line that comes with it works without a display, and exits as the headless one does', async () => {
  fitToRuntime(packaged)
  const sandbox = await newSandbox()
  const env = { ...process.env, DISPLAY: undefined, WAYLAND_DISPLAY: undefined, SOLARCHIVE_HOME: sandbox.home }
  const start = (program: string, args: readonly string[], stdin: 'ignore' | 'pipe' = 'ignore') => {
    const child = spawn(program, args, { env, stdio: [stdin, 'pipe', 'pipe'] })
    const printed = { stdout: '', stderr: '' }
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text))
    const ended = once(child, 'close').then(([status]) => ({ status: status as number | null, ...printed }))
    return { child, ended }
  }
  const run = (args: readonly string[], stdin?: 'pipe') => start(packaged.launcher, args, stdin).ended
  const shell = async (script: string) => (await start('bash', ['-c', script, 'bash', packaged.launcher]).ended).stdout
  expect(await run(['nonsense'])).toEqual({
    status: 2,
    stdout: '',
    stderr: 'Unknown command \'nonsense\'. "solarchive --help" lists the commands and options.\n',
  })
  const [project] = sandbox.service.projects
  const name = '--cli -- "quoted"'
  expect(await run(['projects', 'add', project?.id ?? '', `--name=${name}`])).toMatchObject({ status: 0 })
  expect(await run(['sync', '--json'])).toMatchObject({ status: 0 })
  expect(archivedHashes(sandbox.archive)).toEqual(await servedHashes(sandbox.service))
  // The reports were read by a process of their own, since the app does not run as Node.
  const found = await run(['search', '--json', 'kind:report', 'homeowner'])
  expect(JSON.parse(found.stdout)).toMatchObject({ hits: [{ kind: 'report', page: expect.any(Number) as number }] })
  const status = await run(['status', '--json'], 'pipe')
  expect(status).toMatchObject({ status: 0, stderr: '' })
  expect((JSON.parse(status.stdout) as { projects: { name: string }[] }).projects[0]?.name).toBe(name)
  // No standard input at all, and a reader that closes before anything is printed.
  expect(await shell('"$1" status <&- >/dev/null; echo $?')).toBe('0\n')
  expect(await shell('"$1" status --json 2>&1 | true; echo ${PIPESTATUS[0]}')).toBe('0\n')

  // The watch works for a second process, a second watch does not wait, and a signal ends the first cleanly.
  const watching = start(packaged.launcher, ['watch', '--json'])
  await once(watching.child.stdout!, 'data')
  // The process that measures photos has no environment, and yields to all others.
  const readers = () => readdirSync('/proc').filter((pid) => isReaderOf(packaged.program, pid))
  await expect.poll(readers).toHaveLength(1)
  const [reader = ''] = readers()
  expect(readFileSync(`/proc/${reader}/environ`, 'utf8')).not.toMatch(/PATH=|TOKEN|HOME=/)
  expect(await run(['sync'])).toMatchObject({ status: 0 })
  expect(await run(['watch'])).toMatchObject({ status: 5, stdout: '' })
  watching.child.kill('SIGTERM')
  expect(await watching.ended).toMatchObject({ status: 0 })
  await expect.poll(readers).toEqual([])
})

test('its process for files reads codes and print, and is ended by a file that takes all memory', async () => {
  const runner = createAnalysisRunner({ start: startReader })
  onTestFinished(() => runner.close())
  const { folder } = await newSandbox()
  const { signal } = new AbortController()
  const bomb = makePdf({ pages: [Buffer.alloc(300_000_000, '(a) Tj ')] })
  const failed = await runner.run({ kind: 'pages', file: writeFile(folder, 'bomb.pdf', bomb) }, signal)
  expect(failed).toMatchObject({ kind: 'failed' })
  const photo = readFileSync(join(cloneFolder, 'resources/sample/photos/inverter-1.jpg'))
  const file = writeFile(folder, 'photo.jpg', photo)
  expect(await runner.run({ kind: 'text', file, readsPrint: true }, signal)).toMatchObject({
    codes: [{ text: 'PAIR-HC13-5QK8XW' }],
    print: expect.arrayContaining([expect.objectContaining({ text: '7731-204417' })]) as unknown,
  })
})

const startReader: StartProcess = (_, { onMessage, onEnd }) => {
  const args = ['--no-sandbox', '--no-zygote', '--js-flags=--expose-gc', '--analysis']
  const child = spawn(packaged.program, args, { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  child.on('message', onMessage).on('exit', onEnd)
  return { send: (message) => child.send(message as object), kill: () => child.kill('SIGKILL') }
}

function isReaderOf(program: string, pid: string): boolean {
  try {
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return args.startsWith(program) && args.includes('--analysis') && !args.includes('--type=')
  } catch {
    // Not a process, or one that has ended.
    return false
  }
}
