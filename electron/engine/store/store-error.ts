import Database from 'better-sqlite3'
import { AppError } from '../../../shared/errors.ts'

/** What an error of SQLite means for the archive; undefined for anything else. */
export function storeError(thrown: unknown): AppError | undefined {
  if (!(thrown instanceof Database.SqliteError)) return undefined
  const details = { sqlite: thrown.code }
  if (thrown.code.startsWith('SQLITE_FULL')) {
    return new AppError(
      'disk-full',
      'The disk with the data folder is full, so nothing more can be recorded. What is archived stays as it is. ' +
        'Free some space, then sync again.',
      { details, cause: thrown },
    )
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(thrown.code)) {
    return new AppError(
      'database-damaged',
      'The database is damaged and cannot be read. The archived files are not affected. ' +
        'Move the database file away and start again: it is rebuilt by the next sync.',
      { details, cause: thrown },
    )
  }
  if (/^SQLITE_(IOERR|READONLY|CANTOPEN)/.test(thrown.code)) {
    return new AppError(
      'disk-error',
      'The data folder could not be read or written, so nothing more can be recorded. What is archived stays as it is. ' +
        'Check the disk and the rights on the folder, then sync again.',
      { details, cause: thrown },
    )
  }
  return undefined
}
