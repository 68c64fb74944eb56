import { once } from 'node:events'
import { chmod, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { scanFolder, type ScannedEntry } from '../../../electron/engine/integrity/verify-archive.ts'
import { folderTest as test, withoutPrivileges, writeFiles } from '../archive/folder-test.ts'

async function scan(root: string, folder: string, signal?: AbortSignal): Promise<ScannedEntry[]> {
  const entries: ScannedEntry[] = []
  for await (const entry of scanFolder(root, folder, signal)) entries.push(entry)
  return entries.sort((one, other) => (one.path < other.path ? -1 : 1))
}

describe('a project folder', () => {
  test('is listed with everything below it', async ({ root }) => {
    await writeFiles(root, {
      'P/SHA256SUMS': '',
      'P/C/photos/01 Roof/a.jpg': '',
      'P/C/.versions/x/report.pdf': '',
      'Q/b': '',
    })
    expect(await scan(root, 'P')).toEqual([
      { kind: 'file', path: 'P/C/.versions/x/report.pdf' },
      { kind: 'file', path: 'P/C/photos/01 Roof/a.jpg' },
      { kind: 'file', path: 'P/SHA256SUMS' },
    ])
  })

  test.skipIf(process.platform === 'win32')(
    'reports links without following them, and accepts unusual names',
    async ({ root }) => {
      await writeFiles(root, { 'Q/b': '', 'P/odd. /back\\slash:x': '', 'P/a': '' })
      await symlink('../Q', join(root, 'P/folder-link'))
      await symlink('.', join(root, 'P/circle'))
      await symlink('nowhere', join(root, 'P/broken'))
      const server = createServer().listen(join(root, 'P/socket'))
      onTestFinished(() => void server.close())
      await once(server, 'listening')
      expect(await scan(root, 'P')).toEqual([
        { kind: 'file', path: 'P/a' },
        { kind: 'symlink', path: 'P/broken' },
        { kind: 'symlink', path: 'P/circle' },
        { kind: 'symlink', path: 'P/folder-link' },
        { kind: 'file', path: 'P/odd. /back\\slash:x' },
        { kind: 'other', path: 'P/socket' },
      ])
      await symlink('P', join(root, 'L'))
      expect(await scan(root, 'L')).toEqual([{ kind: 'symlink', path: 'L' }])
    },
  )

  test('that does not exist is reported', async ({ root }) => {
    expect(await scan(root, 'P')).toEqual([{ kind: 'unreadable', path: 'P', errno: 'ENOENT' }])
  })

  test.skipIf(process.platform === 'win32')(
    'that is partly unreadable is listed as far as possible',
    async ({ root }) => {
      await writeFiles(root, { 'P/a/file': '', 'P/b/file': '' })
      await chmod(join(root, 'P/a'), 0)
      const entries = await withoutPrivileges(root, () => scan(root, 'P'))
      await chmod(join(root, 'P/a'), 0o700)
      expect(entries).toEqual([
        { kind: 'unreadable', path: 'P/a', errno: 'EACCES' },
        { kind: 'file', path: 'P/b/file' },
      ])
    },
  )

  test('outside the archive is not listed, and a listing can be aborted', async ({ root }) => {
    await writeFiles(root, { 'P/a': '', 'P/b': '' })
    await expect(scan(root, '../P')).rejects.toMatchObject({ code: 'disk-error' })
    await expect(scan(root, 'P', AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
  })
})
