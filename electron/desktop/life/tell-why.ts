import { app, dialog } from 'electron'
import { toAppError } from '../../../shared/errors.ts'

/** Tells whoever started the app at the console why this start shows no window of its own. */
export function tellRunningAlready(isHidden: boolean): void {
  process.stdout.write(`Solarchive is running already${isHidden ? '' : '; its window is shown'}.\n`)
}

/** Tells why the app cannot run, at the console as well. Resolves when the person has read it. */
export async function tellWhyItCannotRun(thrown: unknown): Promise<void> {
  const { code, message } = toAppError(thrown)
  process.stderr.write(`${message}\n`)
  await app.whenReady()
  const told = code === 'data-folder-locked' ? 'Solarchive is running already' : 'Solarchive cannot run'
  await dialog.showMessageBox({ type: 'error', title: 'Solarchive', message: told, detail: message, buttons: ['Quit'] })
}
