import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { electronFlags } from '../../electron/headless/electron-app.ts'
import { cloneFolder, startSolarchive } from '../headless/run-solarchive.ts'
import { readFiles } from '../support/sample-archive.ts'
import { until } from '../support/watching.ts'
import { electronProgram } from './support/electron-runtime.ts'
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
  const { child, ended, printed } = startSolarchive([], { script, env: process.env })
  const archive = join(folder, 'sample', 'archive')
  await until(
    'photos are archived',
    () => child.exitCode !== null || [...readFiles(archive).keys()].some((path) => path.includes('/photos/')),
  )
  expect(child.exitCode, printed.stderr).toBeNull()
  child.kill('SIGINT')
  const { exitCode, stdout, stderr } = await ended
  expect(exitCode).toBe(0)
  expect(stdout + stderr).not.toContain('/open/')
  expect(stderr).toContain('nothing leaves this machine')
})

test('a data folder owned by the browser mode is left alone, and the app reports it', async () => {
  const home = join(temporaryFolder(), 'home')
  const env = { ...process.env, SOLARCHIVE_HOME: home }
  const served = startSolarchive(['serve'], { env: { SOLARCHIVE_HOME: home } })
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
