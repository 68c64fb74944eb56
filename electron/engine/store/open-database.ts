import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { makeFoldersSync } from '../lib/fs/make-folders.ts'
import { createPrivateFileSync } from '../lib/fs/private-files.ts'
import { migrate } from './migrate.ts'
import { damagedError, storeError } from './store-error.ts'

/** A statement that is compiled when it is first used. */
export interface Statement<Values extends unknown[], Row> {
  run(...values: Values): Database.RunResult
  get(...values: Values): Row | undefined
  all(...values: Values): Row[]
}

export interface Db extends Omit<Database.Database, 'prepare'> {
  prepare<Values extends unknown[] | object = unknown[], Row = unknown>(
    sql: string,
  ): Values extends unknown[] ? Statement<Values, Row> : Statement<[Values], Row>
}

/**
 * Memory for pages of a database, in KiB. The driver's default of 16 MB would grow with the archive; the pages of
 * frequent queries usually fit into 2 MB.
 */
export const cacheSize = 'cache_size = -2000'

/**
 * Opens the database, creating it and its folder if needed, and brings its schema up to date. Throws `database-damaged`
 * if the file is not a readable SQLite database, `database-newer` if a newer Solarchive wrote it.
 */
export function openDatabase(file: string): Db {
  makeFoldersSync(dirname(file), 0o700)
  createPrivateFileSync(file)
  let db: Database.Database | undefined
  try {
    db = new Database(file)
    db.pragma('journal_mode = WAL')
    // A row that says "archived" must survive a power cut: WAL with NORMAL may lose the last commits, FULL does not.
    db.pragma('synchronous = FULL')
    // On macOS fsync leaves the data in the drive's cache. Other systems ignore this.
    db.pragma('fullfsync = ON')
    db.pragma('foreign_keys = ON')
    db.pragma('trusted_schema = OFF')
    db.pragma(cacheSize)
    migrateOrRefuse(db)
    compileAtFirstUse(db)
    return db
  } catch (error) {
    db?.close()
    throw storeError(error, dirname(file)) ?? error
  }
}

/**
 * Runs `work` in a transaction that does not wait for the disk: a power cut takes it, unless a later transaction that
 * waited was recorded. Within another transaction, it is part of that one.
 */
export function withoutFlush<T>(db: Db, work: () => T): T {
  const isAlone = !db.inTransaction
  if (isAlone) db.pragma('synchronous = NORMAL')
  try {
    return db.transaction(work).immediate()
  } finally {
    if (isAlone) db.pragma('synchronous = FULL')
  }
}

/** Time to wait for the owner, whose checkpoints and end briefly block readers. */
const busyTimeoutMs = 5_000

/**
 * Opens a database for reading while another process owns it: nothing is created, migrated, or changed, and the owner's
 * writes are seen as they are committed. Throws like `openDatabase`.
 */
export function openDatabaseReadOnly(file: string): Db {
  return opened(() => new Database(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs }))
}

/** Offsets of the read and write versions in a database header: 1 is a rollback journal, 2 a write-ahead log. */
const journalBytes = [18, 19]

/**
 * Opens the bytes of a cleanly closed database for reading, without any file: SQLite opens a database with a
 * write-ahead log only where it can create files beside it.
 */
export function openDatabaseBytes(bytes: Buffer): Db {
  for (const at of journalBytes) if (at < bytes.length) bytes[at] = 1
  return opened(() => new Database(bytes, { readonly: true }))
}

/** Returns the bytes of a new database without rows, which never touches a disk. */
export function emptyDatabaseBytes(): Buffer {
  const db = new Database(':memory:')
  try {
    migrate(db)
    return db.serialize()
  } finally {
    db.close()
  }
}

function opened(open: () => Database.Database): Db {
  let db: Database.Database | undefined
  try {
    db = open()
    db.pragma('trusted_schema = OFF')
    db.pragma(cacheSize)
    compileAtFirstUse(db)
    return db
  } catch (error) {
    db?.close()
    throw storeError(error) ?? error
  }
}

/**
 * Migrates the schema. The migrations apply to every database that Solarchive created, so an SQL error means damage.
 */
function migrateOrRefuse(db: Database.Database): void {
  try {
    migrate(db)
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_ERROR') throw damagedError(error)
    throw error
  }
}

/**
 * The stores have some 300 statements, of which a command uses a few: to compile them all took twelve of the fourteen
 * milliseconds of an opening.
 */
function compileAtFirstUse(db: Database.Database): void {
  const compile = db.prepare.bind(db)
  const prepare = (sql: string): Statement<unknown[], unknown> => {
    let compiled: Statement<unknown[], unknown> | undefined
    const statement = () => (compiled ??= compile(sql))
    return {
      run: (...values) => statement().run(...values),
      get: (...values) => statement().get(...values),
      all: (...values) => statement().all(...values),
    }
  }
  Object.defineProperty(db, 'prepare', { value: prepare })
}
