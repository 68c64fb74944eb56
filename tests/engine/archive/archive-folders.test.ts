import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, symlink, type FileHandle } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { afterEach, describe, expect, vi } from 'vitest'
import { ArchiveFolders, quarantine } from '../../../electron/engine/archive/archive-folders.ts'
import { failCalls } from '../../support/hooks/fail-calls.ts'
import { errnoError, folderTest as test, writeFiles } from './folder-test.ts'

/** Records the folders that are synced from now on: relative to the root, sorted; '' is the root itself. */
async function watchSyncs(root: string) {
  const handle = await open(root)
  await handle.close()
  const methods = Object.getPrototypeOf(handle) as FileHandle
  const synced: bigint[] = []
  const spy = vi.spyOn(methods, 'sync').mockImplementation(async function (this: FileHandle) {
    synced.push((await this.stat({ bigint: true })).ino)
    await this.datasync()
  })
  async function folders(): Promise<string[]> {
    const names = new Map<bigint, string>()
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      names.set((await stat(path, { bigint: true })).ino, relative(root, path))
    }
    return synced
      .splice(0)
      .map((inode) => names.get(inode) ?? '')
      .sort()
  }
  return { spy, folders }
}

afterEach(() => vi.restoreAllMocks())

describe('folders of the archive', () => {
  test('are created with their parents, and become durable together', async ({ root }) => {
    const syncs = await watchSyncs(root)
    const folders = new ArchiveFolders(root)
    const made = await Promise.all([
      folders.ensureFolder('P [1]/C [2]/photos/01 Roof'),
      folders.ensureFolder('P [1]/C [2]/photos/02 Attic'),
      folders.ensureFolder('P [1]/C [2]/photos/01 Roof'),
    ])
    expect(made[0]).toBe(join(root, 'P [1]', 'C [2]', 'photos', '01 Roof'))
    expect(await readdir(join(root, 'P [1]/C [2]/photos'))).toEqual(['01 Roof', '02 Attic'])
    expect(await syncs.folders()).toEqual([])
    await folders.sync()
    expect(await syncs.folders()).toEqual(['', 'P [1]', 'P [1]/C [2]', 'P [1]/C [2]/photos'])
    await folders.ensureFolder('P [1]/C [2]/photos/01 Roof')
    await folders.sync()
    expect(await syncs.folders()).toEqual([])
  })

  test('that already exist are synced once too, in case a crash came before their sync', async ({ root }) => {
    await mkdir(join(root, 'P/C'), { recursive: true })
    const syncs = await watchSyncs(root)
    const folders = new ArchiveFolders(root)
    await folders.ensureFolder('P/C')
    await folders.sync()
    expect(await syncs.folders()).toEqual(['', 'P'])
  })

  test('are created again after someone deletes them', async ({ root }) => {
    const folders = new ArchiveFolders(root)
    await folders.ensureFolder('P/C/photos')
    await rm(join(root, 'P'), { recursive: true })
    await folders.ensureFolder('P/C/photos')
    expect(await readdir(join(root, 'P/C'))).toEqual(['photos'])
  })

  test('are never created in a missing archive', async ({ root }) => {
    const folders = new ArchiveFolders(join(root, 'drive'))
    await expect(folders.ensureFolder('P/C')).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await readdir(root)).toEqual([])
  })

  test('are not created in a folder that replaces an unmounted archive', async ({ root }) => {
    const drive = join(root, 'drive')
    await writeFiles(root, { 'drive/P/C/photo.jpg': 'photo', 'drive/1.part': 'another' })
    const folders = new ArchiveFolders(drive)
    folders.recognizeRoot()
    await folders.ensureFolder('P/C')
    await rename(drive, join(root, 'unplugged'))
    await mkdir(drive)
    const away = { code: 'archive-unavailable' }
    await expect(folders.ensureFolder('P/C')).rejects.toMatchObject(away)
    await expect(folders.write('P/SHA256SUMS', '')).rejects.toMatchObject(away)
    await expect(folders.publish('1.part', 'P/C/1.jpg')).rejects.toMatchObject(away)
    expect(await folders.explain(errnoError('ENOENT'), 'store a file')).toMatchObject(away)
    expect(await readdir(drive)).toEqual([])
    await rmdir(drive)
    await rename(join(root, 'unplugged'), drive)
    await folders.publish('1.part', 'P/C/1.jpg')
    expect(await folders.explain(errnoError('ENOENT'), 'store a file')).toMatchObject({ code: 'disk-error' })
  })

  test('are not created over a file, or outside the archive', async ({ root }) => {
    await writeFiles(root, { 'P/C': 'a file' })
    const folders = new ArchiveFolders(root)
    await expect(folders.ensureFolder('P/C')).rejects.toThrow()
    await expect(folders.ensureFolder('P/C/photos')).rejects.toThrow()
    await expect(folders.ensureFolder('../x')).rejects.toMatchObject({ code: 'disk-error' })
  })

  const linked = expect.objectContaining({ code: 'ELOOP' }) as Error

  test('are never reached through a link, wherever it leads', async ({ root }) => {
    await writeFiles(root, { 'outside/file': '', 'archive/P/real/file': '', 'archive/P/a.part': 'text' })
    const folders = new ArchiveFolders(join(root, 'archive'))
    await symlink(join(root, 'outside'), join(root, 'archive/P/C'), 'junction')
    await symlink(join(root, 'archive/P/real'), join(root, 'archive/P/D'), 'junction')
    for (const link of ['P/C', 'P/D']) {
      await expect(folders.ensureFolder(link)).rejects.toThrow(linked)
      await expect(folders.publish('P/a.part', `${link}/a.jpg`)).rejects.toThrow(linked)
      await expect(folders.publishNew('P/a.part', `${link}/a.jpg`)).rejects.toThrow(linked)
      await expect(folders.write(`${link}/photos/a.json`, '')).rejects.toThrow(linked)
      await expect(folders.move('P/a.part', `${link}/photos/a`)).rejects.toThrow(linked)
      await expect(folders.move(`${link}/file`, 'P/E/file')).rejects.toThrow(linked)
      await expect(quarantine(folders, `${link}/file`, '2026-01-02T00:00:00Z')).rejects.toThrow(linked)
    }
    expect(await readdir(join(root, 'outside'))).toEqual(['file'])
    expect(await readdir(join(root, 'archive/P/real'))).toEqual(['file'])
    const error = await folders.explain(
      await folders.ensureFolder('P/C').catch((thrown: unknown) => thrown),
      'store it',
    )
    expect(error).toMatchObject({ code: 'disk-error' })
    expect(error.message).toContain(`${join(root, 'archive', 'P', 'C')} is a link to another place`)
    expect(error.message).toContain('Remove or rename the link')
  })

  test('that become a link after they were checked are refused, and so is the rest of the group', async ({ root }) => {
    await writeFiles(root, { 'outside/file': '', 'archive/P/C/file': '', 'archive/P/a.part': 'text' })
    const folders = new ArchiveFolders(join(root, 'archive'))
    await folders.publish('P/a.part', 'P/C/a.jpg')
    await writeFiles(root, { 'archive/P/b.part': 'text' })
    await rename(join(root, 'archive/P/C'), join(root, 'archive/P/before'))
    await symlink(join(root, 'outside'), join(root, 'archive/P/C'), 'junction')
    await expect(folders.ensureFolder('P/C')).rejects.toThrow(linked)
    await expect(folders.publish('P/b.part', 'P/C/b.jpg')).rejects.toThrow(linked)
    await expect(folders.sync()).rejects.toThrow(linked)
    await folders.sync()
    expect(await readdir(join(root, 'outside'))).toEqual(['file'])
  })

  test('are not created in an archive behind a link that leads elsewhere by now', async ({ root }) => {
    await mkdir(join(root, 'one'))
    await mkdir(join(root, 'other/P'), { recursive: true })
    const link = join(root, 'archive')
    await symlink(join(root, 'one'), link, 'junction')
    const folders = new ArchiveFolders(link)
    folders.recognizeRoot()
    await folders.write('P/a', 'text')
    await rm(link)
    await symlink(join(root, 'other'), link, 'junction')
    await expect(folders.write('P/b', 'text')).rejects.toMatchObject({ code: 'archive-unavailable' })
    expect(await readdir(join(root, 'other/P'))).toEqual([])
    expect(await readdir(join(root, 'one/P'))).toEqual(['a'])
  })
})

