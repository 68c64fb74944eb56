// The whole test command: every check, all tests, and the installed app's own suite where there is an Electron to run
// it. With arguments, vitest alone, with these as its filters.
import { sourceChecks, treeChecks } from './checks.mjs'
import { appBuild, findDesktopSuite } from './desktop-suite.mjs'
import { printTotal, runChecks, runTests, stopOnSignal } from './run-checks.mjs'

/** @typedef {import('./run-checks.mjs').Counts} Counts */

/**
 * Runs the desktop suite, or prints why it cannot run.
 * @returns {Promise<Counts>}
 */
async function runDesktopTests() {
  const suite = findDesktopSuite()
  if (suite.kind === 'absent') {
    console.log(`not run: the tests of the installed app (npm run test:desktop). ${suite.why}`)
    return { passed: 0, failed: 0 }
  }
  const startMs = performance.now()
  const counts = await runTests(suite.vitestArgs, { program: suite.program })
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
  console.log(
    `${counts.failed === 0 ? 'ok  ' : 'FAIL'} tests of the installed app: ${counts.passed} passed (${seconds} s)`,
  )
  return counts
}

stopOnSignal()
const filters = process.argv.slice(2)
if (filters.length > 0) {
  printTotal([await runTests(filters, { live: true })])
} else {
  // Low priority: the checks use the processor while tests wait for a disk or a timeout.
  const checks = [...sourceChecks, ...treeChecks]
  const checking = runChecks(checks, { lowPriority: true })
  // The browser tests and the desktop suite share one build: two builds would delete each other's files.
  const built = await runChecks([appBuild])
  printTotal([built, ...(await Promise.all([checking, runTests([], { live: true }), runDesktopTests()]))])
}
