// The whole test command: every check, all tests, and the installed app's own suite where there is an Electron to run it.
// With arguments, vitest alone, with these as its filters.
import { sourceChecks, treeChecks } from './checks.mjs'
import { findDesktopSuite } from './desktop-suite.mjs'
import { printTotal, run, runChecks, runTests, stopOnSignal } from './run-checks.mjs'

/** @typedef {import('./run-checks.mjs').Counts} Counts */

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
  // The longest first. Low priority: the checks take the time in which tests wait for a disk or a timeout.
  const checks = [...sourceChecks, ...treeChecks]
  printTotal(
    await Promise.all([runChecks(checks, { lowPriority: true }), runTests([], { live: true }), runDesktopTests()]),
  )
}
