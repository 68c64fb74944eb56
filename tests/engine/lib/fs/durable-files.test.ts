import fs, { lstat, open, readdir, readFile, symlink, writeFile, type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterEach, describe, expect, test as plainTest, vi } from 'vitest'
import {
  fsyncFolder,
  isFolderSyncRefused,
  moveDurably,
  publishFile,
  publishNewFile,
  retryWhileLocked,
  retryWhileLockedSync,
  setModifiedTime,
  syncFolders,
  writeFileDurably,
} from '../../../../electron/engine/lib/fs/durable-files.ts'
import { errnoError, folderTest as test, writeFiles } from '../../archive/folder-test.ts'

/** The methods of all open files, to count calls and make them fail. */
async function fileHandleMethods(): Promise<FileHandle> {
  const handle = await open(import.meta.filename)
  await handle.close()
  return Object.getPrototypeOf(handle) as FileHandle
}

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

describe('the modification time of a copy', () => {
  test('is that of its original', async ({ root }) => {
    const file = await open(join(root, 'copy'), 'wx')
    await setModifiedTime(file, Date.UTC(2026, 5, 12))
    await file.close()
    expect((await lstat(join(root, 'copy'))).mtimeMs).toBe(Date.UTC(2026, 5, 12))
  })

  test.for(['EPERM', 'EACCES', 'ENOTSUP', 'ENOSYS', 'EINVAL'])(
    'does not matter if the file system refuses it (%s)',
    async (code, { root }) => {
      vi.spyOn(await fileHandleMethods(), 'utimes').mockRejectedValue(errnoError(code))
      const file = await open(join(root, 'copy'), 'wx')
      await setModifiedTime(file, 0)
      await file.close()
    },
  )

  test('shows a disk that fails', async ({ root }) => {
    vi.spyOn(await fileHandleMethods(), 'utimes').mockRejectedValue(errnoError('EIO'))
    const file = await open(join(root, 'copy'), 'wx')
    await expect(setModifiedTime(file, 0)).rejects.toMatchObject({ code: 'EIO' })
    await file.close()
  })
})

describe('a file that is written', () => {
  test('is complete, in place of the previous one, with nothing left beside it', async ({ root }) => {
    await writeFileDurably(join(root, 'checklist.json'), 'first')
    await writeFileDurably(join(root, 'checklist.json'), Buffer.from('second'))
    expect(await readFile(join(root, 'checklist.json'), 'utf8')).toBe('second')
    expect(await readdir(root)).toEqual(['checklist.json'])
  })

  test('reaches the disk before it is renamed, and its name before the call ends', async ({ root }) => {
    const methods = await fileHandleMethods()
    const seen: string[][] = []
    vi.spyOn(methods, 'sync').mockImplementation(async function (this: FileHandle) {
      seen.push(await readdir(root))
      await this.datasync()
    })
    await writeFileDurably(join(root, 'SHA256SUMS'), 'text')
    expect(seen).toEqual([['.SHA256SUMS.part'], ['SHA256SUMS']])
  })

  test.for(['writeFile', 'sync'] as const)(
    'leaves the previous one untouched if %s fails',
    async (failing, { root }) => {
      await writeFileDurably(join(root, 'a.json'), 'before')
      vi.spyOn(await fileHandleMethods(), failing).mockRejectedValueOnce(errnoError('ENOSPC'))
      await expect(writeFileDurably(join(root, 'a.json'), 'after')).rejects.toMatchObject({ code: 'ENOSPC' })
      expect(await readFile(join(root, 'a.json'), 'utf8')).toBe('before')
      expect(await readdir(root)).toEqual(['a.json'])
    },
  )

  test('leaves nothing behind if it cannot be renamed', async ({ root }) => {
    await writeFiles(root, { 'folder/file': '' })
    await expect(writeFileDurably(join(root, 'folder'), 'text')).rejects.toThrow()
    expect(await readdir(root)).toEqual(['folder'])
  })

  test('replaces leftovers of a crash, and never writes through a link', async ({ root }) => {
    await writeFiles(root, { '.a.part': 'half', elsewhere: 'precious' })
    await writeFileDurably(join(root, 'a'), 'whole')
    await symlink(join(root, 'elsewhere'), join(root, '.b.part'))
    await symlink(join(root, 'elsewhere'), join(root, 'b'))
    await writeFileDurably(join(root, 'b'), 'whole')
    expect(await readFile(join(root, 'a'), 'utf8')).toBe('whole')
    expect((await lstat(join(root, 'b'))).isFile()).toBe(true)
    expect(await readFile(join(root, 'elsewhere'), 'utf8')).toBe('precious')
  })
})

