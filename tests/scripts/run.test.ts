import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const launcher = resolve(import.meta.dirname, '..', '..', 'scripts', 'run.mjs')

/** Runs in the pinned Node instead of the command line: prints how it was called, and can wait for a signal. */
const fakeCommandLine = `
const [what, ...rest] = process.argv.slice(2)
if (what === 'wait') {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => { console.log('got ' + signal); process.exit(42) })
  }
  process.on('disconnect', () => process.exit(43))
  setInterval(() => {}, 1000)
  console.log('ready' + rest.map((name) => ' ' + process[name]).join(''))
} else if (what === 'kill') {
  process.kill(process.pid, 'SIGKILL')
} else {
  console.log(JSON.stringify({ args: [what, ...rest], cwd: process.cwd() }))
  process.exitCode = Number(what)
}
`

/** Replaces npm: records each call, and creates what npm would create, slowly, so that two calls would overlap. */
const fakeNpm = `
const fs = require('node:fs')
const args = process.argv.slice(2)
fs.appendFileSync('npm-calls.txt', args.slice(0, 2).join(' ') + '\\n')
console.log('chatter of npm')
if (fs.existsSync('fail')) process.exit(1)
if (args[0] === 'ci') fs.rmSync('node_modules', { recursive: true, force: true })
setTimeout(() => {
  fs.mkdirSync('node_modules/node/bin', { recursive: true })
  if (args[0] === 'ci') fs.writeFileSync('node_modules/.package-lock.json', '')
  else fs.symlinkSync(process.execPath, 'node_modules/node/bin/node')
}, 150)
`

let clone: string

beforeEach(async () => {
  // With a space, as folders of users may have.
  clone = join(await realpath(await mkdtemp(join(tmpdir(), 'solarchive-launcher-'))), 'my clone')
  await put('scripts/cli.mjs', fakeCommandLine)
  await put('package-lock.json', '{}')
  await put('npm-cli.js', fakeNpm)
  await cp(launcher, join(clone, 'scripts', 'run.mjs'))
})

afterEach(() => rm(dirname(clone), { recursive: true, force: true }))

async function put(path: string, text: string) {
  await mkdir(dirname(join(clone, path)), { recursive: true })
  await writeFile(join(clone, path), text)
}

async function setUp() {
  await mkdir(join(clone, 'node_modules', 'node', 'bin'), { recursive: true })
  await symlink(process.execPath, join(clone, 'node_modules', 'node', 'bin', 'node'))
  await put('node_modules/.package-lock.json', '')
}

function open(args: readonly string[], env: NodeJS.ProcessEnv = {}, node = process.execPath) {
  const child = spawn(node, [join(clone, 'scripts', 'run.mjs'), ...args], {
    cwd: clone,
    env: { PATH: process.env.PATH, npm_execpath: join(clone, 'npm-cli.js'), ...env },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => ({ code, signal, ...output }))
  return { child, ended, output }
}

const npmCalls = async () => (await readFile(join(clone, 'npm-calls.txt'), 'utf8')).trim().split('\n')

async function until(holds: () => boolean) {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20))
}

