import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    pool: 'forks',
    // Many tests wait for a timeout or a disk: one worker more than there are cores keeps the cores busy.
    maxWorkers: availableParallelism() + 1,
    // Tests use real servers, disks and processes: generous limits, so that only a hang runs into them.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    restoreMocks: true,
  },
})
