import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'
import { expect, onTestFinished, test } from 'vitest'
import { electronFlags } from '../../electron/headless/electron-app.ts'
import { cloneFolder, longLimits, startSolarchive } from '../headless/run-solarchive.ts'
import { readFiles } from '../support/sample-archive.ts'
import { canMount, makeSmallDisk } from '../support/small-disk.ts'
import { until } from '../support/watching.ts'
import { electronProgram } from './support/electron-runtime.ts'
import { makeSandbox, startDesktop } from './support/open-desktop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('with Electron, the first commands open the app, archive the sample, and exit with 0 on Ctrl+C', async () => {
  const folder = temporaryFolder()
  const source = (name: string) => JSON.stringify(pathToFileURL(join(cloneFolder, 'electron', 'headless', name)).href)
  const script = join(folder, 'start.mjs')
  const options = JSON.stringify({ sampleFolder: join(folder, 'sample') })
  writeFileSync(
    script,
    `import { runStart } from ${source('start.ts')}
     await runStart([], ${options})`,
  )
  // Also for the app that the process starts.
  const env = { ...process.env, NODE_OPTIONS: `--require ${JSON.stringify(longLimits)}` }
  const { child, ended, printed } = startSolarchive([], { script, env })
  const archive = join(folder, 'sample', 'archive')
  await until(
    'photos are archived',
    () => child.exitCode !== null || [...readFiles(archive).keys()].some((path) => path.includes('/photos/')),
    undefined,
    () => [printed.stderr, ...readFiles(join(folder, 'sample', 'data', 'logs')).values()].join('\n'),
  )
  expect(child.exitCode, printed.stderr).toBeNull()
  child.kill('SIGINT')
  const { exitCode, stdout, stderr } = await ended
  expect(exitCode).toBe(0)
  expect(stdout + stderr).not.toContain('/open/')
  expect(stderr).toContain('nothing leaves this machine')
})

