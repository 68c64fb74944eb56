import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { toEngineError } from '../lib/engine-error.ts'
import { makeFoldersSync } from '../lib/fs/make-folders.ts'
import type { Log } from '../lib/ports.ts'
import { createPrivateFileSync } from '../lib/fs/private-files.ts'
import { findDamageIn, recordCheck } from './check-database.ts'
import type { Store } from './create-store.ts'
import { backupName, fileTime, publishDatabase, removeDatabase } from './database-files.ts'
import { createRebuildMarker } from './rebuild-marker.ts'

/** Number of backups that are kept: a week of daily ones. */
const keptBackups = 7

/** Interval between two backups: a day. */
const backupEveryMs = 24 * 60 * 60_000

/** Pause after a failed backup, so that a full disk is not tried again with every pass. */
const retryAfterMs = 60 * 60_000

/** A finished backup. */
export interface Backup {
  readonly file: string
  /** Time in its name, in milliseconds since 1970. */
  readonly madeMs: number
}

/**
 * Outcome of a backup. `not-due` is also returned while a rebuild is pending; `damaged` means that the check of the
 * copy found the database to be damaged; `failed` is any other failure. The last two are logged, and earlier backups
 * are kept.
 */
export type BackupOutcome = 'made' | 'not-due' | 'damaged' | 'failed'

export interface BackupOptions {
  readonly store: Store
  /** Absolute path of the backups folder; created with the first backup. */
  readonly folder: string
  readonly logger: Log
}

export function createDatabaseBackups({ store, folder, logger }: BackupOptions) {
  const marker = createRebuildMarker(store.meta)
  let running: Promise<BackupOutcome> | undefined
  let failedMs: number | undefined

  async function run(nowMs: number): Promise<BackupOutcome> {
    try {
      if (failedMs !== undefined && Math.abs(nowMs - failedMs) < retryAfterMs) return 'not-due'
      if (store.isSuspect() || marker.get() !== undefined || !isDue(listBackups(folder, nowMs), nowMs)) return 'not-due'
      return await makeBackup(nowMs)
    } catch (thrown) {
      const { code, message } = toEngineError(thrown, 'make the daily backup of the database')
      logger.warn('The daily backup of the database could not be made', { code, reason: message })
      failedMs = nowMs
      return 'failed'
    }
  }

  async function makeBackup(nowMs: number): Promise<BackupOutcome> {
    makeFoldersSync(folder, 0o700)
    const nowIso = new Date(nowMs).toISOString()
    const file = join(folder, `solarchive-${fileTime(nowIso)}.sqlite3`)
    const unfinished = `${file}.part`
    for (const name of readdirSync(folder)) {
      if (/^solarchive-.*\.part(-wal|-shm|-journal)?$/.test(name)) rmSync(join(folder, name), { force: true })
    }
    try {
      createPrivateFileSync(unfinished)
      await store.backup(unfinished)
      const damage = findDamageIn(unfinished, { asOneFile: true })
      if (damage !== undefined) {
        store.suspectDamage()
        logger.error('The database is damaged. It will be checked and rebuilt at the next start', { damage })
        return 'damaged'
      }
      publishDatabase(unfinished, file)
    } finally {
      removeDatabase(unfinished)
    }
    // The copy has every page of the database as it was read, so checking the copy checks the database.
    recordCheck(store.meta, nowMs)
    for (const old of listBackups(folder, nowMs).slice(keptBackups)) rmSync(old.file, { force: true })
    logger.debug('The database was backed up', { file })
    return 'made'
  }

  return {
    /** Makes a backup if the last one is older than a day. Never rejects; concurrent calls share one backup. */
    backupIfDue(nowMs: number): Promise<BackupOutcome> {
      running ??= run(nowMs).finally(() => {
        running = undefined
      })
      return running
    },
  }
}

/**
 * Returns the finished backups, best first: by the time in their names, newest first, followed by those dated in the
 * future by a wrong clock.
 */
export function listBackups(folder: string, nowMs: number): Backup[] {
  if (!existsSync(folder)) return []
  const backups = readdirSync(folder).flatMap((name): Backup[] => {
    const [, hour, minute, second] = backupName.exec(name) ?? []
    const madeMs = Date.parse(`${hour}:${minute}:${second}Z`)
    return Number.isNaN(madeMs) ? [] : [{ file: join(folder, name), madeMs }]
  })
  const isFuture = ({ madeMs }: Backup) => madeMs > nowMs
  return backups.sort((one, other) => Number(isFuture(one)) - Number(isFuture(other)) || other.madeMs - one.madeMs)
}

function isDue(backups: readonly Backup[], nowMs: number): boolean {
  return !backups.some(({ madeMs }) => madeMs <= nowMs && nowMs - madeMs < backupEveryMs)
}
