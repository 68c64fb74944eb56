import Database from 'better-sqlite3'
import { AppError, type ErrorDetails } from '../../../shared/errors.ts'

/** Returns an AppError for an error of SQLite, an AppError unchanged, or `undefined` for anything else. */
export function storeError(thrown: unknown): AppError | undefined {
  if (thrown instanceof AppError) return thrown
  if (!(thrown instanceof Database.SqliteError)) return undefined
  const details = { sqlite: thrown.code }
  // IOERR_SHMSIZE: the shared-memory file could not be extended.
  if (/^SQLITE_(FULL|IOERR_SHMSIZE)/.test(thrown.code)) {
    return new AppError(
      'disk-full',
      'The disk with the data folder is full, so nothing more can be recorded. Archived files are unchanged. ' +
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
      'The data folder could not be read or written, so nothing more can be recorded. Archived files are unchanged. ' +
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
    'The database is damaged. The archived files are not affected. Start Solarchive again: it keeps the damaged ' +
      'database and builds a new one from its last backup, the archive folder and the service.',
    { details, cause },
  )
}
