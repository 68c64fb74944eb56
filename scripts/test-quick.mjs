// Checks for daily work: types, lint, formatting, and the tests that depend on changed files and mirror their folders
// (electron/engine/orders/ is tested in tests/engine/orders/). Only npm test runs tests/faults, tests/e2e, and
// tests/desktop. Changes are counted from the branch main, or on main itself from the previous commit; an argument
// names another commit.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { sourceChecks } from './checks.mjs'
import { printTotal, root, runChecks, runTests, stopOnSignal } from './run-checks.mjs'

/** @param {...string} args */
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

/** @returns {string} the commit that changes are counted from */
function findBase() {
  const [commit] = process.argv.slice(2)
  if (commit !== undefined) return git('rev-parse', '--verify', commit)
  const head = git('rev-parse', 'HEAD')
  for (const branch of ['main', 'origin/main']) {
    try {
      const base = git('merge-base', 'HEAD', branch)
      if (base !== head) return base
    } catch {
      // A clone of one branch, or a shallow one: it has no such branch.
    }
  }
  return git('rev-parse', 'HEAD~')
}

/**
 * @param {string} file
 * @returns {string | undefined} the test file itself, or the folder of tests that mirrors the file's own most closely
 */
function findTests(file) {
  if (file.endsWith('.test.ts')) return file
  const mirror = file.startsWith('tests/') ? file : `tests/${file.replace(/^electron\//, '')}`
  let folder = dirname(mirror)
  while (folder !== '.' && !existsSync(join(root, folder))) folder = dirname(folder)
  return folder === '.' || folder === 'tests' ? undefined : `${folder}/`
}

stopOnSignal()
const base = findBase()
const changed = [
  ...git('diff', '--name-only', '--diff-filter=d', base).split('\n'),
  ...git('ls-files', '--others', '--exclude-standard').split('\n'),
].filter((file) => file !== '')
const filters = [...new Set(changed.map(findTests).filter((filter) => filter !== undefined))]
// All files are checked, because a change may break the types of others.
const parts = [await runChecks(sourceChecks)]
if (filters.length > 0) {
  parts.push(await runTests(['--changed', base, '--project=memory', ...filters], { live: true, mayBeEmpty: true }))
}
printTotal(parts)
