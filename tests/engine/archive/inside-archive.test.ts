import fs, { closeSync, mkdirSync, openSync, readdirSync, unlinkSync } from 'node:fs'
import promises, { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative } from 'node:path'
import fc from 'fast-check'
import { describe, expect, vi } from 'vitest'
import {
  assertRootExists,
  assertRootExistsSync,
  atBothPaths,
  atPath,
  enterByDescriptor,
  enterByName,
  existsInside,
  holdsAnyFolder,
  inFolder,
  isInside,
  resolveInside,
} from '../../../electron/engine/archive/inside-archive.ts'
import { failCalls } from '../../support/hooks/fail-calls.ts'
import { errnoError, folderTest as test, writeFiles } from './folder-test.ts'
import { anyCharacter } from '../../support/any-character.ts'

describe('a path from the database', () => {
  test('resolves below the archive', ({ root }) => {
    expect(resolveInside(root, 'P [1]/.versions/x/report.pdf')).toBe(
      join(root, 'P [1]', '.versions', 'x', 'report.pdf'),
    )
  })

  const bad = [
    '',
    '/',
    '/etc/passwd',
    '//server/share',
    '..',
    '../x',
    'a/../../x',
    'a/..',
    'a/./b',
    '.',
    'a//b',
    'a/',
    '/a',
    'a\\b',
    '..\\x',
    'C:/x',
    'C:x',
    'c:',
    'a/file.txt:stream',
    'a\0b',
    'a\nb',
    '.. /x',
    'a. /b',
    'a/b ',
    'a/b.',
  ]
  test.for(bad)('is refused if it is %j', (path, { root }) => {
    expect(() => resolveInside(root, path)).toThrowError(expect.objectContaining({ code: 'disk-error' }) as Error)
    expect(isInside(path)).toBe(false)
  })

  test('never leads out of the archive', ({ root }) => {
    const parts = fc.constantFrom('a', '.', '..', '/', '\\', ':', ' ', '\0', 'C:', '~', '.versions', '%2e%2e')
    const paths = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.array(parts).map((all) => all.join('')),
      fc.array(parts).map((all) => all.join('/')),
    )
    fc.assert(
      fc.property(paths, (path) => {
        if (isInside(path)) expect(relative(root, resolveInside(root, path))).toMatch(/^(?!\.\.(?:[\\/]|$))[^/\\]/)
      }),
      { numRuns: 2000 },
    )
  })
})

const ways = [
  ['by descriptor', enterByDescriptor],
  ['by name', enterByName],
] as const

describe.for(ways.filter(([name]) => name === 'by name' || process.platform === 'linux'))(
  'a folder entered %s',
  ([, enter]) => {
    const refused = (path: string) => expect.objectContaining({ code: 'ELOOP', path }) as Error
    const entered = (root: string, path: string) => {
      const folder = enter(root, path.split('/'))
      try {
        return readdirSync(folder.path).sort()
      } finally {
        folder.leave()
      }
    }

    test('is the one below the root, which may be a link itself', async ({ root }) => {
      await writeFiles(root, { 'archive/P/C/a': '', 'archive/P/C/odd. /b': '' })
      await symlink(join(root, 'archive'), join(root, 'link'), 'junction')
      expect(entered(join(root, 'archive'), 'P/C')).toEqual(['a', 'odd. '])
      expect(entered(join(root, 'link'), 'P/C/odd. ')).toEqual(['b'])
    })

    test('is never behind a link: outward, inward, to itself, or to nothing', async ({ root }) => {
      await writeFiles(root, { 'outside/C/a': '', 'archive/P/C/a': '' })
      const archive = join(root, 'archive')
      const targets = {
        out: join(root, 'outside'),
        in: join(archive, 'P'),
        self: join(archive, 'self'),
        broken: '/none',
      }
      for (const [name, target] of Object.entries(targets)) {
        await symlink(target, join(archive, name), 'junction')
        expect(() => entered(archive, `${name}/C`)).toThrow(refused(join(archive, name)))
        expect(() => entered(archive, name)).toThrow(refused(join(archive, name)))
      }
    })

    test('is reported with its own path if it is missing, or not a folder', async ({ root }) => {
      await writeFiles(root, { 'P/file': '' })
      const withCode = (code: string, path: string) => expect.objectContaining({ code, path }) as Error
      expect(() => entered(root, 'P/C/x')).toThrow(withCode('ENOENT', join(root, 'P', 'C')))
      expect(() => entered(root, 'P/file/x')).toThrow(withCode('ENOTDIR', join(root, 'P', 'file')))
    })
  },
)

test.skipIf(process.platform !== 'linux')(
  'a link that becomes a folder once it was refused is reported as a link',
  async ({ root, onTestFinished }) => {
    await mkdir(join(root, 'P'))
    await symlink(join(root, 'P'), join(root, 'Q'))
    const { lstatSync } = fs
    const lookUp = vi.spyOn(fs, 'lstatSync').mockImplementationOnce((path) => {
      unlinkSync(join(root, 'Q'))
      mkdirSync(join(root, 'Q'))
      return lstatSync(path)
    })
    syncBuiltinESMExports()
    onTestFinished(() => {
      lookUp.mockRestore()
      syncBuiltinESMExports()
    })
    const refused = expect.objectContaining({ code: 'ELOOP', path: join(root, 'Q') }) as Error
    expect(() => enterByDescriptor(root, ['Q', 'C'])).toThrow(refused)
  },
)

