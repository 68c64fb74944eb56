// Checks that need no test runner: types of every layer, lint, formatting, import rules, dead code.
/** @typedef {import('./run-checks.mjs').Check} Check */

/** Only formatting depends on documents. */
const documents = ['docs/', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']
const oxlint = 'node_modules/oxlint/bin/oxlint'

/**
 * Types, lint, and formatting. oxlint also reports type errors, because its typed rules run the compiler. It checks
 * each file with the nearest tsconfig.json, which limits what a layer may use. The pages' templates are checked by
 * vue-tsc and ESLint, which keep their caches in out/, which git ignores.
 * @type {Check[]}
 */
export const sourceChecks = [
  { name: 'types and lint of the app', command: [oxlint, 'electron'], ignores: [...documents, 'renderer/', 'tests/'] },
  {
    name: 'types and lint of tests',
    command: [oxlint, '.', '--ignore-pattern=electron', '--ignore-pattern=shared', '--ignore-pattern=renderer'],
    ignores: documents,
  },
  {
    name: 'types and lint of shared code',
    command: [oxlint, 'shared', 'renderer'],
    ignores: [...documents, 'electron/', 'tests/'],
  },
  {
    name: 'types of pages',
    command: [
      'node_modules/vue-tsc/bin/vue-tsc.js',
      '-p',
      'renderer/tsconfig.json',
      '--incremental',
      '--tsBuildInfoFile',
      'out/checks/renderer.tsbuildinfo',
    ],
    ignores: [...documents, 'electron/', 'tests/'],
  },
  {
    name: 'lint of pages',
    command: [
      'node_modules/eslint/bin/eslint.js',
      '--max-warnings=0',
      'renderer',
      '--cache',
      '--cache-strategy=content',
      '--cache-location=out/checks/eslint',
    ],
    ignores: [...documents, 'electron/', 'tests/'],
  },
  { name: 'formatting', command: ['node_modules/oxfmt/bin/oxfmt', '--check', '.'] },
]

/** @type {Check[]} */
export const treeChecks = [
  {
    name: 'import rules',
    command: [
      'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
      '--config=.dependency-cruiser.cjs',
      'electron',
      'renderer',
      'scripts',
      'shared',
      'tests',
    ],
    ignores: documents,
  },
  { name: 'dead code', command: ['node_modules/knip/bin/knip.js'], ignores: documents },
]
