import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { AppError } from '../../../shared/errors.ts'
import { migrate } from './migrate.ts'

export type Db = Database.Database

/**
 * Opens the database, creating it and its folder when absent, and brings its schema up to date.
 * Throws `database-damaged` when the file is not a readable SQLite database, `database-newer` when a later
 * Solarchive wrote it.
 */
export function openDatabase(file: string): Db {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  let db: Db | undefined
  try {
    db = new Database(file)
    db.pragma('journal_mode = WAL')
    // A row that says archived must survive a power cut: WAL with NORMAL may lose the last commits, FULL does not.
    db.pragma('synchronous = FULL')
    db.pragma('foreign_keys = ON')
    db.pragma('trusted_schema = OFF')
    migrate(db)
    return db
  } catch (error) {
    db?.close()
    if (isDamage(error)) {
      throw new AppError(
        'database-damaged',
        `The database ${file} is damaged and cannot be read. The archived files are not affected. ` +
          'Move the database file away and start again: it is rebuilt by the next sync.',
        { cause: error },
      )
    }
    throw error
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)
}
