import { findElectron } from '../../../electron/headless/electron-app.ts'
import { cloneFolder } from '../../headless/run-solarchive.ts'

/** Returns the suite's Electron. Throws if there is none: scripts/test-desktop.mjs does not start the suite then. */
export function electronProgram(): string {
  const found = findElectron(cloneFolder, process.env, process.platform)
  if (found.kind === 'absent') throw new Error(found.why)
  return found.program
}
