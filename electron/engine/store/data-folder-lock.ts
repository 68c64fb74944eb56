import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { AppError } from '../../../shared/errors.ts'
import { makeFoldersSync } from '../lib/fs/make-folders.ts'
import { createPrivateFileSync } from '../lib/fs/private-files.ts'
import { fileError, storeError } from './store-error.ts'

export interface DataFolderLock {
  release(): void
}

/** Connections that are in use: an unreferenced one would be closed by the garbage collector, and its lock released. */
const held = new Set<Database.Database>()

/**
 * Makes this process the only owner of a data folder. Uses a lock of SQLite: the system releases it when the process
 * ends, however it ends, so no stale owner has to be detected. Throws `data-folder-locked`, naming the pid, and
 * `disk-full` or `disk-error` for a folder that cannot be written, or a damaged lock file.
 */
export function lockDataFolder(homeFolder: string): DataFolderLock {
  const pidFile = pidFileIn(homeFolder)
  let db: Database.Database | undefined
  try {
    makeFoldersSync(homeFolder, 0o700)
    const lockFile = lockFileIn(homeFolder)
    createPrivateFileSync(lockFile)
    db = new Database(lockFile, { timeout: 0 })
    takeLock(db, homeFolder)
    writePid(pidFile)
  } catch (error) {
    // Also releases the lock.
    db?.close()
    throw isDamaged(error) ? damagedLockError(homeFolder, error) : (fileError(error, homeFolder) ?? error)
  }
  const connection = db
  held.add(connection)
  return {
    release() {
      if (!held.delete(connection)) return
      // The pid file is removed while the lock still keeps others from writing theirs.
      rmSync(pidFile, { force: true })
      connection.exec('ROLLBACK')
      connection.close()
    },
  }
}

/** Leaves no empty file behind on a full disk: others would wait for the pid in it. */
function writePid(pidFile: string): void {
  try {
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })
  } catch (error) {
    rmSync(pidFile, { force: true })
    throw error
  }
}

const pidFileIn = (homeFolder: string) => join(homeFolder, 'solarchive.pid')
const lockFileIn = (homeFolder: string) => join(homeFolder, 'lock.sqlite3')

const pauseMs = 20
const maxPauses = 10

/** A process in `findOwner` holds a lock for an instant, too: then taking it is tried again. */
function takeLock(db: Database.Database, homeFolder: string): void {
  for (let pauses = 0; isBusy(() => db.exec('BEGIN EXCLUSIVE')); pauses++) {
    const owner = findOwner(homeFolder)
    if (owner !== undefined || pauses === maxPauses) throw lockedError(homeFolder, owner?.pid)
    pause()
  }
}

/** The process that owns a data folder. */
export interface Owner {
  /** `undefined` if it is not known yet, or could not be read. */
  readonly pid: number | undefined
}

/**
 * Returns the process that owns a data folder, or `undefined` if none does. Writes nothing, and takes no lock that
 * would outlast the call.
 */
export function findOwner(homeFolder: string): Owner | undefined {
  const lockFile = lockFileIn(homeFolder)
  if (!existsSync(lockFile)) return undefined
  const db = new Database(lockFile, { readonly: true, fileMustExist: true, timeout: 0 })
  try {
    if (!isBusy(() => db.pragma('schema_version'))) return undefined
  } catch (error) {
    if (isDamaged(error)) return undefined
    throw error
  } finally {
    db.close()
  }
  return { pid: readPid(pidFileIn(homeFolder)) }
}

function isBusy(work: () => unknown): boolean {
  try {
    work()
    return false
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return true
    throw error
  }
}

/** Returns whether the content of the lock file is damaged. SQLite reads it only if no other process holds the lock. */
const isDamaged = (error: unknown) => storeError(error)?.code === 'database-damaged'

function damagedLockError(homeFolder: string, cause: unknown): AppError {
  return new AppError(
    'disk-error',
    `${lockFileIn(homeFolder)} is damaged, so Solarchive cannot reserve its data folder. Nothing was changed, and ` +
      'nothing is lost. Delete this file, which holds no data, then try again.',
    { cause },
  )
}

function lockedError(homeFolder: string, pid: number | undefined): AppError {
  return new AppError(
    'data-folder-locked',
    `Another Solarchive ${pid === undefined ? '' : `(process ${pid}) `}is using the data folder ${homeFolder}. ` +
      'Wait until it is done or stop it (the app is quit from its tray; closing its window keeps it running), ' +
      'then try again.',
    { details: { pid: pid ?? null } },
  )
}

/** Returns the error for an owner, by a sentence that says what it does, what that means, and what to do. */
export function lockedBy(pid: number | undefined, problem: string): AppError {
  const who = pid === undefined ? 'The running Solarchive' : `The running Solarchive (process ${pid})`
  return new AppError('data-folder-locked', `${who} ${problem}`, { details: { pid: pid ?? null } })
}

/**
 * Returns the owner's pid. The owner writes it right after taking the lock, so an empty file is read again for a
 * moment.
 */
function readPid(file: string): number | undefined {
  for (let attempt = 0; attempt < maxPauses; attempt++) {
    const pid = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : Number.NaN
    if (Number.isSafeInteger(pid) && pid > 0) return pid
    pause()
  }
  return undefined
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
}