describe('files of the archive', () => {
  test('are published into folders created as needed, durable with the next sync', async ({ root }) => {
    await writeFiles(root, { 'P/7.part': 'photo', 'P/8.part': 'other' })
    const syncs = await watchSyncs(root)
    const folders = new ArchiveFolders(root)
    await folders.publish('P/7.part', 'P/C/photos/a.jpg')
    await folders.publish('P/8.part', 'P/C/photos/b.jpg')
    await folders.sync()
    expect(await syncs.folders()).toEqual(['', 'P', 'P/C', 'P/C/photos'])
    expect(await readdir(join(root, 'P'))).toEqual(['C'])
    expect(await readFile(join(root, 'P/C/photos/a.jpg'), 'utf8')).toBe('photo')
  })

  test('are written and moved durably right away', async ({ root }) => {
    const folders = new ArchiveFolders(root)
    await folders.write('P/C/report.pdf', 'old')
    await folders.move('P/C/report.pdf', 'P/C/.versions/2026-11-21T01-38-28Z/report.pdf')
    await folders.write('P/C/report.pdf', 'new')
    const again = folders.move('P/C/report.pdf', 'P/C/.versions/2026-11-21T01-38-28Z/report.pdf')
    await expect(again).rejects.toMatchObject({ code: 'disk-error' })
    expect(await readFile(join(root, 'P/C/.versions/2026-11-21T01-38-28Z/report.pdf'), 'utf8')).toBe('old')
    expect(await readFile(join(root, 'P/C/report.pdf'), 'utf8')).toBe('new')
  })
})

