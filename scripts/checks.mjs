// Checks that need no test runner: types of every layer, lint, formatting, import rules, dead code.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run-checks.mjs'

/** @typedef {import('./run-checks.mjs').Check} Check */

/** Git ignores it; each check keeps there what a later run may skip. */
const cacheFolder = 'out/checks'

const tsc = 'node_modules/typescript/bin/tsc'

/**
 * @param {string} compiler
 * @param {string} project
 * @param {string} name
 * @returns {Check}
 */
const typeCheck = (compiler, project, name) => ({
  name: `types of ${name}`,
  command: [
    ...[compiler, '-p', project, '--incremental'],
    ...['--tsBuildInfoFile', `${cacheFolder}/${name.replaceAll(/\W+/g, '-')}.tsbuildinfo`],
  ],
})

/**
 * @returns {Check[]} one for everything that runs on Node, whose layers have the same options and most files in common,
 *   and one for each other folder that has a tsconfig.json, so that a new layer cannot be forgotten
 */
export function typeChecks() {
  const electronFolders = readdirSync(join(root, 'electron')).map((name) => `electron/${name}`)
  const otherLayers = [...electronFolders, 'shared'].filter((folder) => {
    const config = join(root, folder, 'tsconfig.json')
    return existsSync(config) && !readFileSync(config, 'utf8').includes('tsconfig.node.json')
  })
  return [
    typeCheck(tsc, 'tsconfig.json', 'all that runs on Node'),
    typeCheck('node_modules/vue-tsc/bin/vue-tsc.js', 'renderer/tsconfig.json', 'renderer'),
    ...otherLayers.map((folder) => typeCheck(tsc, `${folder}/tsconfig.json`, folder)),
  ]
}

/**
 * @param {string[]} [files] paths below the clone; all by default
 * @returns {Check[]}
 */
export function fileChecks(files = ['.']) {
  const prettier = ['node_modules/prettier/bin/prettier.cjs', '--check', '--ignore-unknown', '--log-level=warn']
  const eslint = ['node_modules/eslint/bin/eslint.js', '--max-warnings=0', '--no-warn-ignored']
  const scripts = files.filter((file) => file === '.' || /\.(ts|vue|[cm]?js)$/.test(file))
  const lint = {
    name: 'lint',
    command: [...eslint, '--cache', '--cache-strategy=content', `--cache-location=${cacheFolder}/eslint`, ...scripts],
  }
  const formatting = {
    name: 'formatting',
    command: [...prettier, '--cache', '--cache-strategy=content', `--cache-location=${cacheFolder}/prettier`, ...files],
  }
  return scripts.length === 0 ? [formatting] : [lint, formatting]
}

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
