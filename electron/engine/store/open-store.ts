import { constants, copyFileSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { AppError } from '../../../shared/errors.ts'
import { toEngineError } from '../lib/engine-error.ts'
import type { Clock, Logger } from '../lib/ports.ts'
import { listBackups, type Backup } from './backup-database.ts'
import { findDamage, isCheckDue, lastChecked, recordCheck } from './check-database.ts'
import { removeCleanShutdownMarker, isCleanShutdown, writeCleanShutdownMarker } from './clean-shutdown-marker.ts'
import { createStore, type Store } from './create-store.ts'
import { databaseName, publishDatabase, removeDatabase, setAsideDatabase } from './database-files.ts'
import { createRebuildMarker, type RebuildReason } from './rebuild-marker.ts'

export interface OpenStoreOptions {
  /** Absolute path of the data folder, which this process owns. */
  readonly homeFolder: string
  readonly clock: Pick<Clock, 'nowMs'>
  readonly logger: Logger
}

/** What was found when the database file was opened. */
type Found =
  | { readonly kind: 'good'; readonly store: Store }
  | { readonly kind: 'missing' }
  | { readonly kind: 'damaged'; readonly damage: string }

export const backupsFolder = (homeFolder: string) => join(homeFolder, 'backups')

/**
 * Opens the data folder's database. It is checked if it was not closed cleanly, if another program changed it, and once a
 * week. A damaged one is kept beside it and replaced by its newest good backup, or else by an empty one, with a marker
 * that the archive folder must be searched (`rebuildDatabase`). Only damage does that:
 * throws `disk-error`, `disk-full`, `data-folder-locked` and `database-newer` and leaves the file alone.
 */
export function openStore({ homeFolder, clock, logger }: OpenStoreOptions): Store {
  const file = join(homeFolder, databaseName)
  const nowMs = clock.nowMs()
  try {
    const found = look(file, nowMs, logger)
    if (found.kind === 'good') return withCleanShutdownMarker(found.store, file)
    // A log of changes without its database belongs to none that comes later.
    const aside = setAsideDatabase(file, new Date(nowMs).toISOString())
    const origin = prepare(file, listBackups(backupsFolder(homeFolder), nowMs), found, nowMs, logger)
    showReplacement(logger, found, origin, aside)
    return withCleanShutdownMarker(createStore(file), file)
  } catch (error) {
    throw toEngineError(error, `open the database in the data folder ${homeFolder}`)
  }
}

function look(file: string, nowMs: number, logger: Logger): Found {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0) return { kind: 'missing' }
  const wasClosed = isCleanShutdown(file)
  const hasLog = existsSync(`${file}-wal`)
  let store: Store | undefined
  try {
    store = createStore(file)
    removeCleanShutdownMarker(file)
    const checkedMs = lastChecked(store.meta)
    if (wasClosed && !isCheckDue(checkedMs, nowMs)) return { kind: 'good', store }
    logger.info('The database is checked', { reason: wasClosed ? 'a week has passed' : 'it was not closed in order' })
    const damage = checkFile(file)
    if (damage === undefined) {
      // Without its log a database is as it was some time ago, and so is one that somebody put there.
      if (!wasClosed && !hasLog && checkedMs !== undefined) {
        markForRebuild(store, 'restored')
        store.orders.mayBeMissing(new Date(nowMs).toISOString())
      }
      recordCheck(store.meta, nowMs)
      return { kind: 'good', store }
    }
    store.close()
    return { kind: 'damaged', damage }
  } catch (error) {
    closeQuietly(store)
    return { kind: 'damaged', damage: damageBehind(error, file) }
  }
}

/** What is damaged, when that is why the database could not be opened. Throws the error when it is not. */
function damageBehind(error: unknown, file: string): string {
  if (error instanceof AppError && error.code === 'database-damaged') {
    return error.cause instanceof Error ? error.cause.message : error.message
  }
  // Tables that are not there, or are others: the check knows what they should be.
  const damage = toEngineError(error, '').code === 'internal' ? checkFile(file) : undefined
  if (damage === undefined) throw error
  return damage
}

/** On a connection of its own: the store shows rows, not pages. */
function checkFile(file: string): string | undefined {
  const db = new Database(file)
  try {
    return findDamage(db)
  } finally {
    db.close()
  }
}

/** Makes the database that comes into use, whole and marked, before it gets its name. Answers the backup it came from. */
function prepare(
  file: string,
  backups: readonly Backup[],
  found: Found,
  nowMs: number,
  logger: Logger,
): Backup | undefined {
  const unfinished = `${file}.new`
  removeDatabase(unfinished)
  const origin = backups.find((backup) => isGood(backup, unfinished, logger))
  const store = createStore(unfinished)
  try {
    if (origin !== undefined) store.forgetWhatMayBeOutdated()
    if (origin !== undefined || found.kind === 'damaged') store.orders.mayBeMissing(new Date(nowMs).toISOString())
    markForRebuild(store, origin !== undefined ? 'restored' : found.kind === 'damaged' ? 'damaged' : 'new')
    recordCheck(store.meta, nowMs)
  } finally {
    store.close()
  }
  publishDatabase(unfinished, file)
  return origin
}

/** Copies a backup and checks the copy. One that cannot be used is left for people to look at, and the next is tried. */
function isGood(backup: Backup, copy: string, logger: Logger): boolean {
  removeDatabase(copy)
  try {
    copyFileSync(backup.file, copy, constants.COPYFILE_FICLONE)
    // Brings an older schema up to date.
    createStore(copy).close()
    const damage = checkFile(copy)
    if (damage === undefined) return true
    logger.warn('A backup of the database is damaged and was passed over', { file: backup.file, damage })
  } catch (thrown) {
    const error = toEngineError(thrown, 'read a backup of the database')
    if (error.code === 'disk-full') throw error
    logger.warn('A backup of the database could not be used and was passed over', {
      file: backup.file,
      code: error.code,
    })
  }
  removeDatabase(copy)
  return false
}

/** A database that was closed in order, and in which no damage was met, gets a clean-shutdown marker. */
function withCleanShutdownMarker(store: Store, file: string): Store {
  return {
    ...store,
    close() {
      store.close()
      if (!store.isSuspect()) writeCleanShutdownMarker(file)
    },
  }
}

function markForRebuild(store: Store, reason: RebuildReason): void {
  createRebuildMarker(store.meta).set({ reason, done: [] })
}

function closeQuietly(store: Store | undefined): void {
  try {
    store?.close()
  } catch {
    // What is wrong with it is known already.
  }
}

/** For the person: what happened, what it means for the archive, what comes next. A first start is no news. */
function showReplacement(logger: Logger, found: Found, origin: Backup | undefined, aside: string | undefined): void {
  if (origin === undefined && aside === undefined) return
  const happened =
    found.kind === 'damaged' ? 'The database was damaged.' : 'The database was gone from the data folder, or empty.'
  const kept = aside === undefined ? '' : ` What was there is kept as ${aside} in the data folder.`
  const next =
    origin === undefined
      ? ' There is no good backup of it, so it is rebuilt from the archive folder and the service with the next sync.'
      : ` It was restored from the backup of ${new Date(origin.madeMs).toISOString()}; what came later is read from the ` +
        'archive folder and the service with the next sync.'
  logger.info('The database was replaced', {
    because: found.kind,
    by: origin === undefined ? 'an empty one' : 'a backup',
    ...(found.kind === 'damaged' && { damage: found.damage }),
  })
  const orders = ' Orders may be missing from it: whether one was placed already is asked before it is placed anew.'
  logger.tell(`${happened} The archived files are not affected.${kept}${next}${orders}`)
}
