import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { archivesVariable, memoryFolder } from './tests/support/memory-disk.ts'

/**
 * Starts the longest files first, so that none of them runs alone at the end. Without the durations of an earlier run
 * vitest sorts by file size, which says little: the smallest file starts a few hundred processes. Files of the browser
 * follow each other, since a process ends with its Chromium when a file of another project is next. Files of the disk,
 * which wait for it more than they compute, are spread among those in memory.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const of = (name: string) => sorted.filter(({ project }) => project.name === name)
    const isLong = ({ moduleId }: TestSpecification) => moduleId.includes('/tests/faults/')
    const [order, disk, memory] = [of('browser'), of('disk'), of('memory')]
    for (const [at, file] of [...memory.filter(isLong), ...memory.filter((file) => !isLong(file))].entries()) {
      order.push(...(at % 4 === 0 ? disk.splice(0, 1) : []), file)
    }
    return [...order, ...disk]
  }
}

const onDisk = ['tests/faults/{disk,killed-*,moved-*,orders-killed}.test.ts']
const inBrowser = ['tests/e2e/**/*.test.ts']
const memory = memoryFolder()

export default defineConfig({
  test: {
    projects: [
      // Processes that are killed, disks that fail: on the machine's own disk.
      {
        extends: true,
        test: { name: 'disk', include: onDisk, globalSetup: 'tests/support/build-processes.ts' },
      },
      // The app in a browser. The files of a process share its Chromium.
      {
        extends: true,
        test: {
          name: 'browser',
          isolate: false,
          include: inBrowser,
          globalSetup: [
            'tests/e2e/support/built-renderer.ts',
            'tests/support/unpack-chromium.ts',
            ...(memory === undefined ? [] : ['tests/support/memory-disk.ts']),
          ],
          ...(memory !== undefined && { env: { [archivesVariable]: memory } }),
        },
      },
      // Commits and archived files wait for the disk. These tests use a folder in memory instead, if there is one.
      {
        extends: true,
        test: {
          name: 'memory',
          // Modules keep no state between tests, so that a process can run several files: starting a process takes
          // longer than most files.
          isolate: false,
          include: ['tests/**/*.test.ts'],
          // Tests of the installed app need an Electron: vitest.desktop.config.ts.
          exclude: [...configDefaults.exclude, 'tests/desktop/*.test.ts', ...onDisk, ...inBrowser],
          ...(memory !== undefined && { env: { TMPDIR: memory }, globalSetup: 'tests/support/memory-disk.ts' }),
        },
      },
    ],
    pool: 'forks',
    // Tests leave a lot of garbage behind. Collecting it less often, and without helper threads that compete with other
    // workers for the cores, takes a tenth less processor time.
    execArgv: ['--max-semi-space-size=32', '--single-threaded-gc'],
    ...(process.env.NODE_V8_COVERAGE !== undefined && { setupFiles: ['tests/support/take-coverage.ts'] }),
    // Many tests wait for a timeout, a disk, or a process: two workers more than there are cores keep the cores busy.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    // Tests use real servers, disks and processes: generous limits, so that only a hang runs into them.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 240_000 } },
    restoreMocks: true,
    // Node strips the types itself and keeps the result in its compile cache: a quarter of the time of vite's
    // transforms.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
})
