import { app, dialog } from 'electron'
import { join } from 'node:path'
import type { BundleAnswer } from '../../shared/settings.ts'
import type { SupportBundle } from '../app/open-host.ts'
import { writeZip } from '../app/support/write-zip.ts'

/** Asks where a support bundle is to go, makes it, and writes it there. */
export async function giveBundle(make: () => Promise<SupportBundle>): Promise<BundleAnswer> {
  const { fileName, entries, madeAtMs } = await make()
  const { canceled, filePath } = await dialog.showSaveDialog({
    title: 'Save the support bundle',
    defaultPath: join(app.getPath('downloads'), fileName),
    filters: [{ name: 'Zip', extensions: ['zip'] }],
    properties: ['createDirectory', 'dontAddToRecent'],
  })
  if (canceled || filePath === '') return { kind: 'cancelled' }
  await writeZip(filePath, entries, madeAtMs)
  return { kind: 'saved', file: filePath }
}
