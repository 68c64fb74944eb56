// Runs all tests but the desktop suite, and reports which lines and branches of the engine they reach.
// Arguments are vitest's filters.
import { globSync, readFileSync, rmSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { printTotal, root, run, runTests, stopOnSignal } from './run-checks.mjs'

const folder = 'out/coverage'
const raw = `${folder}/raw`

/** Returns whether a file declares types alone, of which nothing can run. */
const isTypesAlone = (/** @type {string} */ file) =>
  stripTypeScriptTypes(readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[^]*?\*\/|^ *\/\/.*$/gm, '')).trim() ===
  ''

const typesAlone = globSync('electron/engine/**/*.ts', { cwd: root }).filter(isTypesAlone)

stopOnSignal()
rmSync(join(root, folder), { recursive: true, force: true })
// Every process that a test starts inherits the variable.
const tests = await runTests(process.argv.slice(2), { live: true, env: { NODE_V8_COVERAGE: join(root, raw) } })
const reporters = ['text-summary', 'json-summary', 'html'].map((name) => `--reporter=${name}`)
const report = await run(
  [
    'node_modules/c8/bin/c8.js',
    'report',
    '--all',
    '--src=electron/engine',
    '--include=electron/engine/**/*.ts',
    ...typesAlone.map((file) => `--exclude=${file}`),
    ...reporters,
    `--temp-directory=${raw}`,
    `--reports-dir=${folder}`,
  ],
  { live: true },
)
printTotal([tests, { passed: 0, failed: report.ok ? 0 : 1 }])
