// Builds the app and runs its tests in a real Electron. Arguments are vitest's. Exit code 3: there is nothing to run
// them with.
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { appBuild, findDesktopSuite } from './desktop-suite.mjs'
import { signalGroup, startGroup } from './process-group.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * Runs a script of the clone on Node, with its output on the console, and forwards signals to its process group.
 * @param {string[]} program
 * @param {string[]} command
 * @returns {Promise<number>} its exit code; like in a shell, 128 + n if signal n ended it
 */
function run([program = '', ...before], [script = '', ...args]) {
  const child = startGroup(program, [...before, join(root, script), ...args], { cwd: root, stdio: 'inherit' })
  /** @param {NodeJS.Signals} signal */
  const passOn = (signal) => signalGroup(child, signal)
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, passOn)
  // scripts/run.mjs died without forwarding a signal.
  const isAlone = () => passOn('SIGTERM')
  process.on('disconnect', isAlone)
  return new Promise((resolve) => {
    const end = (/** @type {number} */ code) => {
      for (const signal of signals) process.off(signal, passOn)
      process.off('disconnect', isAlone)
      resolve(code)
    }
    child.on('error', () => end(1))
    child.on('exit', (code, signal) => end(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  })
}

process.channel?.unref()
const suite = findDesktopSuite()
if (suite.kind === 'absent') {
  console.error(`The tests of the installed app were not run. ${suite.why}`)
  process.exitCode = 3
} else {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...suite.vitestArgs, ...process.argv.slice(2)]
  process.exitCode = (await run([process.execPath], appBuild.command)) || (await run(suite.program, vitest))
}