describe('syncing in groups', () => {
  test('callers that arrive during a sync share the next one, which covers their files', async ({ root }) => {
    await writeFiles(root, { 'P/1.part': '', 'P/2.part': '', 'P/3.part': '' })
    const folders = new ArchiveFolders(root)
    await folders.ensureFolder('P/a')
    await folders.ensureFolder('P/b')
    await folders.sync()

    const { spy } = await watchSyncs(root)
    const release = Promise.withResolvers<undefined>()
    spy.mockImplementationOnce(() => release.promise)
    await folders.publish('P/1.part', 'P/a/1.jpg')
    const first = folders.sync()
    await expect.poll(() => spy.mock.calls.length).toBe(1)
    await folders.publish('P/2.part', 'P/b/2.jpg')
    const second = folders.sync()
    await folders.publish('P/3.part', 'P/b/3.jpg')
    const third = folders.sync()
    expect(third).toBe(second)
    expect(spy).toHaveBeenCalledTimes(1)
    release.resolve(undefined)
    await Promise.all([first, second, third])
    expect(spy).toHaveBeenCalledTimes(2)
  })

  test('after a failure the folders are still due, except deleted ones', async ({ root }) => {
    await writeFiles(root, { 'P/1.part': '', 'P/2.part': '' })
    const folders = new ArchiveFolders(root)
    await folders.ensureFolder('P/a')
    await folders.ensureFolder('P/b')
    await folders.sync()
    await folders.publish('P/1.part', 'P/a/1.jpg')
    await folders.publish('P/2.part', 'P/b/2.jpg')

    const syncs = await watchSyncs(root)
    syncs.spy.mockRejectedValueOnce(errnoError('EIO'))
    await expect(folders.sync()).rejects.toMatchObject({ code: 'EIO' })
    await syncs.folders()
    await rm(join(root, 'P/b'), { recursive: true })
    await expect(folders.sync()).rejects.toMatchObject({ code: 'ENOENT' })
    await folders.sync()
    expect(await syncs.folders()).toEqual(['P/a', 'P/a'])
    await folders.sync()
    expect(await syncs.folders()).toEqual([])
  })

  test.runIf(process.platform === 'linux')('also if too many files are open to look at them', async ({ root }) => {
    await writeFiles(root, { 'P/1.part': '' })
    const folders = new ArchiveFolders(root)
    await folders.ensureFolder('P/a')
    await folders.sync()
    await folders.publish('P/1.part', 'P/a/1.jpg')
    const end = await failCalls({ below: [root], calls: ['descriptor'], from: 1, what: 'EMFILE' })
    await expect(folders.sync())
      .rejects.toMatchObject({ code: 'EMFILE' })
      .finally(() => void end())
    const syncs = await watchSyncs(root)
    await folders.sync()
    expect(await syncs.folders()).toEqual(['P/a'])
  })
})
