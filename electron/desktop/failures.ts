import { app, dialog } from 'electron'
import { toAppError } from '../../shared/errors.ts'
import type { Log } from '../engine/lib/ports.ts'

/** Shows why the app cannot run, in a dialog and on the console. Resolves once the dialog is closed. */
export async function showStartFailure(thrown: unknown): Promise<void> {
  const { code, message } = toAppError(thrown)
  process.stderr.write(`${message}\n`)
  await app.whenReady()
  const title = code === 'data-folder-locked' ? 'Solarchive is running already' : 'Solarchive cannot run'
  await dialog.showMessageBox({
    type: 'error',
    title: 'Solarchive',
    message: title,
    detail: message,
    buttons: ['Quit'],
  })
}

/** Shows that a command chosen outside the window failed. */
export async function showCommandFailure(detail: string): Promise<void> {
  await dialog.showMessageBox({ type: 'warning', title: 'Solarchive', message: 'Something went wrong', detail })
}

/**
 * Logs every uncaught error, and shows a dialog for the first: the engine reports by itself what stops it, so the app
 * need not quit.
 */
export function watchForUnexpectedErrors(log: Log): void {
  let isShown = false
  const report = (cause: unknown) => {
    log.error('Uncaught error in the app', { cause })
    if (isShown) return
    isShown = true
    void app.whenReady().then(showUnexpectedError)
  }
  process.on('uncaughtException', report)
  process.on('unhandledRejection', report)
  // The terminal that the app was started from may be closed: writing to it then fails, and nobody reads it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  // Chromium restarts these processes by itself.
  app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
    if (reason !== 'clean-exit') log.warn('A process of Chromium ended', { type, reason, exitCode })
  })
}

async function showUnexpectedError(): Promise<void> {
  await dialog.showMessageBox({
    type: 'error',
    title: 'Solarchive',
    message: 'Something unexpected went wrong inside Solarchive',
    detail:
      'Your archive is safe. If Solarchive behaves oddly, quit it and start it again. A support bundle, which you ' +
      'can make in the settings, has the details.',
  })
}
