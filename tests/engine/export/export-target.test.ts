import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { folderTarget } from '../../../electron/engine/export/export-target.ts'
import { resolveTarget } from '../../../electron/engine/export/target-path.ts'
import { readFiles } from '../../support/sample-archive.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { withoutPrivileges } from '../archive/folder-test.ts'

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

test.runIf(process.platform !== 'win32')('a folder that may not be listed is named as the one to fix', async () => {
  const office = temporaryFolder()
  await withoutPrivileges(office, async () => {
    chmodSync(office, 0)
    const resolving = resolveTarget({ to: office, format: 'folder', title: 'Out', keepOut: [] })
    const message = expect.stringContaining(`to write to ${office}.`) as string
    await expect(resolving).rejects.toMatchObject({ code: 'wrong-usage', message })
    chmodSync(office, 0o700)
  })
})

/** Writes a zip of 2 MB; prints the code of the error. */
const writeZip = `
  const [, module, path] = process.argv
  const { zipTarget } = await import(module)
  const zip = await zipTarget(path)
  const bytes = Buffer.alloc(2_000_000)
  const added = zip.addBytes('roof.jpg', bytes, new Date()).then(() => zip.finish(AbortSignal.timeout(60_000)))
  console.log(await added.then(() => 'written', (error) => error.code))
`

// FAT takes a part of the bytes, too, when a file reaches 4 GB.
test.runIf(process.platform !== 'win32')('a zip that becomes too large for its disk does not count as full', () => {
  const module = new URL('../../../electron/engine/export/export-target.ts', import.meta.url).href
  const node = [process.execPath, '--input-type=module', '-e', writeZip, module, join(temporaryFolder(), 'all.zip')]
  const limited = spawnSync('sh', ['-c', 'ulimit -f 1000; exec "$0" "$@"', ...node], { encoding: 'utf8' })
  expect(limited).toMatchObject({ stdout: 'EFBIG\n', stderr: '' })
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
