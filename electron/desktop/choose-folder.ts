import { BrowserWindow, dialog, type OpenDialogOptions } from 'electron'

/** Lets the person choose a folder, or make one, in the system's dialog over the window. Null: they chose none. */
export async function chooseFolder(from: string): Promise<string | null> {
  const options: OpenDialogOptions = { defaultPath: from, properties: ['openDirectory', 'createDirectory'] }
  const [window] = BrowserWindow.getAllWindows()
  const asked = window === undefined ? dialog.showOpenDialog(options) : dialog.showOpenDialog(window, options)
  const { canceled, filePaths } = await asked
  return canceled ? null : (filePaths[0] ?? null)
}
