import { dialog, type BrowserWindow } from 'electron'
import type { Clock, Log } from '../../engine/lib/ports.ts'
import { afterCrash } from './reload-after-crash.ts'

/** Brings the window's page back when its process dies; what is archived goes on meanwhile, in another process. */
export function keepPage(window: BrowserWindow, load: () => void, { clock, log }: { clock: Clock; log: Log }): void {
  const crashesAtMs: number[] = []
  let waiting: NodeJS.Timeout | undefined

  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return
    log.error('The page of the window crashed', { reason, exitCode })
    const nowMs = clock.monotonicMs()
    crashesAtMs.push(nowMs)
    const next = afterCrash(crashesAtMs, nowMs)
    clearTimeout(waiting)
    if (next.kind === 'reload') waiting = setTimeout(reload, next.delayMs)
    else void ask()
  })
  window.webContents.on('unresponsive', () => log.warn('The page of the window does not respond'))
  window.once('closed', () => clearTimeout(waiting))

  function reload(): void {
    // A person who asked for the window meanwhile has it already.
    if (!window.isDestroyed() && window.webContents.isCrashed()) load()
  }

  async function ask(): Promise<void> {
    const { response } = await dialog.showMessageBox({
      type: 'warning',
      title: 'Solarchive',
      message: 'The window keeps failing',
      detail: 'Your archive is kept up to date all the same. Try again, or start Solarchive anew later.',
      buttons: ['Try again', 'Leave it'],
      ...{ defaultId: 0, cancelId: 1 },
    })
    if (response !== 0) return
    crashesAtMs.length = 0
    reload()
  }
}
