import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

const source = new URL('./main.ts', import.meta.url)
const built = new URL('../../out/main/headless.js', import.meta.url)

/** Folder of the code that Node has compiled before. */
const compileCache = new URL('../../out/compile-cache', import.meta.url)

/** Runs the command line from its sources if this Node reads TypeScript, or else from the output of `npm run build`. */
export async function loadMain() {
  // Node does not read TypeScript under node_modules.
  const readsSource = Boolean(process.features.typescript) && !import.meta.url.includes('/node_modules/')
  if (readsSource && existsSync(fileURLToPath(source))) {
    // Beside the sources, which whoever can write there could change as well.
    enableCompileCache(fileURLToPath(compileCache))
    const { runMain } = await import('./main.ts')
    return runMain()
  }
  if (existsSync(fileURLToPath(built))) {
    /** @type {unknown} */
    const module = await import(built.href)
    return /** @type {typeof import('./main.ts')} */ (module).runMain()
  }
  console.error(
    `Node ${process.versions.node} does not read TypeScript, and nothing is built yet. ` +
      'Run "npm run build" in the clone first, or use "npm run cli --" there.',
  )
  process.exitCode = 2
}
