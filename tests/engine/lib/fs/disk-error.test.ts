import { SqliteError } from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { dataFolderErrorOf } from '../../../../electron/engine/lib/fs/data-folder-error.ts'
import {
  archiveUnavailable,
  errnoCode,
  toArchiveError,
  toDiskError,
} from '../../../../electron/engine/lib/fs/disk-error.ts'
import { storeError } from '../../../../electron/engine/store/store-error.ts'
import { AppError } from '../../../../shared/errors.ts'
import { failCalls } from '../../../support/hooks/fail-calls.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { errnoError } from '../../archive/folder-test.ts'

describe('a disk error', () => {
  const cases: readonly (readonly [errno: string, code: string, says: string])[] = [
    ['ENOSPC', 'disk-full', 'Free some space, then try again'],
    ['EDQUOT', 'disk-full', 'Free some space, then try again'],
    ['EROFS', 'archive-read-only', 'lift the write protection'],
    [
      'EACCES',
      'archive-read-only',
      'not readable. Archived files are unchanged. Give Solarchive read and write access',
    ],
    ['EPERM', 'archive-read-only', 'read and write access'],
    ['ENOENT', 'archive-unavailable', 'drive or network share'],
    ['ENOTDIR', 'archive-unavailable', 'drive or network share'],
    ['ENODEV', 'archive-unavailable', 'drive or network share'],
    ['ECONNRESET', 'archive-unavailable', 'drive or network share'],
    ['EIO', 'disk-error', 'disk checked'],
    ['UNKNOWN', 'disk-error', 'disk checked'],
    ['EBUSY', 'disk-error', 'Close that program'],
    ['EMFILE', 'disk-error', 'Raise the limit of open files'],
    ['ENFILE', 'disk-error', 'Raise the limit of open files'],
  ]
  test.each(cases)('%s is %s', (errno, code, says) => {
    const cause = errnoError(errno)
    const error = toDiskError(cause, 'write report.pdf')
    expect(error).toMatchObject({ code, cause, details: { errno } })
    expect(error.message).toMatch(/^Solarchive could not write report\.pdf: .+\.$/)
    expect(error.message).toContain(says)
  })

  test.each(['EISDIR', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY'])('%s names what is in the way', (errno) => {
    const cause = Object.assign(errnoError(errno), { path: '/archive/P/.part', dest: '/archive/P/SHA256SUMS' })
    expect(toArchiveError(cause, 'write the records of a project', true)).toMatchObject({
      code: 'disk-error',
      message: expect.stringContaining('in the way at /archive/P/SHA256SUMS') as string,
    })
  })

  test('EBUSY names the file that another program has open', () => {
    const cause = Object.assign(errnoError('EBUSY'), { path: '/archive/P/C/report.pdf' })
    expect(toDiskError(cause, 'verify').message).toContain('another program has /archive/P/C/report.pdf open')
  })

  test('EMFILE of the data folder does not ask for a check of its disk', () => {
    expect(dataFolderErrorOf(errnoError('EMFILE'), '/data')?.message).toMatch(
      /^Too many files are open to write to the data folder \/data, .*Raise the limit of open files/,
    )
  })

  test.runIf(process.platform === 'linux')(
    'a database that too many open files keep closed needs no rights',
    async () => {
      const folder = temporaryFolder()
      const refused = new SqliteError('unable to open database file', 'SQLITE_CANTOPEN')
      const end = await failCalls({ below: [folder], calls: ['descriptor'], from: 4, what: 'EMFILE' })
      const error = storeError(refused, folder)
      end()
      expect(error).toMatchObject({ code: 'disk-error', message: expect.stringContaining('Raise the limit') as string })
      expect(storeError(refused, folder)?.message).toContain('Give the user that runs Solarchive read and write access')
    },
  )

  test('that is already translated is returned unchanged', () => {
    const translated = new AppError('cancelled', 'Stopped.')
    expect(toDiskError(translated, 'write')).toBe(translated)
  })

  test('that is not from the disk is internal', () => {
    for (const error of [
      new Error('bug'),
      Object.assign(new Error('bug'), { code: 'ERR_INVALID_ARG_TYPE' }),
      'text',
      null,
    ]) {
      expect(toDiskError(error, 'write')).toMatchObject({ code: 'internal' })
      expect(errnoCode(error)).toBeUndefined()
    }
  })

  test('is a missing archive only if the archive is missing', () => {
    const error = errnoError('ENOENT')
    expect(toArchiveError(error, 'read b', true)).toMatchObject({ code: 'disk-error', cause: error })
    expect(toArchiveError(error, 'read b', false)).toMatchObject({ code: 'archive-unavailable' })
    expect(toArchiveError(errnoError('ENOSPC'), 'write b', false)).toMatchObject({ code: 'disk-full' })
    const converted = toDiskError(error, 'read b')
    expect(toArchiveError(converted, 'read b', true)).toMatchObject({ code: 'disk-error', cause: error })
    expect(toArchiveError(converted, 'read b', false)).toBe(converted)
    const known = archiveUnavailable('read b')
    expect(toArchiveError(known, 'read b', true)).toBe(known)
  })

  test('that Windows alone knows is a missing archive if the archive is missing', () => {
    const error = errnoError('UNKNOWN')
    const converted = toDiskError(error, 'read b')
    for (const thrown of [error, converted]) {
      expect(toArchiveError(thrown, 'read b', true)).toMatchObject({ code: 'disk-error', cause: error })
      expect(toArchiveError(thrown, 'read b', false)).toMatchObject({ code: 'archive-unavailable', cause: error })
    }
  })
})
