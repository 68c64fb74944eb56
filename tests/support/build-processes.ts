import { join } from 'node:path'
import { build } from 'vite'
import { cloneFolder } from '../headless/run-solarchive.ts'

/** Where the bundled processes are, each by its name. */
export const bundledProcess = (name: 'solarchive') => join(cloneFolder, 'out', 'tests', `${name}.js`)

/**
 * Bundles the processes that tests start by the hundred, with the libraries that they use: most of what a short one costs is
 * finding and reading a thousand small files.
 */
export default async function buildProcesses(): Promise<void> {
  const sources = join(import.meta.dirname, 'processes')
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
        input: [join(sources, 'solarchive.ts')],
      },
    },
  })
}
