import { app, dialog } from 'electron'
import type { Log } from '../../engine/lib/ports.ts'

/**
 * Logs every error that nobody caught, and tells the person of the first: what the engine cannot go on after it says by itself,
 * so that the app need not end. Answers how to say where to log, once that is known.
 */
export function watchForUnexpectedErrors(): (log: Log) => void {
  let log: Log | undefined
  let isTold = false
  const note = (cause: unknown) => {
    log?.error('An error of the app was caught by nobody', { cause })
    if (isTold) return
    isTold = true
    void app.whenReady().then(tell)
  }
  process.on('uncaughtException', note)
  process.on('unhandledRejection', note)
  // Started from a terminal that was closed since, there is nobody to tell anything there.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  // Chromium starts those anew by itself.
  app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
    if (reason !== 'clean-exit') log?.warn('A process of Chromium ended', { type, reason, exitCode })
  })
  return (known) => {
    log = known
  }
}

async function tell(): Promise<void> {
  await dialog.showMessageBox({
    type: 'error',
    title: 'Solarchive',
    message: 'Something unexpected went wrong inside Solarchive',
    detail:
      'What is archived is safe. If Solarchive behaves oddly, quit it and start it again. A support bundle, made in the ' +
      'settings, tells more.',
  })
}