test('beside a browser mode that is not set up yet the app reports why it does not run', async () => {
  const home = join(temporaryFolder(), 'home')
  const env = { ...process.env, SOLARCHIVE_HOME: home }
  const served = startSolarchive(['serve'], { env: { SOLARCHIVE_HOME: home }, nodeArgs: ['-r', longLimits] })
  await until('the browser mode runs', () => served.printed.stdout.includes('/open/'))
  const app = spawn(electronProgram(), [...electronFlags(), '.'], {
    cwd: cloneFolder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  app.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  await until(
    'the app reports why it does not run',
    () => stderr.includes(`process ${served.child.pid}`) || app.exitCode !== null,
  )
  expect(app.exitCode, stderr).toBeNull()
  const exited = once(app, 'exit')
  app.kill('SIGTERM')
  await exited
  expect(served.child.exitCode).toBeNull()
  served.child.kill('SIGTERM')
  expect((await served.ended).exitCode).toBe(0)
})

test('beside a running watch the app shows its archive, and takes over when a person says so', async () => {
  const sandbox = await makeSandbox({ projects: 1, checklistsPerProject: 1, photosPerQuestion: 1 })
  onTestFinished(() => sandbox.remove())
  const [project] = sandbox.service.projects
  const env = { SOLARCHIVE_HOME: sandbox.home }
  expect((await startSolarchive(['projects', 'add', project?.id ?? ''], { env }).ended).exitCode).toBe(0)
  const watching = startSolarchive(['watch'], { env, nodeArgs: ['-r', longLimits] })
  onTestFinished(() => void watching.child.kill())
  await until('the watch has archived a file', () => watching.printed.stderr.includes('archived'))
  const app = await startDesktop(sandbox)
  onTestFinished(() => app.quit())
  const { page } = app

  const banner = page.getByText(`solarchive watch, process ${watching.child.pid}`)
  await banner.waitFor()
  expect((await app.call('projects.list', {})).total).toBe(1)
  expect(await app.ask('sync.now', {})).toMatchObject({ error: { code: 'data-folder-locked' } })
  await page.getByRole('button', { name: 'Take over' }).click()
  await banner.waitFor({ state: 'detached' })
  expect((await watching.ended).exitCode).toBe(0)
  expect(await app.ask('sync.now', {})).toMatchObject({ ok: true })
  expect(app.problems).toEqual([])
})

test('if the data folder of a window that is shown already cannot be opened, the app says why', async () => {
  const home = temporaryFolder()
  writeFileSync(join(home, 'settings.json'), '{')
  await startedInVain({ SOLARCHIVE_HOME: home }, 'settings.json is not valid JSON')
})

test.skipIf(process.platform !== 'linux')(
  'if it cannot create its lock, the app says why, and not that it is running already',
  async () => {
    const home = temporaryFolder()
    const noFolder = join(home, 'settings.json')
    writeFileSync(noFolder, '{}')
    await startedInVain({ SOLARCHIVE_HOME: home, TMPDIR: noFolder }, `the temporary folder ${noFolder}: ENOTDIR.`)
  },
)

test.runIf(canMount())('if its data folder can only be read, the app says so', async () => {
  const disk = makeSmallDisk(500)
  onTestFinished(() => disk.remove())
  for (const hasFolder of [false, true]) {
    if (hasFolder) mkdirSync(join(disk.path, 'chromium'))
    disk.setReadOnly(true)
    await startedInVain({ SOLARCHIVE_HOME: disk.path }, `the data folder ${disk.path} can only be read`)
    disk.setReadOnly(false)
  }
})

/** Starts the app, waits until it says why it cannot run, and ends it. */
async function startedInVain(env: Readonly<Record<string, string>>, why: string): Promise<void> {
  const app = spawn(electronProgram(), [...electronFlags(), '.'], {
    cwd: cloneFolder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  app.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  await until('the app says why', () => stderr.includes(why) || app.exitCode !== null)
  expect(app.exitCode, stderr).toBeNull()
  const exited = once(app, 'exit')
  app.kill('SIGTERM')
  await exited
}

/** Runs a program with a process for the analysis that answers each message. Resolves to its exit code and signal. */
async function runWithAnalysis(program: string): Promise<unknown[]> {
  const folder = temporaryFolder()
  const source = join(cloneFolder, 'electron', 'desktop', 'utility-process.ts')
  await build({
    configFile: false,
    logLevel: 'error',
    build: { ssr: source, outDir: folder, target: 'node20', rolldownOptions: { external: ['electron'] } },
  })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  const answering = join(folder, 'answering.js')
  writeFileSync(
    answering,
    `const answer = () => process.parentPort.postMessage('running')
     process.parentPort.on('message', answer)
     answer()`,
  )
  const script = join(folder, 'main.js')
  writeFileSync(
    script,
    `import { app, utilityProcess } from 'electron'
     import { startUtilityProcess } from './utility-process.js'
     const answering = new URL(${JSON.stringify(pathToFileURL(answering).href)})
     app.whenReady().then(() => {
       ${program}
     })`,
  )
  const app = spawn(electronProgram(), [...electronFlags(), script], { stdio: 'ignore' })
  onTestFinished(() => void app.kill('SIGKILL'))
  return once(app, 'exit')
}

test('a process for the analysis that is ended while it starts does end', async () => {
  // A process that was not ended answers more than once.
  const ended = await runWithAnalysis(
    `let answers = 0
     const child = startUtilityProcess(answering, {
       onMessage: () => (answers++ < 3 ? child.send('again') : app.exit(3)),
       onEnd: () => app.exit(0),
     })
     child.kill()`,
  )
  expect(ended).toEqual([0, null])
})

test('a fatal error in the process for the analysis is none of the app', async () => {
  // Only native code can cause one, so that Electron's event is emitted as if there was one.
  const ended = await runWithAnalysis(
    `process.on('uncaughtException', () => app.exit(4))
     let forked
     const { fork } = utilityProcess
     utilityProcess.fork = (...args) => (forked = fork(...args))
     const child = startUtilityProcess(answering, {
       onMessage: () => {
         forked.emit('error', 'FatalError', 'v8::ToLocalChecked', '{}')
         child.kill()
       },
       onEnd: () => app.exit(0),
     })`,
  )
  expect(ended).toEqual([0, null])
})
