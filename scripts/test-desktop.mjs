// Builds the app and runs its tests in a real Electron. Arguments are vitest's. Exit code 3: there is nothing to run
// them with.
import { appBuild, findDesktopSuite } from './desktop-suite.mjs'
import { run, stopOnSignal } from './run-checks.mjs'

stopOnSignal()
const suite = findDesktopSuite()
if (suite.kind === 'absent') {
  console.error(`The tests of the installed app were not run. ${suite.why}`)
  process.exitCode = 3
} else {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...suite.vitestArgs, ...process.argv.slice(2)]
  const isPassed =
    (await run(appBuild.command, { live: true })).ok && (await run(vitest, { live: true, program: suite.program })).ok
  process.exitCode = isPassed ? 0 : 1
}
