import { defineConfig } from 'vitest/config'

/** The suite that drives the installed app in a real Electron: scripts/test-desktop.mjs. */
export default defineConfig({
  test: {
    include: ['tests/desktop/*.test.ts'],
    // What is packaged is looked at as it lies on a Linux disk.
    exclude: process.platform === 'linux' ? [] : ['tests/desktop/packaged.test.ts'],
    pool: 'forks',
    // Each file starts apps of its own, and each of these is several processes.
    maxWorkers: 2,
    // Some tests start several apps, each of which may take minutes on a busy machine: only a hang reaches it.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 240_000 } },
  },
})
