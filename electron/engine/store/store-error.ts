import Database from 'better-sqlite3'
import { AppError, type ErrorDetails } from '../../../shared/errors.ts'

/** Returns the AppError for an error of SQLite, an AppError unchanged, or `undefined` for anything else. */
export function storeError(thrown: unknown): AppError | undefined {
  if (thrown instanceof AppError) return thrown
  if (!(thrown instanceof Database.SqliteError)) return undefined
  const details = { sqlite: thrown.code }
  // The second: the file that connections share could not be made as large as it has to be.
  if (/^SQLITE_(FULL|IOERR_SHMSIZE)/.test(thrown.code)) {
    return new AppError(
      'disk-full',
      'The disk with the data folder is full, so nothing more can be recorded. What is archived stays as it is. ' +
        'Free some space, then sync again.',
      { details, cause: thrown },
    )
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(thrown.code)) {
    return damagedError(thrown, details)
  }
  if (/^SQLITE_(BUSY|LOCKED)/.test(thrown.code)) {
    return new AppError(
      'data-folder-locked',
      'Another program has the database open and keeps it locked. Nothing was changed. ' +
        'Close that program, then try again.',
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

/** Returns `database-damaged` with the error of SQLite or of a reader of stored text as its cause. */
export function damagedError(cause: unknown, details: ErrorDetails = {}): AppError {
  return new AppError(
    'database-damaged',
    'The database is damaged. The archived files are not affected. Start Solarchive again: it sets the database ' +
      'aside and rebuilds it from its last backup, the archive folder and the service.',
    { details, cause },
  )
}
