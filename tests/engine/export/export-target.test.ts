import { mkdirSync, writeFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { folderTarget } from '../../../electron/engine/export/export-target.ts'
import { readFiles } from '../../support/sample-archive.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Lists names as a disk does that keeps neither their case nor their Unicode form. */
function listOtherNames(): void {
  const { readdir } = fs
  const renamed = (name: string) => name.toUpperCase().normalize('NFD')
  Object.assign(fs, { readdir: async (folder: string) => (await readdir(folder)).map(renamed) })
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(fs, { readdir })
    syncBuiltinESMExports()
  })
}

/** Refuses to set the times of open files, as a share does whose files belong to another user. */
async function refuseTimes(): Promise<void> {
  const handle = await fs.open(import.meta.filename)
  const methods = Object.getPrototypeOf(handle) as typeof handle
  await handle.close()
  const refusal = Object.assign(new Error('EPERM: operation not permitted, futime'), { code: 'EPERM' })
  const utimes = vi.spyOn(methods, 'utimes').mockRejectedValue(refusal)
  onTestFinished(() => utimes.mockRestore())
}

test('a resumed export keeps what it wrote on a disk that returns other names, and removes the rest', async () => {
  const root = temporaryFolder()
  const target = folderTarget(root, { isResumed: true })
  const at = new Date()
  await target.addBytes('Gar\u00e4ge/d\u00e4ch.jpg', Buffer.from('new'), at)
  await target.addText('tables/files.csv', ['new'], at)
  mkdirSync(join(root, 'OLD', 'FOLDER'), { recursive: true })
  for (const path of ['OLD/FOLDER/PHOTO.JPG', 'OLD.JPG', 'tables/OLD.CSV']) writeFileSync(join(root, path), 'old')
  listOtherNames()
  await target.finish(new AbortController().signal)
  const files = new Map([...readFiles(root)].map(([path, bytes]) => [path, bytes.toString()]))
  expect(files).toEqual(new Map([['Gar\u00e4ge/d\u00e4ch.jpg', 'new'], ['tables/files.csv', 'new']])) // prettier-ignore
})

test('an export is complete on a disk that refuses the times of its files', async () => {
  const root = temporaryFolder()
  await refuseTimes()
  const target = folderTarget(root, { isResumed: false })
  await target.addText('tables/files.csv', ['new'], new Date())
  await target.finish(new AbortController().signal)
  expect([...readFiles(root).keys()]).toEqual(['tables/files.csv'])
})

test.runIf(process.platform === 'linux')(
  'a resumed export removes a file whose name differs in case alone',
  async () => {
    const root = temporaryFolder()
    const target = folderTarget(root, { isResumed: true })
    await target.addBytes('roof.jpg', Buffer.from('new'), new Date())
    writeFileSync(join(root, 'ROOF.jpg'), 'old')
    await target.finish(new AbortController().signal)
    expect([...readFiles(root).keys()]).toEqual(['roof.jpg'])
  },
)
