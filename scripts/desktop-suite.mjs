// Finds what the tests of the installed app need: an Electron, and on Linux a display or Xvfb.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findElectron, hasDisplay } from '../electron/headless/electron-app.ts'

const root = join(import.meta.dirname, '..')

/**
 * @typedef {{ kind: 'absent', why: string }} AbsentSuite `why` is a sentence
 * @typedef {{ kind: 'ready', vitestArgs: string[], program: string[] }} ReadySuite
 *   `program`: Node, or the program that starts it, with its arguments
 */

/**
 * Builds the app into `out/`.
 * @type {import('./run-checks.mjs').Check}
 */
export const appBuild = {
  name: 'building the app',
  command: ['node_modules/electron-vite/bin/electron-vite.js', 'build'],
  ignores: ['docs/', 'tests/', 'CHANGELOG.md', 'README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  outputs: ['out/main/app.js', 'out/main/headless.js', 'out/preload/bridge.cjs', 'out/renderer/index.html'],
}

/**
 * By default the display starts over whenever its last client ends, and an app that connects at that moment fails or
 * hangs.
 */
const displayArgs = '-screen 0 1280x1024x24 -noreset'

/** @returns {AbsentSuite | ReadySuite} */
export function findDesktopSuite() {
  const { env, platform } = process
  const electron = findElectron(root, env, platform)
  if (electron.kind === 'absent') return electron
  const isShown = hasDisplay(env, platform)
  if (!isShown && !isInPath('xvfb-run')) {
    return { kind: 'absent', why: 'There is no display, and xvfb-run (package xvfb) is not installed.' }
  }
  return {
    kind: 'ready',
    vitestArgs: ['--config', 'vitest.desktop.config.ts'],
    program: isShown ? [process.execPath] : ['xvfb-run', '-a', '-s', displayArgs, process.execPath],
  }
}

/** @param {string} name */
function isInPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)))
}
