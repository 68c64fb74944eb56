import { join } from 'node:path'
import { build } from 'vite'
import { cloneFolder } from '../headless/run-solarchive.ts'

/** Path of the bundled command line. */
export const bundledCommandLine = join(cloneFolder, 'out', 'tests', 'solarchive.js')

/**
 * Bundles the command line, which tests start dozens of times, with its libraries: most of the cost of a short process
 * is finding and reading a thousand small files.
 */
export default async function buildProcesses(): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    root: cloneFolder,
    // The native library is found by its own path.
    ssr: { noExternal: true, external: ['better-sqlite3'] },
    build: {
      ssr: true,
      target: 'node24',
      outDir: join('out', 'tests'),
      emptyOutDir: true,
      rolldownOptions: {
        input: [join(import.meta.dirname, 'processes', 'solarchive.ts')],
      },
    },
  })
}
