import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { makeFoldersSync } from '../lib/fs/make-folders.ts'
import { createPrivateFileSync } from '../lib/fs/private-files.ts'
import { migrate } from './migrate.ts'
import { damagedError, storeError } from './store-error.ts'

export type Db = Database.Database

/**
 * Opens the database, creating it and its folder if needed, and brings its schema up to date. Throws `database-damaged`
 * if the file is not a readable SQLite database, `database-newer` if a newer Solarchive wrote it.
 */
export function openDatabase(file: string): Db {
  makeFoldersSync(dirname(file), 0o700)
  createPrivateFileSync(file)
  let db: Db | undefined
  try {
    db = new Database(file)
    db.pragma('journal_mode = WAL')
    // A row that says "archived" must survive a power cut: WAL with NORMAL may lose the last commits, FULL does not.
    db.pragma('synchronous = FULL')
    db.pragma('foreign_keys = ON')
    db.pragma('trusted_schema = OFF')
    // In KiB. The driver's default of 16 MB would grow with the archive; the pages of frequent queries usually fit into
    // 2 MB.
    db.pragma('cache_size = -2000')
    migrateOrRefuse(db)
    return db
  } catch (error) {
    db?.close()
    throw storeError(error) ?? error
  }
}

/**
 * Migrates the schema. The migrations apply to every database that Solarchive created, so an SQL error means damage.
 */
function migrateOrRefuse(db: Db): void {
  try {
    migrate(db)
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_ERROR') throw damagedError(error)
    throw error
  }
}
