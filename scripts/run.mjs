// Entry point of every npm script: sets the clone up if needed, then runs the task on the pinned Node.
// It must run on Node 18 and newer before anything is installed, so it imports only Node's own modules.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const pinnedNode = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

/**
 * Each task: the script that the pinned Node runs, and the arguments that come before the user's own.
 * @type {Record<string, readonly [script: string, ...args: string[]]>}
 */
const tasks = {
  start: ['electron/headless/start.mjs'],
  cli: ['scripts/cli.mjs'],
  test: ['scripts/test.mjs'],
  'test:quick': ['scripts/test-quick.mjs'],
  coverage: ['scripts/coverage.mjs'],
  'test:desktop': ['scripts/test-desktop.mjs'],
  bench: ['tests/bench/main.ts'],
  'sample-service': ['electron/sample-service/main.ts'],
  build: ['node_modules/electron-vite/bin/electron-vite.js', 'build'],
  package: ['scripts/package.mjs'],
  icons: ['scripts/icons/main.ts'],
  screenshots: ['tests/screenshots/main.ts'],
  sbom: ['scripts/sbom.mjs'],
}

/**
 * Signal that this process received, if any.
 * @type {NodeJS.Signals | undefined}
 */
let received

/** Interval of the checks whether npm is still running. */
const parentMs = 500

/**
 * Calls `onGone` when npm has ended, which gives this process another parent: a signal that ends npm does not reach its
 * children. Without npm the parent is not watched.
 * @param {() => void} onGone
 * @returns {NodeJS.Timeout | undefined}
 */
function watchNpm(onGone) {
  const npm = process.ppid
  if (process.env.npm_lifecycle_event === undefined) return undefined
  return setInterval(() => process.ppid !== npm && onGone(), parentMs).unref()
}

/** A terminal sends the SIGINT of a Ctrl+C to the child, too: once more, it would count as a second Ctrl+C. */
const hasTerminal = [0, 1, 2].some((fd) => isatty(fd))

/**
 * A console of Windows sends all signals to the child, too, and one that is forwarded there ends the child at once,
 * before it can stop cleanly.
 * @param {NodeJS.Signals} signal
 */
const reachesChild = (signal) => process.platform === 'win32' || (signal === 'SIGINT' && hasTerminal)

/**
 * Runs a program until it exits, and forwards signals to it.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<number>} its exit code; like in a shell, 128 + n if signal n ended it
 */
async function run(command, args, options) {
  const child = spawn(command, args, options)
  /** @param {NodeJS.Signals} signal */
  const passOn = (signal) => {
    received = signal
    if (!reachesChild(signal)) child.kill(signal)
  }
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, passOn)
  const watching = watchNpm(() => {
    clearInterval(watching)
    passOn('SIGTERM')
  })
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
    })
  } finally {
    clearInterval(watching)
    for (const signal of signals) process.off(signal, passOn)
  }
}

function isSetUp() {
  const installed = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(installed) || !existsSync(pinnedNode)) return false
  return statSync(installed).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs
}

/**
 * Returns the Node that runs npm: never the pinned one, which "npm ci" deletes. In a clone that is set up, npm puts it
 * first on the path, so that it runs this script.
 */
function nodeOfNpm() {
  const paths = [process.env.npm_node_execpath, process.execPath]
  return paths.find((path) => path !== undefined && path !== pinnedNode) ?? 'node'
}

