import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { killTree, runProgram } from '../../../electron/app/hooks/run-program.ts'
import { until } from '../../support/watching.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

afterEach(() => delete process.env['SOLARCHIVE_TOKEN'])

/** Runs a script, with this Node unless `path` names another program. */
function runScript(
  script: string,
  args: readonly string[] = [],
  options: { path?: string; timeoutMs?: number; signal?: AbortSignal } = {},
) {
  const folder = temporaryFolder()
  const file = join(folder, 'hook.mjs')
  writeFileSync(file, script)
  const { path = process.execPath, timeoutMs = 600_000, signal = new AbortController().signal } = options
  const run = {
    path,
    args: [file, join(folder, 'out'), ...args],
    input: '{"id":"1"}\n',
    timeoutMs,
    signal,
  }
  return { ended: runProgram(run), out: join(folder, 'out'), folder }
}

const report = `import { readFileSync, writeFileSync } from 'node:fs'
const [out, ...args] = process.argv.slice(2)
writeFileSync(out, JSON.stringify({ args, input: readFileSync(0, 'utf8'), env: Object.keys(process.env) }))`

test('a program gets the JSON on standard input, its arguments unchanged, and no token', async () => {
  process.env['SOLARCHIVE_TOKEN'] = 'canary'
  const args = ['; touch x', '$(touch y)', '`touch z`', '*', '"a b"', "'", '%PATH%', '&& exit 3']
  const { ended, out, folder } = runScript(report, args)
  expect(await ended).toEqual({ isOk: true, result: 'exit code 0', output: '' })
  const got = JSON.parse(readFileSync(out, 'utf8')) as { args: string[]; input: string; env: string[] }
  expect(got.args).toEqual(args)
  expect(got.input).toBe('{"id":"1"}\n')
  expect(got.env).not.toContain('SOLARCHIVE_TOKEN')
  expect(['x', 'y', 'z'].filter((name) => existsSync(join(folder, name)))).toEqual([])
})

test('a program starts in the home folder, and in its own if the account has none', async () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  const folderWith = async (home: string) => {
    // The second is the one of Windows.
    for (const name of ['HOME', 'USERPROFILE']) vi.stubEnv(name, home)
    const { output, ...end } = await runScript('process.stdout.write(process.cwd())').ended
    expect(end).toEqual({ isOk: true, result: 'exit code 0' })
    return realpathSync(output)
  }
  const home = temporaryFolder()
  const own = realpathSync(dirname(process.execPath))
  expect(await folderWith(home)).toBe(realpathSync(home))
  expect(await folderWith(join(home, 'nonexistent'))).toBe(own)
  expect(await folderWith('/dev/null')).toBe(own)
  const noAccount = vi.spyOn(os, 'homedir').mockImplementation(() => {
    throw new Error('A system error occurred: uv_os_homedir returned ENOENT')
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    noAccount.mockRestore()
    syncBuiltinESMExports()
  })
  expect(await folderWith(home)).toBe(own)
})

test('a failure is reported, and the output is limited', async () => {
  const loud = runScript(`process.stdout.write('x'.repeat(300_000)); process.stderr.write('why'); process.exitCode = 3`)
  const { output, ...end } = await loud.ended
  expect(end).toEqual({ isOk: false, result: 'exit code 3' })
  expect(output.length).toBeLessThanOrEqual(4_000)
  expect(await runScript('process.kill(process.pid, "SIGTERM")').ended).toMatchObject({ isOk: false })
  const run = { args: [], input: '', timeoutMs: 1000, signal: new AbortController().signal }
  expect(await runProgram({ ...run, path: '/nowhere/hook' })).toMatchObject({ result: 'could not be started (ENOENT)' })
  expect(await runProgram({ ...run, path: temporaryFolder() })).toMatchObject({ isOk: false })
})

/**
 * A script that starts a child, writes its process id, and runs until it is killed; a shell starts sooner than Node.
 */
const family =
  process.platform === 'win32'
    ? {
        path: process.execPath,
        script: `import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
writeFileSync(process.argv[2], String(child.pid))
setInterval(() => {}, 1000)`,
      }
    : { path: '/bin/sh', script: 'sleep 1000 & echo $! > "$1"; wait' }

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0)
    // A zombie counts as running until its parent, which was killed too, is replaced.
    return process.platform !== 'linux' || !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

test('a program that takes too long is killed with everything that it has started', async () => {
  const { ended, out } = runScript(family.script, [], { path: family.path, timeoutMs: 15_000 })
  expect(await ended).toMatchObject({ isOk: false, result: 'killed after 15 s' })
  const pid = Number(readFileSync(out, 'utf8'))
  expect(pid).toBeGreaterThan(0)
  await until('the child is gone', () => !isRunning(pid))
})

test('a program is killed when Solarchive ends', async () => {
  const stop = new AbortController()
  const { ended, out } = runScript(family.script, [], { path: family.path, signal: stop.signal })
  await until('the child was started', () => existsSync(out) && readFileSync(out, 'utf8') !== '')
  stop.abort()
  expect(await ended).toMatchObject({ isOk: false, result: 'stopped, because Solarchive ended' })
  await until('the child is gone', () => !isRunning(Number(readFileSync(out, 'utf8'))))
})

/** Starts a program that runs until it is killed. */
function startEndless() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, ended: once(child, 'exit') }
}

// The program that stands for the one of Windows is a shell script.
test.skipIf(process.platform === 'win32')(
  'on Windows, the taskkill of the system kills, without the token',
  async () => {
    const SystemRoot = temporaryFolder()
    const taskkill = join(SystemRoot, 'System32', 'taskkill.exe')
    mkdirSync(join(SystemRoot, 'System32'))
    writeFileSync(taskkill, '#!/bin/sh\nenv > "$0.env"\necho "$@" > "$0.args"\nkill -9 "$2"\n', { mode: 0o700 })
    const { child, ended } = startEndless()
    killTree(child, { ...process.env, SystemRoot, SOLARCHIVE_TOKEN: 'canary' })
    await ended
    expect(readFileSync(`${taskkill}.args`, 'utf8')).toBe(`/pid ${child.pid} /T /F\n`)
    expect(readFileSync(`${taskkill}.env`, 'utf8')).toContain(`SystemRoot=${SystemRoot}`)
    expect(readFileSync(`${taskkill}.env`, 'utf8')).not.toContain('canary')
  },
)

test('on Windows, a program is killed even if taskkill cannot be started, or fails', async () => {
  const [without, failing] = [temporaryFolder(), temporaryFolder()]
  mkdirSync(join(failing, 'System32'))
  writeFileSync(join(failing, 'System32', 'taskkill.exe'), '#!/bin/sh\nexit 128\n', { mode: 0o700 })
  for (const SystemRoot of [without, failing]) {
    const { child, ended } = startEndless()
    killTree(child, { ...process.env, SystemRoot })
    await ended
    expect(child.signalCode).toBe('SIGKILL')
  }
})
