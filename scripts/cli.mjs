// Runs the command line of this clone from a bundle of its sources, which starts in a third of their time. The bundle
// is made when a source has changed, and kept under a name that stands for the state of all sources: one of another
// state is never run. See docs/decisions/0033-the-command-line-of-a-clone-is-bundled.md.
import { createRequire } from 'node:module'
import { join } from 'node:path'

// An import would load streams and promises of files, too, because Node exports them there.
const { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } = process.getBuiltinModule('node:fs')

const root = join(import.meta.dirname, '..')
const bundles = join(root, 'out', 'cli')

/** A process that runs longer may still import a part of its bundle. */
const keptMs = 30 * 24 * 60 * 60 * 1000

/**
 * Returns a name for the state of all that the bundle is made from. Whatever changes, replaces, adds, or removes a file
 * changes one of the sums: a time of change cannot be set back.
 */
function stateOfSources() {
  let [files, bytes, times] = [0, 0, 0]
  /** @param {string} path */
  const add = (path) => {
    const { size, ctimeMs } = statSync(path)
    files += 1
    bytes += size
    times += Math.round(ctimeMs)
  }
  // `readdirSync` with `recursive` takes four times as long.
  /** @param {string} folder */
  const addFolder = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) addFolder(path)
      else if (path.endsWith('.ts')) add(path)
    }
  }
  for (const folder of ['electron', 'shared']) addFolder(join(root, folder))
  for (const file of ['package.json', 'package-lock.json', 'scripts/bundle.mjs']) add(join(root, file))
  return `${process.versions.node}-${files}-${bytes}-${times}`
}

/** Removes old bundles, and what interrupted builds have left. */
function removeOld() {
  for (const name of readdirSync(bundles)) {
    const path = join(bundles, name)
    if (statSync(path).mtimeMs < Date.now() - keptMs) rmSync(path, { recursive: true, force: true })
  }
}

/** Returns the path of the bundle, which is made first if there is none, or `undefined` if it cannot be made. */
async function currentBundle() {
  try {
    const folder = join(bundles, stateOfSources())
    const program = join(folder, 'main.js')
    if (existsSync(program)) return program
    mkdirSync(bundles, { recursive: true })
    const { spawnSync } = await import('node:child_process')
    const made = `${folder}.${process.pid}`
    const args = [join(import.meta.dirname, 'bundle.mjs'), join(root, 'electron', 'headless', 'main.ts'), made]
    // In a process of its own, because the bundler takes more memory than a whole sync.
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'ignore'] })
    if (status !== 0) return undefined
    // Fails if another process was faster.
    if (!existsSync(folder)) renameSync(made, folder)
    removeOld()
    return existsSync(program) ? program : undefined
  } catch {
    // This user may not write into the clone, for example.
    return undefined
  }
}

const bundle = await currentBundle()
if (bundle === undefined) await import('../electron/headless/solarchive.mjs')
else {
  /** @type {unknown} */
  const module = createRequire(import.meta.url)(bundle)
  await /** @type {{ runMain: () => Promise<void> }} */ (module).runMain()
}
