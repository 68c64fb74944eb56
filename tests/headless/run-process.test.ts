import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, existsSync, openSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { canMount, makeSmallDisk } from '../support/small-disk.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/watching.ts'
import { cloneFolder, entry, longLimits, startSolarchive } from './run-solarchive.ts'

const runProcess = pathToFileURL(join(cloneFolder, 'electron', 'headless', 'run-process.ts')).href

/** Writes a script that runs a function of the command line as its process. Returns its path. */
function scriptThat(work: string): string {
  const script = join(temporaryFolder(), 'work.mjs')
  writeFileSync(script, `import { runProcess } from ${JSON.stringify(runProcess)}\nawait runProcess(${work})`)
  return script
}

const megabytes = 4

test('all output reaches a reader that is slower than the command', async () => {
  const script = scriptThat(`async ({ stdout }) => {
    for (let i = 0; i < ${megabytes}; i++) stdout.write('x'.repeat(1_000_000))
    return 4
  }`)
  const { child, ended } = startSolarchive([], { script })
  // A pipe holds 64 KB: reading takes seconds longer than the work.
  child.stdout?.on('data', () => {
    child.stdout?.pause()
    void sleep(30).then(() => child.stdout?.resume())
  })
  const { exitCode, stdout } = await ended
  expect([exitCode, stdout.length]).toEqual([4, megabytes * 1_000_000])
})

/** Runs work that prints on both streams, then writes `done` beside its script, with one stream redirected. */
async function runRedirected(stream: 'stdout' | 'stderr', path: string) {
  const script = scriptThat(`async ({ ${stream} }) => {
    for (let i = 0; i < 3; i++) {
      ${stream}.write('x'.repeat(50_000))
      await new Promise((resolve) => setImmediate(resolve))
    }
    const { writeFileSync } = await import('node:fs')
    writeFileSync(new URL('done', import.meta.url), '')
    return 0
  }`)
  const file = openSync(path, 'w')
  const other = stream === 'stdout' ? 'stderr' : 'stdout'
  const child = spawn(process.execPath, [script], {
    stdio: stream === 'stdout' ? ['ignore', file, 'pipe'] : ['ignore', 'pipe', file],
  })
  closeSync(file)
  let printed = ''
  child[other]?.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const [exitCode] = (await once(child, 'close')) as [number]
  return { exitCode, printed, isDone: existsSync(join(script, '..', 'done')) }
}

const lost = {
  exitCode: 1,
  printed: 'A part of the output could not be written (ENOSPC). Make room for it, or redirect it elsewhere.\n',
  isDone: true,
}

test.runIf(existsSync('/dev/full'))('a full disk behind stdout ends the work with 1, and only at its end', async () => {
  expect(await runRedirected('stdout', '/dev/full')).toEqual(lost)
})

test.runIf(canMount())('a file that takes only the beginning of the output is a full disk', async () => {
  const disk = makeSmallDisk(160)
  try {
    disk.leaveFree(120)
    expect(await runRedirected('stdout', join(disk.path, 'output'))).toEqual(lost)
  } finally {
    disk.remove()
  }
})

test.runIf(existsSync('/dev/full'))('a full disk behind stderr changes nothing', async () => {
  expect(await runRedirected('stderr', '/dev/full')).toEqual({ exitCode: 0, printed: '', isDone: true })
})

test('work that is done in time keeps its exit code, although something keeps the process alive', async () => {
  const script = scriptThat(`async ({ signal, stdout }) => {
    setInterval(() => undefined, 1_000)
    const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve))
    stdout.write('running')
    await stopped
    return 0
  }, { stopDeadlineMs: 900 }`)
  const { child, printed, ended } = startSolarchive([], { script })
  await until('it runs', () => printed.stdout === 'running')
  child.kill('SIGTERM')
  expect((await ended).exitCode).toBe(0)
})

test.skipIf(process.platform === 'win32')(
  'a stop that arrives twice is one, also if the process is too busy to see the second in time',
  async () => {
    const script = scriptThat(`async ({ signal, stdout }) => {
    const timer = setInterval(() => undefined, 1_000)
    const stopped = new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        const untilMs = performance.now() + 1_000
        while (performance.now() < untilMs);
        setImmediate(resolve)
      })
    })
    stdout.write('running')
    await stopped
    clearInterval(timer)
    stdout.write(', stopped cleanly')
    return 0
  }`)
    const { child, printed, ended } = startSolarchive([], { script, nodeArgs: ['-r', longLimits] })
    await until('it runs', () => printed.stdout === 'running')
    // At once, however busy the machine is; of two that are alike, only one would be pending.
    for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const) child.kill(signal)
    expect(await ended).toMatchObject({ exitCode: 0, stdout: 'running, stopped cleanly' })
  },
)

test.skipIf(process.platform === 'win32')('a current folder that was deleted ends with 2 and says so', async () => {
  const command = [process.execPath, entry, 'status', '--json']
  const child = spawn('sh', ['-c', 'rmdir "$PWD" && exec "$@"', 'sh', ...command], {
    cwd: temporaryFolder(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [exitCode] = (await once(child, 'close')) as [number]
  const message =
    'The current folder was deleted, or may not be read. Change to another folder, then run the command again.'
  expect([exitCode, stderr]).toEqual([2, `${message}\n`])
  expect(JSON.parse(stdout)).toEqual({ error: { code: 'wrong-usage', message } })
})

test.runIf(process.getuid?.() === 0)('a user without an account has / as the home folder', async () => {
  const script = scriptThat('async ({ userFolder, stdout }) => (stdout.write(userFolder), 0)')
  chmodSync(dirname(script), 0o755)
  const child = spawn(process.execPath, [script], {
    uid: 54_321,
    gid: 54_321,
    cwd: '/',
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  const [exitCode] = (await once(child, 'close')) as [number]
  expect([exitCode, stdout]).toEqual([0, '/'])
})
