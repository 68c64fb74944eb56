import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { findMissing } from '../../../electron/engine/downloads/find-missing.ts'
import { folderTest as test, writeFiles } from '../archive/folder-test.ts'

test('existing files are not missing, all others are', async ({ root }) => {
  await writeFiles(root, { 'P/C/report.pdf': '', 'P/C/photos/a.jpg': '', 'P/C/photos/ü.jpg': '', top: '' })
  await mkdir(join(root, 'P/C/photos/folder.jpg'))
  await symlink('a.jpg', join(root, 'P/C/photos/link.jpg'))
  const there = ['P/C/report.pdf', 'P/C/photos/a.jpg', 'P/C/photos/ü.jpg', 'top']
  const missing = [
    ...['P/C/photos/b.jpg', 'P/C/thumbnails/a.jpg', 'Q/C/report.pdf', 'P/C/report.pdf/x', 'gone'],
    ...['P/C/photos/folder.jpg', 'P/C/photos/link.jpg', `P/C/photos/${'x'.repeat(300)}.jpg`],
  ]
  expect(await findMissing(root, [...there, ...missing])).toEqual(new Set(missing))
  expect(await findMissing(root, there)).toEqual(new Set())
  expect(await findMissing(root, [])).toEqual(new Set())
})

test('a path that leads outside the archive is missing', async ({ root }) => {
  await writeFiles(root, { 'archive/a': '', outside: '' })
  const paths = ['../outside', '/etc/hostname', 'a/../../outside', '']
  expect(await findMissing(join(root, 'archive'), paths)).toEqual(new Set(paths))
})

test('nothing is reported missing while the archive is away', async ({ root }) => {
  await expect(findMissing(join(root, 'drive'), ['P/a'])).rejects.toMatchObject({ code: 'archive-unavailable' })
})

test('the one missing file is found among many files in many folders', async ({ root }) => {
  const names = Array.from({ length: 500 }, (_, index) => `P/photos ${index % 20}/${index}.jpg`)
  await writeFiles(root, Object.fromEntries(names.map((name) => [name, ''])))
  expect(await findMissing(root, [...names, 'P/photos 3/x.jpg'])).toEqual(new Set(['P/photos 3/x.jpg']))
})