test('a published file replaces whatever has its name', async ({ root }) => {
  await writeFiles(root, { '7.part': 'new', 'photo.jpg': 'old' })
  await publishFile(join(root, '7.part'), join(root, 'photo.jpg'))
  expect(await readFile(join(root, 'photo.jpg'), 'utf8')).toBe('new')
  expect(await readdir(root)).toEqual(['photo.jpg'])
})

describe.each(['has hard links', 'has none'])('on a disk that %s', (kind) => {
  test('a new file takes its name only if it is free', async ({ root }) => {
    if (kind === 'has none') {
      vi.spyOn(fs, 'link').mockRejectedValue(errnoError('EPERM'))
      syncBuiltinESMExports()
    }
    await writeFiles(root, { '7.part': 'new', '8.part': 'other', '9.part': 'third', 'taken.jpg': 'old' })
    expect(await publishNewFile(join(root, '7.part'), join(root, 'taken.jpg'))).toBe(false)
    const both = ['7.part', '8.part'].map((part) => publishNewFile(join(root, part), join(root, 'photo.jpg')))
    const [first, second] = await Promise.all(both)
    expect(first).toBe(!second)
    expect(await readFile(join(root, 'photo.jpg'), 'utf8')).toBe(first ? 'new' : 'other')
    expect(await readFile(join(root, 'taken.jpg'), 'utf8')).toBe('old')
    expect(await readdir(root)).toEqual([first ? '8.part' : '7.part', '9.part', 'photo.jpg', 'taken.jpg'])
  })

  test('a file that cannot be renamed leaves nothing under its name', async ({ root }) => {
    await expect(publishNewFile(join(root, 'gone.part'), join(root, 'photo.jpg'))).rejects.toMatchObject({
      code: 'ENOENT',
    })
    expect(await readdir(root)).toEqual([])
  })
})

