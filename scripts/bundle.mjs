// Bundles a program of this clone with its libraries: most of the start of a short process is finding and reading a
// thousand small files.
import { join } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')
const thread = join(root, 'electron', 'engine', 'downloads', 'write-thread.ts')

/**
 * @param {string} input path of the program's entry
 * @param {string} outDir emptied first
 */
export async function bundle(input, outDir) {
  await build({
    configFile: false,
    logLevel: 'warn',
    root,
    // The native library is found by its own path.
    ssr: { noExternal: true, external: ['better-sqlite3'] },
    build: {
      ...{ ssr: true, target: 'node24', outDir, emptyOutDir: true },
      // The thread is a file of its own beside the chunk that starts it; see group-writer.ts.
      rolldownOptions: { input: [input, thread], output: { chunkFileNames: '[name]-[hash].js' } },
    },
  })
}

const [, script, input, outDir] = process.argv
if (script === import.meta.filename && input !== undefined && outDir !== undefined) await bundle(input, outDir)