describe.skipIf(process.platform === 'win32')('in a clone that is set up', () => {
  beforeEach(setUp)

  test('a task gets its arguments and its working folder, and its exit code is passed on', async () => {
    const { code, stdout } = await open(['cli', '4', 'a b', '--json'], { INIT_CWD: '/' }).ended
    expect(code).toBe(4)
    expect(JSON.parse(stdout)).toEqual({ args: ['4', 'a b', '--json'], cwd: '/' })
    expect(await readdir(clone)).not.toContain('npm-calls.txt')
  })

  test('the command line starts in a folder that was deleted, and says so itself', async () => {
    const command = [process.execPath, join(clone, 'scripts', 'run.mjs'), 'cli', 'kill']
    const child = spawn('sh', ['-c', 'rmdir "$PWD" && exec "$@"', 'sh', ...command], {
      cwd: await mkdtemp(join(tmpdir(), 'solarchive-gone-')),
      env: { PATH: process.env.PATH },
    })
    const [code] = (await once(child, 'close')) as [number]
    expect(code).toBe(137)
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('%s is passed on to the task', async (signal) => {
    const { child, ended, output } = open(['cli', 'wait'])
    await until(() => output.stdout.includes('ready'))
    child.kill(signal)
    expect(await ended).toMatchObject({ code: 42, stdout: `ready\ngot ${signal}\n` })
  })

  test.runIf(process.platform === 'linux')(
    'the SIGINT of a terminal, which reaches the task anyway, is not',
    async () => {
      const command = [process.execPath, join(clone, 'scripts', 'run.mjs'), 'cli', 'wait', 'ppid']
      const terminal = spawn('script', ['-qec', command.map((word) => `'${word}'`).join(' '), '/dev/null'], {
        cwd: clone,
      })
      let shown = ''
      terminal.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text))
      await until(() => /ready \d+\r\n/.test(shown))
      const started = Number(/ready (\d+)/.exec(shown)?.[1])
      process.kill(started, 'SIGINT')
      process.kill(started, 'SIGTERM')
      await once(terminal, 'close')
      expect(shown.split('\r\n').slice(1)).toEqual(['got SIGTERM', ''])
    },
  )

  test('no signal is on Windows, whose console sends it to the task as well', async () => {
    const bin = join(clone, 'node_modules', 'node', 'bin')
    await symlink(join(bin, 'node'), join(bin, 'node.exe'))
    const windows = `Object.defineProperty(process, 'platform', { value: 'win32' })
      process.once('SIGINT', () => setImmediate(() => console.log('handled')))`
    await put('windows.cjs', windows)
    const env = { NODE_OPTIONS: `--require "${join(clone, 'windows.cjs')}"` }
    const { child, ended, output } = open(['cli', 'wait', 'pid'], env)
    await until(() => /ready \d+\n/.test(output.stdout))
    child.kill('SIGINT')
    await until(() => output.stdout.includes('\nhandled\n') || child.exitCode !== null)
    process.kill(Number(/ready (\d+)/.exec(output.stdout)?.[1]), 'SIGTERM')
    expect((await ended).stdout).toMatch(/^ready \d+\nhandled\ngot SIGTERM\n$/)
  })

  test('a task is notified when the launcher is killed', async () => {
    const { child, ended, output } = open(['cli', 'wait'])
    await until(() => output.stdout.includes('ready'))
    child.kill('SIGKILL')
    // The task holds the pipes, which close when it ends too.
    expect(await ended).toMatchObject({ signal: 'SIGKILL' })
  })

  test('the end of npm, which forwards no signal, ends the task cleanly', async () => {
    const asNpm = `const { spawn } = require('node:child_process')
      const child = spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' })
      child.on('exit', () => process.exit())`
    const npm = spawn(process.execPath, ['-e', asNpm, join(clone, 'scripts', 'run.mjs'), 'cli', 'wait'], {
      cwd: clone,
      env: { PATH: process.env.PATH, npm_lifecycle_event: 'cli' },
    })
    let stdout = ''
    npm.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    await until(() => stdout.includes('ready'))
    npm.kill('SIGTERM')
    // The task holds the pipe, which closes when it ends too.
    await once(npm, 'close')
    expect(stdout).toBe('ready\ngot SIGTERM\n')
  })

  test('an end by a signal has the exit code that a shell reports', async () => {
    expect((await open(['cli', 'kill']).ended).code).toBe(137)
  })

  test('an unknown task is wrong usage', async () => {
    const { code, stderr } = await open(['toString']).ended
    expect(code).toBe(2)
    expect(stderr).toContain(
      'Tasks: start, cli, test, test:quick, coverage, test:desktop, bench, sample-service, build, package, icons, ' +
        'screenshots, sbom.',
    )
  })
})

describe.skipIf(process.platform === 'win32')('in a new clone', () => {
  test('everything is set up first, and stdout belongs to the task', async () => {
    const { code, stdout, stderr } = await open(['cli', '0']).ended
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ args: ['0'] })
    expect(stderr).toContain('chatter of npm')
    expect(await npmCalls()).toEqual(['ci --ignore-scripts', 'rebuild node'])
    await open(['cli', '0']).ended
    expect(await npmCalls()).toHaveLength(2)
  })

  test('the pinned Node, which is deleted meanwhile, sets everything up again', async () => {
    await setUp()
    const pinned = join(clone, 'node_modules', 'node', 'bin', 'node')
    await rm(pinned)
    await cp(process.execPath, pinned)
    await utimes(join(clone, 'node_modules', '.package-lock.json'), 0, 0)
    const { ended } = open(['cli', '0'], { npm_node_execpath: process.execPath }, pinned)
    expect(await ended).toMatchObject({ code: 0 })
    expect(await npmCalls()).toEqual(['ci --ignore-scripts', 'rebuild node'])
  })

  test('with a newer lockfile, everything is set up again', async () => {
    await setUp()
    const later = new Date(Date.now() + 60_000)
    await utimes(join(clone, 'package-lock.json'), later, later)
    await open(['cli', '0']).ended
    expect(await npmCalls()).toContain('ci --ignore-scripts')
  })

  test('two at once set it up once', async () => {
    const results = await Promise.all([open(['cli', '0']).ended, open(['cli', '3']).ended])
    expect(results.map(({ code }) => code)).toEqual([0, 3])
    expect(await npmCalls()).toHaveLength(2)
    expect(await readdir(join(clone, 'out'))).not.toContain('set-up.lock')
  })

  test('the lock of a process that died is taken over', async () => {
    const gone = spawn(process.execPath, ['--version'])
    await once(gone, 'exit')
    await put('out/set-up.lock', String(gone.pid))
    expect((await open(['cli', '0']).ended).code).toBe(0)
  })

  test('a failed setup says what to do, and the next one starts over', async () => {
    await put('fail', '')
    const { code, stdout, stderr } = await open(['cli', '0']).ended
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('run the same command again')
    await rm(join(clone, 'fail'))
    expect((await open(['cli', '0']).ended).code).toBe(0)
  })
})
