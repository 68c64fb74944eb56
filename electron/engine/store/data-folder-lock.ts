import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { AppError } from '../../../shared/errors.ts'
import { makeFoldersSync } from '../lib/fs/make-folders.ts'
import { createPrivateFileSync } from '../lib/fs/private-files.ts'

export interface DataFolderLock {
  release(): void
}

/** Connections that are in use: an unreferenced one would be closed by the garbage collector, and its lock released. */
const held = new Set<Database.Database>()

/**
 * Makes this process the only owner of a data folder. Uses a lock of SQLite: the system releases it when the process
 * ends, however it ends, so no stale owner has to be detected. Throws `data-folder-locked`, naming the pid.
 */
export function lockDataFolder(homeFolder: string): DataFolderLock {
  makeFoldersSync(homeFolder, 0o700)
  const pidFile = join(homeFolder, 'solarchive.pid')
  const lockFile = join(homeFolder, 'lock.sqlite3')
  createPrivateFileSync(lockFile)
  const db = new Database(lockFile, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (!(error instanceof Database.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw error
    const pid = readPid(pidFile)
    throw new AppError(
      'data-folder-locked',
      `Another Solarchive ${pid === undefined ? '' : `(process ${pid}) `}is using the data folder ${homeFolder}. ` +
        'Wait until it is done or stop it (the app is quit from its tray; closing its window keeps it running), ' +
        'then try again.',
      { details: { pid: pid ?? null } },
    )
  }
  held.add(db)
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })
  return {
    release() {
      if (!held.delete(db)) return
      // The pid file is removed while the lock still keeps others from writing theirs.
      rmSync(pidFile, { force: true })
      db.exec('ROLLBACK')
      db.close()
    },
  }
}

/**
 * Returns the owner's pid. The owner writes it right after taking the lock, so an empty file is read again for a
 * moment.
 */
function readPid(file: string): number | undefined {
  for (let attempt = 0; attempt < 10; attempt++) {
    const pid = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : Number.NaN
    if (Number.isSafeInteger(pid) && pid > 0) return pid
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  }
  return undefined
}
