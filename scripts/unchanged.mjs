// Remembers which files a check passed with, so that it runs again only after one of them changed.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * @typedef {object} Passable
 * @property {string} name
 * @property {string[]} command
 * @property {readonly string[]} [ignores] beginnings of paths that the result does not depend on
 * @property {readonly string[]} [outputs] files that it writes; it runs again if they changed since
 */

/**
 * Returns what remembers the checks of a clone in its folder `out`. Without git, every check runs each time.
 * @param {string} root
 */
export function rememberChecks(root) {
  const fileOf = (/** @type {Passable} */ check) =>
    join(root, 'out', 'checks', `${check.name.replaceAll(' ', '-')}.passed`)
  /** @type {Map<string, string> | undefined} */
  let hashes

  /** @param {Passable} check */
  const outputsOf = ({ outputs = [] }) => outputs.map((path) => timeOf(join(root, path))).join()

  return {
    /**
     * Returns the state of everything that the check depends on, or undefined if that is unknown. Files that change
     * later in this process are not noticed: a check that passes may have read them before.
     * @param {Passable} check
     */
    stateOf({ command, ignores = [] }) {
      hashes ??= hashFiles(root)
      if (hashes === undefined) return undefined
      const files = [...hashes].filter(([path]) => !ignores.some((start) => path.startsWith(start)))
      return createHash('sha256')
        .update(JSON.stringify([process.version, command, files]))
        .digest('hex')
    },

    /**
     * Returns whether the check passed with this state.
     * @param {Passable} check
     * @param {string | undefined} state
     */
    hasPassed(check, state) {
      if (state === undefined) return false
      try {
        return readFileSync(fileOf(check), 'utf8') === `${state} ${outputsOf(check)}`
      } catch {
        return false
      }
    },

    /**
     * Remembers that the check passed with this state. Its outputs become newer than all they are made from.
     * @param {Passable} check
     * @param {string | undefined} state
     */
    remember(check, state) {
      if (state === undefined) return
      const now = new Date()
      for (const path of check.outputs ?? []) utimesSync(join(root, path), now, now)
      mkdirSync(dirname(fileOf(check)), { recursive: true })
      writeFileSync(fileOf(check), `${state} ${outputsOf(check)}`)
    },
  }
}

/** @param {string} path */
const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 'none'

/**
 * Returns the hash of each file of the clone that git does not ignore, and of the list of installed packages.
 * @param {string} root
 * @returns {Map<string, string> | undefined}
 */
function hashFiles(root) {
  try {
    const options = /** @type {const} */ ({ cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26, stdio: 'pipe' })
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], options)
    const paths = new Set(listed.split('\0').filter((path) => path !== ''))
    if (paths.size === 0) return undefined
    paths.add('node_modules/.package-lock.json')
    return new Map([...paths].sort().map((path) => [path, hashFile(join(root, path))]))
  } catch {
    return undefined
  }
}

/** @param {string} path */
function hashFile(path) {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch {
    // Deleted, or a link into nowhere.
    return 'unreadable'
  }
}
