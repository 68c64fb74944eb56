import { shell } from 'electron'
import { AppError } from '../../shared/errors.ts'
import type { Desktop } from '../engine/lib/ports.ts'

/** The machine's file manager. The engine names the paths, by asset, checklist or project; a page never does. */
export const fileManager: Desktop = {
  showInFolder(path) {
    shell.showItemInFolder(path)
    return Promise.resolve()
  },
  openFolder: (path) =>
    open(path, 'The file manager of this machine could not be opened. Copy the path and open it there.'),
  openFile: (path) =>
    open(
      path,
      'This machine could not open the file. Show it in its folder and open it with a program of your choice.',
    ),
}

async function open(path: string, sentence: string): Promise<void> {
  const problem = await shell.openPath(path)
  if (problem !== '') throw new AppError('not-found', sentence, { cause: new Error(problem) })
}
