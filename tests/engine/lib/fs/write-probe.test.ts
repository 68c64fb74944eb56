import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { deleteAbandonedProbes, isSeenIn, probeWriting } from '../../../../electron/engine/lib/fs/write-probe.ts'
import { folderTest as test, failOnWindows } from '../../archive/folder-test.ts'

const text = 'Solarchive looks whether this folder can be written to.\n'
const mark = '0123456789ab'

test('a writable folder holds the same files after a probe', async ({ root: folder }) => {
  writeFileSync(join(folder, '.solarchive-probe'), 'mine')
  await Promise.all([probeWriting(folder), probeWriting(folder)])
  expect(readdirSync(folder)).toEqual(['.solarchive-probe'])
})

test('a folder is seen in another one if files that are written into it are there, and none stays', async ({
  root,
}) => {
  const [folder, link, other] = [join(root, 'folder'), join(root, 'link'), join(root, 'other')]
  for (const made of [folder, other]) mkdirSync(made)
  symlinkSync(folder, link, 'junction')
  writeFileSync(join(folder, `.solarchive-probe.${mark}.part`), text)
  expect(await isSeenIn(link, folder)).toBe(true)
  expect(await isSeenIn(other, folder)).toBe(false)
  await expect(isSeenIn(folder, join(root, 'none'))).rejects.toMatchObject({ code: 'archive-unavailable' })
  expect([...readdirSync(folder), ...readdirSync(other)]).toEqual([])
})

test('a scanner that holds the probe for a moment keeps no folder of Windows from being writable', async ({ root }) => {
  failOnWindows('rm')
  await probeWriting(root)
  expect(readdirSync(root)).toEqual([])
})

test('probe files of ended processes are deleted, however much of them was written', async ({ root: folder }) => {
  const names = ['.solarchive-probe', `.solarchive-probe.${mark}.part`, '.solarchive-probe.ba9876543210.part']
  for (const [index, name] of names.entries()) writeFileSync(join(folder, name), text.slice(0, index * 28))
  await deleteAbandonedProbes(folder)
  expect(readdirSync(folder)).toEqual([])
})

test('files with such names that are not ours stay', async ({ root: folder }) => {
  writeFileSync(join(folder, '.solarchive-probe'), 'mine')
  writeFileSync(join(folder, `.solarchive-probe.${mark}.part`), `${text}and more`)
  writeFileSync(join(folder, 'solarchive-probe.txt'), text)
  writeFileSync(join(folder, '.solarchive-probe.txt'), text)
  mkdirSync(join(folder, '.solarchive-probe.aaaaaaaaaaaa.part'))
  symlinkSync('solarchive-probe.txt', join(folder, '.solarchive-probe.bbbbbbbbbbbb.part'))
  const before = readdirSync(folder)
  await deleteAbandonedProbes(folder)
  expect(readdirSync(folder)).toEqual(before)
})

test('a missing folder has no probes', async ({ root: folder }) => {
  await deleteAbandonedProbes(join(folder, 'none'))
  expect(readdirSync(folder)).toEqual([])
})
