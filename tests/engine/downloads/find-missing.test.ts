import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { findMissingOrResized } from '../../../electron/engine/downloads/find-missing.ts'
import { folderTest as test, writeFiles } from '../archive/folder-test.ts'

async function missingOf(root: string, paths: readonly string[]) {
  const { missing } = await findMissingOrResized(
    root,
    paths.map((path) => ({ path, sizeBytes: 0 })),
  )
  return missing
}

test('existing files are not missing, all others are', async ({ root }) => {
  await writeFiles(root, { 'P/C/report.pdf': '', 'P/C/photos/a.jpg': '', 'P/C/photos/ü.jpg': '', top: '' })
  await mkdir(join(root, 'P/C/photos/folder.jpg'))
  await symlink('a.jpg', join(root, 'P/C/photos/link.jpg'))
  const there = ['P/C/report.pdf', 'P/C/photos/a.jpg', 'P/C/photos/ü.jpg', 'top']
  const missing = [
    'P/C/photos/b.jpg',
    'P/C/thumbnails/a.jpg',
    'Q/C/report.pdf',
    'P/C/report.pdf/x',
    'gone',
    'P/C/photos/folder.jpg',
    'P/C/photos/link.jpg',
    `P/C/photos/${'x'.repeat(300)}.jpg`,
  ]
  expect(await missingOf(root, [...there, ...missing])).toEqual(new Set(missing))
  expect(await missingOf(root, there)).toEqual(new Set())
  expect(await missingOf(root, [])).toEqual(new Set())
})

test('a path that leads outside the archive is missing', async ({ root }) => {
  await writeFiles(root, { 'archive/a': '', outside: '' })
  const paths = ['../outside', '/etc/hostname', 'a/../../outside', '']
  expect(await missingOf(join(root, 'archive'), paths)).toEqual(new Set(paths))
})

test('nothing is reported missing while the archive is away', async ({ root }) => {
  await expect(missingOf(join(root, 'drive'), ['P/a'])).rejects.toMatchObject({ code: 'archive-unavailable' })
})

for (const mayBlock of [false, true]) {
  test(`files of another size are found${mayBlock ? ', without waiting too' : ''}`, async ({ root }) => {
    await writeFiles(root, { 'P/C/a.jpg': 'abc', 'P/C/b.jpg': 'abcd', 'P/C/report.pdf': '' })
    await symlink('a.jpg', join(root, 'P/C/link.jpg'))
    const missing = ['P/C/link.jpg', 'P/C/gone.jpg', 'P/C/report.pdf/x', `P/C/${'x'.repeat(300)}.jpg`, 'Q/a.jpg']
    const files = ['P/C/a.jpg', 'P/C/b.jpg', ...missing].map((path) => ({ path, sizeBytes: 3 }))
    expect(await findMissingOrResized(root, files, { mayBlock })).toEqual({
      missing: new Set(missing),
      resized: new Set(['P/C/b.jpg']),
    })
  })
}