describe('an operation', () => {
  test('gets errors with the path as people know it', async ({ root }) => {
    await mkdir(join(root, 'P'))
    const missing = { code: 'ENOENT', path: join(root, 'P', 'a') }
    await expect(atPath(root, 'P/a', (path) => readFile(path))).rejects.toMatchObject(missing)
    await expect(atPath(root, ['P', 'a'], (path) => readFile(path))).rejects.toMatchObject(missing)
    await expect(inFolder(root, 'P', (path) => readFile(join(path, 'a')))).rejects.toMatchObject(missing)
  })

  test.skipIf(process.platform !== 'linux')('stays in its folder if that is replaced meanwhile', async ({ root }) => {
    await writeFiles(root, { 'outside/C/a': 'theirs', 'archive/P/C/a': 'ours' })
    const archive = join(root, 'archive')
    const text = await atPath(archive, 'P/C/a', async (path) => {
      await rename(join(archive, 'P'), join(archive, 'before'))
      await symlink(join(root, 'outside'), join(archive, 'P'))
      await writeFile(`${path}-new`, '')
      return readFile(path, 'utf8')
    })
    expect(text).toBe('ours')
    expect(readdirSync(join(root, 'outside/C'))).toEqual(['a'])
    expect(readdirSync(join(archive, 'before/C')).sort()).toEqual(['a', 'a-new'])
  })

  test('is not run on names that no folder has', async ({ root }) => {
    for (const names of [[], ['..', 'a'], ['P', '.'], ['P', ''], ['P/../..', 'a'], ['P', 'a\0']]) {
      await expect(atPath(root, names, () => expect.fail())).rejects.toMatchObject({ code: 'disk-error' })
    }
  })

  test('fails with errors that name its files as people know them', async ({ root }) => {
    await writeFiles(root, { 'P/C/a': '', 'Q/b/c': '' })
    const failing = atBothPaths(root, 'P/C/a', 'Q/b', (from, to) => rename(from, to))
    const error = await failing.catch((thrown: unknown) => thrown as NodeJS.ErrnoException & { dest: string })
    if (!(error instanceof Error)) throw new Error('It was renamed')
    expect([error.path, error.dest]).toEqual([join(root, 'P/C/a'), join(root, 'Q/b')])
    expect(error.message).toContain(`rename '${join(root, 'P/C/a')}' -> '${join(root, 'Q/b')}'`)
    expect(error.stack).not.toContain('/proc/')
  })

  test('leaves no descriptor open', async ({ root }) => {
    await writeFiles(root, { 'P/C/a': '' })
    await symlink('P', join(root, 'Q'), 'junction')
    const before = openSync(root, 'r')
    closeSync(before)
    for (const path of ['P/C/a', 'P/C/b', 'Q/C/a', 'R/C/a', 'P/C/a/x', '../x']) {
      await atPath(root, path, (absolute) => readFile(absolute)).catch(() => undefined)
      existsInside(root, path === 'Q/C/a' ? 'P' : path.replace('../', ''))
    }
    const after = openSync(root, 'r')
    closeSync(after)
    expect(after).toBe(before)
  })
})

test('a missing archive is reported as such', async ({ root }) => {
  await writeFiles(root, { file: '' })
  await assertRootExists(root)
  for (const away of ['gone', 'file']) {
    const unavailable = expect.objectContaining({ code: 'archive-unavailable' }) as Error
    await expect(assertRootExists(join(root, away))).rejects.toThrow(unavailable)
  }
  const gone = join(root, 'gone')
  await expect(atPath(gone, 'P/a', () => expect.fail())).rejects.toMatchObject({ code: 'ENOENT', path: gone })
})

test('an archive on a drive that Windows reports as not ready is a missing one', async ({ root, onTestFinished }) => {
  const notReady = errnoError('UNKNOWN')
  const spies = [
    vi.spyOn(promises, 'opendir').mockRejectedValueOnce(notReady),
    vi.spyOn(fs, 'opendirSync').mockImplementationOnce(() => {
      throw notReady
    }),
  ]
  syncBuiltinESMExports()
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
    syncBuiltinESMExports()
  })
  const unavailable = expect.objectContaining({ code: 'archive-unavailable', cause: notReady }) as Error
  await expect(assertRootExists(root)).rejects.toThrow(unavailable)
  expect(() => assertRootExistsSync(root)).toThrow(unavailable)
})

describe('the search for one of the project folders', () => {
  const folders = ['P1', 'P2', 'P3']

  test.for([
    [true, 1],
    [false, 3],
  ] as const)(
    'ends at the first error if the root is away: %s after %i folders',
    async ([isAway, calls], { root, onTestFinished }) => {
      const lookUp = vi.spyOn(promises, 'lstat').mockRejectedValue(errnoError('EHOSTDOWN'))
      const open = vi.spyOn(promises, 'opendir')
      if (isAway) open.mockRejectedValue(errnoError('EHOSTDOWN'))
      syncBuiltinESMExports()
      onTestFinished(() => {
        lookUp.mockRestore()
        open.mockRestore()
        syncBuiltinESMExports()
      })
      expect(await holdsAnyFolder(root, folders)).toBe(false)
      expect(lookUp).toHaveBeenCalledTimes(calls)
    },
  )

  test.runIf(process.platform === 'linux')('knows nothing while too many files are open', async ({ root }) => {
    await mkdir(join(root, 'P1'))
    const end = await failCalls({ below: [root], calls: ['descriptor'], from: 1, what: 'EMFILE' })
    await expect(holdsAnyFolder(root, folders))
      .rejects.toMatchObject({ code: 'EMFILE' })
      .finally(() => void end())
    expect(await holdsAnyFolder(root, folders)).toBe(true)
  })

  test('ends when its signal aborts', async ({ root }) => {
    await mkdir(join(root, 'P1'))
    await expect(holdsAnyFolder(root, folders, AbortSignal.abort('stopped'))).rejects.toBe('stopped')
  })
})
