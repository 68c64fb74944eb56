import { mkdir, symlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import {
  assertNoSymlinkEscape,
  assertRootExists,
  insideOrUndefined,
  resolveInside,
} from '../../../electron/engine/archive/inside-archive.ts'
import { folderTest as test, writeFiles } from './folder-test.ts'

describe('a path from the database', () => {
  test('resolves below the archive', ({ root }) => {
    expect(resolveInside(root, 'P [1]/.versions/x/report.pdf')).toBe(
      join(root, 'P [1]', '.versions', 'x', 'report.pdf'),
    )
  })

  const bad = [
    ...['', '/', '/etc/passwd', '//server/share', '..', '../x', 'a/../../x', 'a/..', 'a/./b', '.', 'a//b', 'a/', '/a'],
    ...['a\\b', '..\\x', 'C:/x', 'C:x', 'c:', 'a/file.txt:stream', 'a\0b', 'a\nb', '.. /x', 'a. /b', 'a/b ', 'a/b.'],
  ]
  test.for(bad)('is refused if it is %j', (path, { root }) => {
    expect(() => resolveInside(root, path)).toThrowError(expect.objectContaining({ code: 'disk-error' }) as Error)
    expect(insideOrUndefined(root, path)).toBeUndefined()
  })

  test('never leads out of the archive', ({ root }) => {
    const parts = fc.constantFrom('a', '.', '..', '/', '\\', ':', ' ', '\0', 'C:', '~', '.versions', '%2e%2e')
    const paths = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(parts).map((all) => all.join('')),
      fc.array(parts).map((all) => all.join('/')),
    )
    fc.assert(
      fc.property(paths, (path) => {
        const absolute = insideOrUndefined(root, path)
        if (absolute !== undefined) expect(relative(root, absolute)).toMatch(/^(?!\.\.(?:[\\/]|$))[^/\\]/)
      }),
      { numRuns: 2000 },
    )
  })
})

describe.skipIf(process.platform === 'win32')('a write', () => {
  const refused = expect.objectContaining({ code: 'disk-error' }) as Error

  test('goes to real folders, also ones yet to be created', async ({ root }) => {
    await mkdir(join(root, 'P/C'), { recursive: true })
    await assertNoSymlinkEscape(root, 'P/C/photos/01 Roof/IMG.jpg')
    await assertNoSymlinkEscape(root, 'new.txt')
  })

  test('follows no link out of the archive', async ({ root }) => {
    await mkdir(join(root, 'outside'))
    await mkdir(join(root, 'archive/P'), { recursive: true })
    await symlink(join(root, 'outside'), join(root, 'archive/P/C'))
    await expect(assertNoSymlinkEscape(join(root, 'archive'), 'P/C/report.pdf')).rejects.toThrow(refused)
    await expect(assertNoSymlinkEscape(join(root, 'archive'), 'P/C/photos/x/a.jpg')).rejects.toThrow(refused)
  })

  test('follows no link into a folder whose name starts like that of the archive', async ({ root }) => {
    await mkdir(join(root, 'archive-2'))
    await mkdir(join(root, 'archive'))
    await symlink('../archive-2', join(root, 'archive/P'))
    await expect(assertNoSymlinkEscape(join(root, 'archive'), 'P/a')).rejects.toThrow(refused)
  })

  test('follows no dangling link, and no cycle of links', async ({ root }) => {
    await symlink(join(root, '..', 'not-there'), join(root, 'P'))
    await symlink('circle', join(root, 'circle'))
    await expect(assertNoSymlinkEscape(root, 'P/C/a')).rejects.toThrow(refused)
    await expect(assertNoSymlinkEscape(root, 'circle/a')).rejects.toThrow(refused)
  })

  test('may follow a link within the archive, and one to the archive itself', async ({ root }) => {
    await mkdir(join(root, 'archive/P'), { recursive: true })
    await symlink('P', join(root, 'archive/Q'))
    await symlink('archive', join(root, 'link'))
    await assertNoSymlinkEscape(join(root, 'link'), 'Q/a')
  })
})

test('a missing archive is reported as such', async ({ root }) => {
  await writeFiles(root, { file: '' })
  await assertRootExists(root)
  for (const away of ['gone', 'file']) {
    const unavailable = expect.objectContaining({ code: 'archive-unavailable' }) as Error
    await expect(assertRootExists(join(root, away))).rejects.toThrow(unavailable)
  }
  const unavailable = expect.objectContaining({ code: 'archive-unavailable' }) as Error
  await expect(assertNoSymlinkEscape(join(root, 'gone'), 'P/a')).rejects.toThrow(unavailable)
})
