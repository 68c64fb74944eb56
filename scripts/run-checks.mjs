// Runs checks and test suites in processes of their own, and counts what passed and what failed.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, existsSync, rmSync } from 'node:fs'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { rememberChecks } from './unchanged.mjs'

export const root = join(import.meta.dirname, '..')

/** @typedef {import('./unchanged.mjs').Passable} Check `command`: a script of the clone, and its arguments */
/** @typedef {{ passed: number, failed: number }} Counts */

const isPosix = process.platform !== 'win32'

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()

/** Ends every process of this run, and this one, when a signal arrives or scripts/run.mjs has ended. */
export function stopOnSignal() {
  const stop = (/** @type {number} */ exitCode) => {
    for (const { pid, exitCode: ended, signalCode } of running) {
      if (pid !== undefined && ended === null && signalCode === null) process.kill(isPosix ? -pid : pid, 'SIGTERM')
    }
    process.exit(exitCode)
  }
  process.on('SIGHUP', () => stop(129))
  process.on('SIGINT', () => stop(130))
  process.on('SIGTERM', () => stop(143))
  process.on('disconnect', () => stop(143))
  process.channel?.unref()
}

/**
 * @typedef {object} RunOptions
 * @property {boolean} [live] output goes straight to the console; otherwise it is returned
 * @property {boolean} [lowPriority] the process only uses processor time that others leave
 * @property {string[]} [program] the program that runs Node, and its own arguments
 * @property {NodeJS.ProcessEnv} [env] variables besides this process's own
 */

/**
 * Runs a script of the clone on this Node.
 * @param {string[]} command
 * @param {RunOptions} [options]
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
export function run([script = '', ...args], { live, lowPriority, program = [process.execPath], env } = {}) {
  const [file = '', ...before] = program
  return new Promise((resolve) => {
    const child = spawn(file, [...before, join(root, script), ...args], {
      cwd: root,
      env: { ...process.env, ...env },
      // A process group of its own, because some programs, such as xvfb-run, do not forward signals.
      detached: isPosix,
      stdio: live ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    if (lowPriority && child.pid !== undefined) lowerPriority(child.pid)
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text))
    child.stderr?.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text))
    child.on('error', (error) => resolve({ ok: false, output: `${output}${error.message}\n` }))
    child.on('close', (code, signal) => {
      running.delete(child)
      if (signal !== null) output += `The process was ended by ${signal}.\n`
      resolve({ ok: code === 0, output })
    })
  })
}

/** @param {number} pid */
function lowerPriority(pid) {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // The process has ended already, or the system does not allow it: it runs at its normal priority.
  }
}

const remembered = rememberChecks(root)

/**
 * Runs checks two at a time: most of each is one busy thread. A check that passed with the same files counts as passed.
 * @param {Check[]} checks
 * @param {RunOptions} [options]
 * @returns {Promise<Counts>}
 */
export async function runChecks(checks, options) {
  const queue = [...checks]
  const counts = { passed: 0, failed: 0 }
  const worker = async () => {
    for (let check = queue.shift(); check !== undefined; check = queue.shift()) {
      const state = remembered.stateOf(check)
      if (remembered.hasPassed(check, state)) {
        remembered.remember(check, state)
        counts.passed += 1
        console.log(`ok   ${check.name} (unchanged since it passed)`)
        continue
      }
      const startMs = performance.now()
      const { ok, output } = await run(check.command, options)
      if (ok) remembered.remember(check, state)
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
      counts[ok ? 'passed' : 'failed'] += 1
      console.log(`${ok ? 'ok  ' : 'FAIL'} ${check.name} (${seconds} s)`)
      if (!ok) console.log(output.trimEnd())
    }
  }
  await Promise.all([worker(), worker()])
  return counts
}

/**
 * Runs vitest and returns the counts of its reporter, scripts/count-tests.mjs. A run that aborts or finds no test
 * counts as one failure.
 * @param {string[]} args
 * @param {RunOptions & { mayBeEmpty?: boolean }} [options] `mayBeEmpty`: a run without tests is not a failure
 * @returns {Promise<Counts>}
 */
export async function runTests(args, { mayBeEmpty = false, env = {}, ...options } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-test-counts-'))
  const countsFile = join(folder, 'counts.json')
  // A terminal shows every test; a log only the failures and the total.
  const reporters = [process.stdout.isTTY ? 'default' : 'minimal', join(root, 'scripts', 'count-tests.mjs')]
  try {
    const { ok, output } = await run(
      ['node_modules/vitest/vitest.mjs', 'run', ...reporters.map((reporter) => `--reporter=${reporter}`), ...args],
      { ...options, env: { ...env, SOLARCHIVE_TEST_COUNTS: countsFile } },
    )
    if (!ok) console.log(output.trimEnd())
    const counts = existsSync(countsFile) ? readCounts(countsFile) : undefined
    if (counts === undefined) console.log('FAIL vitest ended without counts')
    else if (counts.passed + counts.failed === 0 && !mayBeEmpty) console.log('FAIL vitest found no test')
    else if (!ok && counts.failed === 0) console.log('FAIL vitest reported an error outside the tests')
    else return counts
    return { passed: counts?.passed ?? 0, failed: 1 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {string} file */
function readCounts(file) {
  /** @type {unknown} */
  const counts = JSON.parse(readFileSync(file, 'utf8'))
  return /** @type {Counts} */ (counts)
}

/**
 * Prints the last line of a run and sets the exit code.
 * @param {readonly Counts[]} parts
 */
export function printTotal(parts) {
  const passed = parts.reduce((sum, counts) => sum + counts.passed, 0)
  const failed = parts.reduce((sum, counts) => sum + counts.failed, 0)
  process.exitCode = failed === 0 ? 0 : 1
  console.log(`${passed} passed, ${failed} failed`)
}
