import { mkdirSync, readdirSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { checkArchiveFolder, checkMoveTarget } from '../../../electron/app/settings/archive-folder.ts'
import { errnoError, failOnWindows } from '../../engine/archive/folder-test.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

function makeFolders() {
  const userFolder = temporaryFolder()
  const homeFolder = join(userFolder, 'office/data')
  mkdirSync(homeFolder, { recursive: true })
  return { userFolder, homeFolder, archivedFolders: [] }
}

it('an archive folder must not be the data folder, be inside it, or contain it', async () => {
  const folders = makeFolders()
  const { userFolder } = folders
  for (const [folder, problem] of [
    ['office/data', 'This is inside'],
    ['office/data/archive', 'This is inside'],
    ['office', "Solarchive's own data folder is inside"],
    ['.', "Solarchive's own data folder is inside"],
  ] as const) {
    const expected = { usable: false, problem: expect.stringContaining(problem) as string }
    expect(await checkArchiveFolder(join(userFolder, folder), folders)).toMatchObject(expected)
    const move = { from: join(userFolder, 'old'), to: join(userFolder, folder), folders: [], ...folders }
    expect(await checkMoveTarget(move)).toMatchObject(expected)
  }
  expect(await checkArchiveFolder(join(userFolder, 'office/archive'), folders)).toMatchObject({ usable: true })
})

it('a folder that contains the data folder stays usable if it was already configured as the archive', async () => {
  const folders = makeFolders()
  const chosenFolder = join(folders.userFolder, 'office')
  expect(await checkArchiveFolder(chosenFolder, { ...folders, chosenFolder })).toMatchObject({
    usable: true,
    problem: null,
  })
  expect(await checkArchiveFolder(folders.userFolder, { ...folders, chosenFolder })).toMatchObject({ usable: false })
})

it('a new disk is empty, whatever systems keep in its root, and one with evidence is not', async () => {
  const folders = makeFolders()
  const disk = temporaryFolder()
  const move = { from: join(folders.userFolder, 'old'), to: disk, folders: [], ...folders }
  for (const name of [
    'lost+found',
    '.Trash-1000',
    'System Volume Information',
    '$RECYCLE.BIN',
    '$Recycle.Bin',
    '.Spotlight-V100',
    '.fseventsd',
    '.Trashes',
  ]) {
    mkdirSync(join(disk, name), { recursive: true })
  }
  expect(await checkMoveTarget(move)).toMatchObject({ usable: true, isEmpty: true })
  mkdirSync(join(disk, '.evidence'))
  expect(await checkMoveTarget(move)).toMatchObject({ usable: false, isEmpty: false })
})

it('a drive of Windows that refuses to resolve its paths is usable, and compared by its paths', async () => {
  const resolving = vi.spyOn(promises, 'realpath').mockRejectedValue(errnoError('EISDIR'))
  syncBuiltinESMExports()
  onTestFinished(() => {
    resolving.mockRestore()
    syncBuiltinESMExports()
  })
  const folders = makeFolders()
  expect(await checkArchiveFolder(join(folders.userFolder, 'office/archive'), folders)).toMatchObject({ usable: true })
  expect(await checkArchiveFolder(join(folders.homeFolder, 'archive'), folders)).toMatchObject({
    usable: false,
    problem: expect.stringContaining('This is inside') as string,
  })
})

it('a folder of Windows is usable only if it, or the one to make it in, can be written to', async () => {
  const folders = makeFolders()
  const { userFolder } = folders
  const there = join(userFolder, 'there')
  mkdirSync(there)
  for (const [folder, call] of [
    [there, 'open'],
    [join(userFolder, 'new/archive'), 'mkdir'],
  ] as const) {
    failOnWindows(call, 'EPERM')
    expect(await checkArchiveFolder(folder, folders)).toMatchObject({
      usable: false,
      problem: expect.stringContaining('Solarchive may not write there.') as string,
    })
    expect(await checkArchiveFolder(folder, folders)).toMatchObject({ usable: true })
  }
  expect([readdirSync(userFolder).sort(), readdirSync(there)]).toEqual([['office', 'there'], []])
})