describe('a moved file', () => {
  test('is only in its new folder, and both folders are synced', async ({ root }) => {
    await writeFiles(root, { 'from/a': 'text', 'to/b': '' })
    const sync = vi.spyOn(await fileHandleMethods(), 'sync')
    await moveDurably(join(root, 'from/a'), join(root, 'to/a'))
    expect(sync).toHaveBeenCalledTimes(2)
    expect(await readdir(join(root, 'from'))).toEqual([])
    expect(await readFile(join(root, 'to/a'), 'utf8')).toBe('text')
  })

  test('never replaces an existing file', async ({ root }) => {
    await writeFiles(root, { a: 'one', b: 'two' })
    await symlink('not-there', join(root, 'link'))
    for (const to of ['b', 'link']) {
      await expect(moveDurably(join(root, 'a'), join(root, to))).rejects.toMatchObject({ code: 'disk-error' })
    }
    expect(await readFile(join(root, 'b'), 'utf8')).toBe('two')
    await expect(moveDurably(join(root, 'gone'), join(root, 'c'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('syncing folders', () => {
  test('syncs each once', async ({ root }) => {
    await writeFiles(root, { 'a/file': '', 'b/file': '' })
    const sync = vi.spyOn(await fileHandleMethods(), 'sync')
    await syncFolders([join(root, 'a'), join(root, 'b'), join(root, 'a')])
    expect(sync).toHaveBeenCalledTimes(2)
    await syncFolders([])
    expect(sync).toHaveBeenCalledTimes(2)
  })

  test('syncs the others if one fails, and throws', async ({ root }) => {
    await writeFiles(root, { 'a/file': '', 'b/file': '' })
    const sync = vi.spyOn(await fileHandleMethods(), 'sync')
    const folders = [join(root, 'gone'), join(root, 'a'), join(root, 'b')]
    await expect(syncFolders(folders)).rejects.toMatchObject({ code: 'ENOENT' })
    expect(sync).toHaveBeenCalledTimes(2)
  })

  test('ignores file systems that cannot sync folders', async ({ root }) => {
    const sync = vi.spyOn(await fileHandleMethods(), 'sync').mockRejectedValueOnce(errnoError('EINVAL'))
    await fsyncFolder(root)
    sync.mockRejectedValueOnce(errnoError('EIO'))
    await expect(fsyncFolder(root)).rejects.toMatchObject({ code: 'EIO' })
  })

  plainTest('takes only the refusals of Windows for none', () => {
    for (const errno of ['EISDIR', 'EPERM', 'EACCES']) {
      expect(isFolderSyncRefused(errno, 'win32')).toBe(true)
      expect(isFolderSyncRefused(errno, 'linux')).toBe(false)
    }
    for (const errno of ['EIO', 'ENOENT', 'ENOSPC', undefined]) expect(isFolderSyncRefused(errno, 'win32')).toBe(false)
  })
})

test("a write into a missing folder throws Node's error", async ({ root }) => {
  await writeFile(join(root, 'file'), '')
  await expect(writeFileDurably(join(root, 'gone/a'), '')).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(writeFileDurably(join(root, 'file/a'), '')).rejects.toMatchObject({ code: 'ENOTDIR' })
})

test('on Windows a file that another program locks briefly is retried', async () => {
  const operation = vi.fn<() => Promise<string>>().mockResolvedValue('done')
  operation.mockRejectedValueOnce(errnoError('EPERM')).mockRejectedValueOnce(errnoError('EBUSY'))
  expect(await retryWhileLocked(operation, 'win32')).toBe('done')
  expect(operation).toHaveBeenCalledTimes(3)
})

test('on Windows a file that stays locked fails', async () => {
  const operation = vi.fn().mockRejectedValue(errnoError('EACCES'))
  await expect(retryWhileLocked(operation, 'win32')).rejects.toMatchObject({ code: 'EACCES' })
  expect(operation).toHaveBeenCalledTimes(7)
})

test('other errors, and other systems, are not retried', async () => {
  for (const [code, platform] of [
    ['ENOENT', 'win32'],
    ['EPERM', 'linux'],
    ['EBUSY', 'darwin'],
  ] as const) {
    const operation = vi.fn().mockRejectedValue(errnoError(code))
    await expect(retryWhileLocked(operation, platform)).rejects.toMatchObject({ code })
    expect(operation).toHaveBeenCalledTimes(1)
  }
})

test('a process that waits for a file retries in the same way', () => {
  const operation = vi.fn<() => void>()
  const fail = (code: string) => () => {
    throw errnoError(code)
  }
  operation.mockImplementationOnce(fail('EPERM')).mockImplementationOnce(fail('EBUSY'))
  retryWhileLockedSync(operation, 'win32')
  expect(operation).toHaveBeenCalledTimes(3)
  operation.mockImplementationOnce(fail('EPERM'))
  expect(() => retryWhileLockedSync(operation, 'linux')).toThrow(expect.objectContaining({ code: 'EPERM' }))
  operation.mockImplementationOnce(fail('ENOENT'))
  expect(() => retryWhileLockedSync(operation, 'win32')).toThrow(expect.objectContaining({ code: 'ENOENT' }))
  expect(operation).toHaveBeenCalledTimes(5)
})
