import { app } from 'electron'
import { join } from 'node:path'
import { makeFoldersSync } from '../../engine/lib/fs/make-folders.ts'
import { readStartOptions } from '../start-options.ts'

/**
 * Makes this the one app of a data folder, in which Chromium then keeps what is its own. False: another one has it, and was told
 * to show itself.
 */
export function becomeSingleInstance(homeFolder: string): boolean {
  const folder = join(homeFolder, 'chromium')
  makeFoldersSync(folder, 0o700)
  app.setPath('userData', folder)
  return app.requestSingleInstanceLock()
}

/** Tells when somebody starts the app a second time and wants to see it. */
export function onSecondStart(show: () => void): void {
  app.on('second-instance', (_event, argv) => {
    if (!readStartOptions(argv).isHidden) show()
  })
  // macOS: the icon in the Dock.
  app.on('activate', show)
}
