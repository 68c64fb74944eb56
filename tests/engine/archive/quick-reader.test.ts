import { createHash } from 'node:crypto'
import { appendFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createQuickReader } from '../../../electron/engine/archive/quick-reader.ts'
import { folderTest as test, writeFiles } from './folder-test.ts'

const photo = 'a photo of the roof'
const file = {
  path: 'P/C/photos/roof.jpg',
  sha256: createHash('sha256').update(photo).digest('hex'),
  sizeBytes: photo.length,
}

function readerOf(root: string) {
  const reader = createQuickReader(root)
  onTestFinished(() => reader.leave())
  return reader
}

test('returns exactly the recorded bytes', async ({ root }) => {
  const reader = readerOf(root)
  const path = join(root, file.path)
  for (const change of [
    () => writeFile(path, photo.replace('roof', 'ROOF')),
    () => truncate(path, photo.length - 1),
    // Its first bytes are the recorded ones.
    () => appendFile(path, 'more'),
    () => rm(path),
  ]) {
    await writeFiles(root, { [file.path]: photo })
    expect(reader.read(file)?.toString()).toBe(photo)
    await change()
    expect(reader.read(file), String(change)).toBeUndefined()
  }
  await writeFiles(root, { [`${file.path}/file`]: photo })
  for (const other of [file.path, '../outside', 'P/../P', '', '/etc/passwd']) {
    expect(reader.read({ ...file, path: other })).toBeUndefined()
  }
})

test.skipIf(process.platform === 'win32')('follows no link', async ({ root }) => {
  const archive = join(root, 'archive')
  await writeFiles(archive, { [file.path]: photo, 'P/C/photos/link.jpg': '' })
  await rm(join(archive, 'P/C/photos/link.jpg'))
  await symlink('roof.jpg', join(archive, 'P/C/photos/link.jpg'))
  const reader = readerOf(archive)
  expect(reader.read({ ...file, path: 'P/C/photos/link.jpg' })).toBeUndefined()
  expect(reader.read(file)?.toString()).toBe(photo)
  await rename(join(archive, 'P/C'), join(root, 'C'))
  await symlink('../../C', join(archive, 'P/C'))
  reader.leave()
  expect(reader.read(file)).toBeUndefined()
})
