import Database from 'better-sqlite3'
import { AppError, type ErrorDetails } from '../../../shared/errors.ts'
import { dataFolderError, dataFolderErrorOf } from '../lib/fs/data-folder-error.ts'

/**
 * Returns an AppError for an error of SQLite, an AppError unchanged, or `undefined` for anything else. `folder` is the
 * data folder, if it is known.
 */
export function storeError(thrown: unknown, folder?: string): AppError | undefined {
  if (thrown instanceof AppError) return thrown
  if (!(thrown instanceof Database.SqliteError)) return undefined
  const about = { details: { sqlite: thrown.code }, cause: thrown }
  // IOERR_SHMSIZE: the shared-memory file could not be extended.
  if (/^SQLITE_(FULL|IOERR_SHMSIZE)/.test(thrown.code)) return dataFolderError('full', folder, about)
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(thrown.code)) return damagedError(thrown, about.details)
  if (/^SQLITE_(BUSY|LOCKED)/.test(thrown.code)) {
    return new AppError(
      'data-folder-locked',
      'Another program has the database open and keeps it locked. Nothing was changed. ' +
        'Close that program, then try again.',
      about,
    )
  }
  if (/^SQLITE_(READONLY|CANTOPEN)/.test(thrown.code)) return dataFolderError('no-access', folder, about)
  return thrown.code.startsWith('SQLITE_IOERR') ? dataFolderError('failed', folder, about) : undefined
}

/** Returns an AppError for the error of a file in the data folder, its database included; see `storeError`. */
export function fileError(thrown: unknown, folder: string): AppError | undefined {
  return storeError(thrown, folder) ?? dataFolderErrorOf(thrown, folder)
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
