// The whole test command: types of every layer, lint, import rules, dead code, and beside them the tests.
// Then the installed app's own suite, where there is an Electron to run it. With arguments, vitest alone, with these as its filters.
import { mkdtempSync, readFileSync, readdirSync, existsSync, rmSync } from 'node:fs'
import { constants, setPriority, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findDesktopSuite } from './desktop-suite.mjs'
import { signalGroup, startGroup } from './process-group.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** @typedef {{ name: string, command: string[] }} Check */
/** @typedef {{ passed: number, failed: number }} Counts */
/** @typedef {{ status: string, assertionResults: unknown[] }} VitestFile */
/** @typedef {{ numPassedTests: number, numFailedTests: number, testResults: VitestFile[] }} VitestReport */

const tsc = 'node_modules/typescript/bin/tsc'

/**
 * @returns {Check[]} one for all that runs on Node, whose layers have the same options and most files in common, and one for each
 *   other folder that has a tsconfig.json, so that a new layer cannot be forgotten
 */
function typeChecks() {
  const apart = [...readdirSync(join(root, 'electron')).map((name) => `electron/${name}`), 'shared'].filter(
    (folder) => {
      const config = join(root, folder, 'tsconfig.json')
      return existsSync(config) && !readFileSync(config, 'utf8').includes('tsconfig.node.json')
    },
  )
  return [
    { name: 'types of all that runs on Node', command: [tsc, '-p', 'tsconfig.json'] },
    { name: 'types of renderer', command: ['node_modules/vue-tsc/bin/vue-tsc.js', '-p', 'renderer/tsconfig.json'] },
    ...apart.map((folder) => ({ name: `types of ${folder}`, command: [tsc, '-p', `${folder}/tsconfig.json`] })),
  ]
}

/**
 * The longest first: begun last, it would run alone.
 * @type {Check[]}
 */
const otherChecks = [
  { name: 'lint', command: ['node_modules/eslint/bin/eslint.js', '--max-warnings=0', '.'] },
  { name: 'formatting', command: ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.'] },
  {
    name: 'import rules',
    command: [
      'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
      '--config=.dependency-cruiser.cjs',
      ...['electron', 'renderer', 'scripts', 'shared', 'tests'],
    ],
  },
  { name: 'dead code', command: ['node_modules/knip/bin/knip.js'] },
]

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()

/** @param {number} exitCode */
function stop(exitCode) {
  for (const child of running) signalGroup(child, 'SIGTERM')
  process.exit(exitCode)
}

/**
 * Runs a script on this Node.
 * @param {string[]} command
 * @param {'live' | 'quiet' | 'aside'} how `live`: its output goes straight to the console. `aside`: quiet, and it takes only the
 *   time in which the tests wait for a disk or a timeout, so that it slows none of them down.
 * @param {string[]} program what runs Node, and its own arguments
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
function run(
  [script = '', ...args],
  how = /** @type {'live' | 'quiet' | 'aside'} */ ('quiet'),
  [program = '', ...before] = [process.execPath],
) {
  return new Promise((resolve) => {
    const child = startGroup(program, [...before, join(root, script), ...args], {
      cwd: root,
      stdio: how === 'live' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    if (how === 'aside' && child.pid !== undefined) giveWay(child.pid)
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text))
    child.stderr?.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text))
    child.on('error', (error) => resolve({ ok: false, output: `${output}${error.message}\n` }))
    child.on('close', (code, signal) => {
      running.delete(child)
      if (signal !== null) output += `It was ended by ${signal}.\n`
      resolve({ ok: code === 0, output })
    })
  })
}

/** @param {number} pid */
function giveWay(pid) {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It is over already, or the system lets nobody choose: then it runs like every other.
  }
}

/**
 * Runs the checks two at a time: most of each is one busy thread.
 * @param {Check[]} checks
 * @returns {Promise<Counts>}
 */
async function runChecks(checks) {
  const waiting = [...checks]
  const counts = { passed: 0, failed: 0 }
  const work = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const startMs = performance.now()
      const { ok, output } = await run(check.command, 'aside')
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
      counts[ok ? 'passed' : 'failed'] += 1
      console.log(`${ok ? 'ok  ' : 'FAIL'} ${check.name} (${seconds} s)`)
      if (!ok) console.log(output.trimEnd())
    }
  }
  await Promise.all([work(), work()])
  return counts
}

/**
 * Runs vitest and counts by its own report. A run that broke off, or that found no test, counts as one failure.
 * @param {string[]} filters
 * @param {string[]} [program]
 * @returns {Promise<Counts>}
 */
async function runTests(filters, program) {
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-test-report-'))
  const report = join(folder, 'report.json')
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const { ok } = await run(['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...filters], 'live', program)
    const counts = readCounts(report)
    if (counts === undefined) console.log('FAIL vitest ended without a report')
    else if (counts.passed + counts.failed === 0) console.log('FAIL vitest found no test')
    else if (!ok && counts.failed === 0) console.log('FAIL vitest reported an error outside the tests')
    else return counts
    return { passed: counts?.passed ?? 0, failed: 1 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Runs the installed app's own suite, or says why it does not run.
 * @returns {Promise<Counts>}
 */
async function runDesktopTests() {
  const suite = findDesktopSuite()
  if (suite.kind === 'absent') {
    console.log(`not run: the tests of the installed app (npm run test:desktop). ${suite.why}`)
    return { passed: 0, failed: 0 }
  }
  const build = await run(suite.build)
  if (!build.ok) {
    console.log(`FAIL building the installed app\n${build.output.trimEnd()}`)
    return { passed: 0, failed: 1 }
  }
  console.log('The tests of the installed app:')
  return runTests(suite.vitestArgs, suite.program)
}

/**
 * @param {string} report
 * @returns {Counts | undefined}
 */
function readCounts(report) {
  if (!existsSync(report)) return undefined
  /** @type {unknown} */
  const json = JSON.parse(readFileSync(report, 'utf8'))
  const result = /** @type {VitestReport} */ (json)
  // A file that could not even be loaded has no tests to fail.
  const brokenFiles = result.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  )
  return { passed: result.numPassedTests, failed: result.numFailedTests + brokenFiles.length }
}

process.on('SIGINT', () => stop(130))
process.on('SIGTERM', () => stop(143))
// The door (scripts/run.mjs) died without passing a signal on.
process.on('disconnect', () => stop(143))
process.channel?.unref()

const filters = process.argv.slice(2)
const isWhole = filters.length === 0
const checking = isWhole ? runChecks([...otherChecks, ...typeChecks()]) : { passed: 0, failed: 0 }
const tests = await runTests(filters)
const desktop = isWhole ? await runDesktopTests() : { passed: 0, failed: 0 }
const checks = await checking
const failed = checks.failed + tests.failed + desktop.failed
process.exitCode = failed === 0 ? 0 : 1
console.log(`${checks.passed + tests.passed + desktop.passed} passed, ${failed} failed`)
