// Runs all tests but the desktop suite, and reports which lines and branches of the engine they reach.
// Arguments are vitest's filters.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { printTotal, root, run, runTests, stopOnSignal } from './run-checks.mjs'

const folder = 'out/coverage'
const raw = `${folder}/raw`

stopOnSignal()
rmSync(join(root, folder), { recursive: true, force: true })
// Every process that a test starts inherits the variable.
const tests = await runTests(process.argv.slice(2), { live: true, env: { NODE_V8_COVERAGE: join(root, raw) } })
const reporters = ['text-summary', 'json-summary', 'html'].map((name) => `--reporter=${name}`)
const report = await run(
  [
    ...['node_modules/c8/bin/c8.js', 'report', '--all', '--src=electron/engine', '--include=electron/engine/**/*.ts'],
    ...[...reporters, `--temp-directory=${raw}`, `--reports-dir=${folder}`],
  ],
  { live: true },
)
printTotal([tests, { passed: 0, failed: report.ok ? 0 : 1 }])
