// Builds the app and packages it with electron-builder, whose arguments these are. Without any: the app of this system,
// unpacked, in dist/. SOLARCHIVE_UPDATE_URL is where the packaged app looks for newer ones; without it, it looks
// nowhere.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/**
 * Runs a script of the clone on Node, with its output on the console.
 * @param {string} script
 * @param {readonly string[]} args
 */
function run(script, args) {
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: 'inherit' })
  return status ?? 1
}

/** @returns {string[]} */
function updateArguments() {
  const url = process.env['SOLARCHIVE_UPDATE_URL']?.trim()
  if (!url) return []
  if (URL.canParse(url) && new URL(url).protocol === 'https:') {
    return ['-c.publish.provider=generic', `-c.publish.url=${url}`]
  }
  console.error('SOLARCHIVE_UPDATE_URL must be an address that starts with https://.')
  process.exit(2)
}

const updates = updateArguments()
const userArgs = process.argv.slice(2)
const args = [...(userArgs.length === 0 ? ['--dir'] : userArgs), '--publish', 'never', ...updates]
process.exitCode =
  run('node_modules/electron-vite/bin/electron-vite.js', ['build']) || run('node_modules/electron-builder/cli.js', args)