/** @param {string[]} args */
async function npm(...args) {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  // Under npm this is npm's own script; another package manager sets it to its own.
  const npmScript = process.env.npm_execpath?.match(/.*npm-cli\.c?js$/)?.[0]
  const [command, first] = npmScript === undefined ? ['npm', []] : [nodeOfNpm(), [npmScript]]
  // Packages need no access token.
  const { SOLARCHIVE_TOKEN: _, ...env } = process.env
  const code = await run(command, [...first, ...args, ...quiet], {
    cwd: root,
    env,
    // npm's output goes to stderr: stdout is reserved for the task's output, such as JSON.
    stdio: ['ignore', 2, 2],
    shell: npmScript === undefined && process.platform === 'win32',
  }).catch((/** @type {Error} */ error) => {
    console.error(`npm could not be started: ${error.message}`)
    return 1
  })
  // npm reports a signal as an error of its own.
  if (received !== undefined) process.exit(128 + constants.signals[received])
  if (code !== 0) {
    console.error(
      `Setting up failed: "npm ${args.join(' ')}" did not succeed; see its message above.\n` +
        'Check that the npm registry can be reached and that this folder may be written to, then run the same ' +
        'command again.',
    )
    process.exit(1)
  }
}

async function setUp() {
  if (isSetUp()) return
  console.error('Setting up (once): installing the packages of package-lock.json ...')
  // Scripts of packages are disabled, except for the pinned Node's, which downloads its binary through npm.
  // better-sqlite3 includes a prebuilt file and must not be compiled.
  await npm('ci', '--ignore-scripts')
  await npm('rebuild', 'node', '--ignore-scripts=false')
  if (!isSetUp()) {
    console.error('Setting up failed: npm reported no error, but the pinned Node is not in node_modules/node/bin.')
    process.exit(1)
  }
}

/**
 * Returns whether the process that held the lock has ended.
 * @param {string} lock
 */
function isAbandoned(lock) {
  try {
    const owner = Number(readFileSync(lock, 'utf8'))
    // The file is empty for a moment after its creation, and for longer if its process died right then.
    if (owner === 0) return Date.now() - statSync(lock).mtimeMs > 5_000
    if (owner === process.pid) return true
    process.kill(owner, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

/**
 * Runs `act` while no other process sets up this clone: npm ci starts by deleting node_modules, even while another
 * process is installing into it.
 * @param {() => Promise<void>} act
 */
async function whileNobodyElseSetsUp(act) {
  // In out/, because git ignores that folder and npm ci leaves it alone.
  const lock = join(root, 'out', 'set-up.lock')
  mkdirSync(dirname(lock), { recursive: true })
  let isAnnounced = false
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
    if (isAbandoned(lock)) {
      rmSync(lock, { force: true })
      continue
    }
    if (!isAnnounced) console.error(`Waiting for another process that sets this clone up (it holds ${lock}) ...`)
    isAnnounced = true
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  const release = () => rmSync(lock, { force: true })
  process.once('exit', release)
  await act()
  process.off('exit', release)
  release()
}

const [task = '', ...userArgs] = process.argv.slice(2)
const target = Object.hasOwn(tasks, task) ? tasks[task] : undefined
if (target === undefined) {
  console.error(`Unknown task "${task}". Tasks: ${Object.keys(tasks).join(', ')}.`)
  process.exit(2)
}
if (!isSetUp()) await whileNobodyElseSetsUp(setUp)

/** Limits memory while hundreds of thousands of files are synced: docs/decisions/0007-memory-of-the-process.md. */
const nodeFlags = ['--max-semi-space-size=4', '--heap-growing-percent=50']
const environment = {
  MALLOC_ARENA_MAX: '1',
  // Stripped types are cached: stripping alone takes 28 MB and a tenth of a second.
  NODE_COMPILE_CACHE: join(root, 'out', 'compile-cache'),
  // Files are synced to the disk a dozen at a time, a third as long for each as with Node's four threads.
  UV_THREADPOOL_SIZE: '16',
}

const [script, ...scriptArgs] = target
process.exitCode = await run(pinnedNode, [...nodeFlags, join(root, script), ...scriptArgs, ...userArgs], {
  env: { ...environment, ...process.env },
  // The command line runs in the folder that npm was called from, or in the current one; everything else in the clone.
  cwd: task === 'cli' ? process.env.INIT_CWD : root,
  // The child's end of the channel is disconnected if this process dies without forwarding a signal.
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
}).catch((/** @type {Error} */ error) => {
  console.error(`The pinned Node could not be started: ${error.message}`)
  return 1
})
