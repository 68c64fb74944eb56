// Checks that need no test runner: types of every layer, lint, formatting, import rules, dead code.
/** @typedef {import('./run-checks.mjs').Check} Check */

/**
 * Types, lint, and formatting. oxlint's typed rules need the compiler's program, so it reports type errors as well. It
 * judges each file under the tsconfig.json nearest to it: no layer sees what it may not use. The pages' templates are
 * vue-tsc's and ESLint's; both keep in out/, which git ignores, what a later run may skip.
 * @type {Check[]}
 */
export const sourceChecks = [
  { name: 'types and lint', command: ['node_modules/oxlint/bin/oxlint', '.'] },
  {
    name: 'types of pages',
    command: [
      ...['node_modules/vue-tsc/bin/vue-tsc.js', '-p', 'renderer/tsconfig.json'],
      ...['--incremental', '--tsBuildInfoFile', 'out/checks/renderer.tsbuildinfo'],
    ],
  },
  {
    name: 'lint of pages',
    command: [
      ...['node_modules/eslint/bin/eslint.js', '--max-warnings=0', 'renderer'],
      ...['--cache', '--cache-strategy=content', '--cache-location=out/checks/eslint'],
    ],
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
      ...['electron', 'renderer', 'scripts', 'shared', 'tests'],
    ],
  },
  { name: 'dead code', command: ['node_modules/knip/bin/knip.js'] },
]
