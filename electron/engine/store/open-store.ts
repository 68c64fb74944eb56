import { constants, copyFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { toEngineError } from '../lib/engine-error.ts'
import type { Clock, Logger } from '../lib/ports.ts'
import { listBackups, type Backup } from './backup-database.ts'
import { findDamageIn, isCheckDue, lastChecked, recordCheck } from './check-database.ts'
import { readShutdown, removeCleanShutdownMarker, writeCleanShutdownMarker } from './clean-shutdown-marker.ts'
import { createStore, type Store } from './create-store.ts'
import {
  databaseName,
  hasQuarantined,
  identityOf,
  newFile,
  publishDatabase,
  quarantineDatabase,
  removeDatabase,
} from './database-files.ts'
import { fileError } from './store-error.ts'
import { createRebuildMarker } from './rebuild-marker.ts'

export interface OpenStoreOptions {
  /** Absolute path of the data folder, which this process owns. */
  readonly homeFolder: string
  readonly clock: Pick<Clock, 'nowMs'>
  readonly logger: Logger
}

/** Result of opening the database file. */
type Found =
  | { readonly kind: 'good'; readonly store: Store }
  | { readonly kind: 'missing' }
  | { readonly kind: 'damaged'; readonly damage: string }

export const backupsFolder = (homeFolder: string) => join(homeFolder, 'backups')

/**
 * Opens the data folder's database. It is checked if it was not closed cleanly, if another program changed it, and once
 * a week. A damaged one is quarantined and replaced by its newest good backup, or else by an empty one, with a marker
 * that the archive folder must be searched (`rebuildDatabase`). Only damage causes that: for `disk-error`, `disk-full`,
 * `data-folder-locked`, and `database-newer` it throws and leaves the file unchanged.
 */
export function openStore({ homeFolder, clock, logger }: OpenStoreOptions): Store {
  const file = join(homeFolder, databaseName)
  const nowMs = clock.nowMs()
  try {
    const found = openAndCheck(file, nowMs, logger)
    if (found.kind === 'good') return putInUse(found.store, file)
    // A full disk ends this here: the damaged database is still found, and known to be damaged, at the next start.
    const { unfinished, origin } = prepareReplacement(
      file,
      listBackups(backupsFolder(homeFolder), nowMs),
      found,
      nowMs,
      logger,
    )
    // A write-ahead log without its database must not be applied to a new one.
    const quarantined = quarantineDatabase(file, new Date(nowMs).toISOString())
    publishDatabase(unfinished, file)
    showReplacement(logger, found, origin, quarantined)
    return putInUse(createStore(file), file)
  } catch (error) {
    throw fileError(error, homeFolder) ?? toEngineError(error, `open the database in the data folder ${homeFolder}`)
  }
}

function openAndCheck(file: string, nowMs: number, logger: Logger): Found {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  // A start that ended between the quarantine and the replacement leaves no database.
  if (size === 0 && hasQuarantined(file)) return { kind: 'damaged', damage: 'there is only a quarantined one' }
  if (size === 0) return { kind: 'missing' }
  const shutdown = readShutdown(file)
  const wasClosed = shutdown !== 'unclean'
  // A process that was reading when the owner ended leaves an empty one.
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  let store: Store | undefined
  try {
    store = createStore(file)
    removeCleanShutdownMarker(file)
    const checkedMs = lastChecked(store.meta)
    // It may be a copy. If not, reading the archive's documents changes nothing; photos that agree are not read.
    if (shutdown === 'uncertain') markOutdated(store, nowMs)
    if (wasClosed && !isCheckDue(checkedMs, nowMs)) return { kind: 'good', store }
    logger.info('Checking the database', { reason: wasClosed ? 'a week has passed' : 'it was not closed cleanly' })
    const damage = findDamageIn(file)
    if (damage === undefined) {
      // Without its write-ahead log a database may be out of date, and so may one that someone copied here.
      if (!wasClosed && (!hasLog || isCopy(store, file)) && checkedMs !== undefined) markOutdated(store, nowMs)
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

/** Returns the damage that kept the database from being opened. Throws the error if the cause is something else. */
function damageBehind(error: unknown, file: string): string {
  if (error instanceof AppError && error.code === 'database-damaged') {
    return error.cause instanceof Error ? error.cause.message : error.message
  }
  // Tables may be missing or different: the check compares them with the schema.
  const damage = toEngineError(error, '').code === 'internal' ? findDamageIn(file) : undefined
  if (damage === undefined) throw error
  return damage
}

/**
 * Prepares the replacement under a temporary name, complete and marked. Returns its path, and the backup that it was
 * made from.
 */
function prepareReplacement(
  file: string,
  backups: readonly Backup[],
  found: Found,
  nowMs: number,
  logger: Logger,
): { readonly unfinished: string; readonly origin: Backup | undefined } {
  const unfinished = `${file}.new`
  removeDatabase(unfinished)
  const origin = backups.find((backup) => isGood(backup, unfinished, logger))
  const store = createStore(unfinished)
  try {
    if (origin !== undefined) store.discardOutdated()
    if (origin !== undefined || found.kind === 'damaged') store.orders.mayBeMissing(new Date(nowMs).toISOString())
    const reason = origin !== undefined ? 'restored' : found.kind === 'damaged' ? 'damaged' : 'new'
    createRebuildMarker(store.meta).set({ reason, done: [] })
    recordCheck(store.meta, nowMs)
  } finally {
    store.close()
  }
  return { unfinished, origin }
}

/** Copies a backup and checks the copy. An unusable backup is kept for inspection, and the next one is tried. */
function isGood(backup: Backup, copy: string, logger: Logger): boolean {
  removeDatabase(copy)
  try {
    copyFileSync(backup.file, copy, constants.COPYFILE_FICLONE)
    // Migrates an older schema.
    createStore(copy).close()
    const damage = findDamageIn(copy)
    if (damage === undefined) return true
    logger.warn('A backup of the database is damaged and was skipped', { file: backup.file, damage })
  } catch (thrown) {
    const error = fileError(thrown, dirname(copy)) ?? toEngineError(thrown, 'read a backup of the database')
    if (error.code === 'disk-full' || error.code === 'database-newer') {
      removeDatabase(copy)
      throw error.code === 'disk-full' ? error : newerBackupError(backup, error)
    }
    logger.warn('A backup of the database could not be used and was skipped', {
      file: backup.file,
      code: error.code,
    })
  }
  removeDatabase(copy)
  return false
}

/** A newer version can use its backup. If it were skipped, what only that has would be lost, and later the backup. */
function newerBackupError({ file }: Backup, cause: AppError): AppError {
  return new AppError(
    'database-newer',
    `The database is missing or damaged, and its backup ${file} is from a newer Solarchive. Nothing was changed. ` +
      'Install the newer version again. Or move that backup to another folder: then an older backup, or else the ' +
      'archive folder, is used, and what only the newer backup has is missing.',
    { cause },
  )
}

/** Records which file the database is, and adds the clean-shutdown marker to closing, unless damage was found. */
function putInUse(store: Store, file: string): Store {
  try {
    const identity = identityOf(file)
    // What is known stays: until 2025, a power cut could take the birth time of a file on btrfs.
    if (identity !== undefined && identity !== store.meta.get(identityKey)) store.meta.set(identityKey, identity)
  } catch (error) {
    closeQuietly(store)
    throw error
  }
  return {
    ...store,
    close() {
      store.close()
      if (!store.isSuspect()) writeCleanShutdownMarker(file)
    },
  }
}

const identityKey = 'database-file'

/** Returns whether the file is another one than the last in use, or may be (see `newFile`): its log may be old. */
function isCopy({ meta }: Store, file: string): boolean {
  const [known, now] = [meta.get(identityKey), identityOf(file)]
  if (known === undefined || known === newFile || now === undefined) return false
  // A data folder may be used on Linux and on another system by turns.
  const isSameKind = known.split(' ')[0] === now.split(' ')[0]
  return isSameKind && known !== now
}

/**
 * Records that what was recently archived and ordered may be missing. A rebuild that is due starts over: the projects
 * that it has compared may have changed since the copy was made.
 */
function markOutdated(store: Store, nowMs: number): void {
  const marker = createRebuildMarker(store.meta)
  marker.set({ reason: 'restored', ...marker.get(), done: [] })
  store.orders.mayBeMissing(new Date(nowMs).toISOString())
}

function closeQuietly(store: Store | undefined): void {
  try {
    store?.close()
  } catch {
    // The error that led here is already known.
  }
}

/**
 * Explains to the user what happened, what it means for the archive, and what comes next. A first start needs no
 * message.
 */
function showReplacement(
  logger: Logger,
  found: Found,
  origin: Backup | undefined,
  quarantined: string | undefined,
): void {
  if (found.kind === 'missing' && origin === undefined && quarantined === undefined) return
  const happened =
    found.kind === 'damaged' ? 'The database was damaged.' : 'The database was missing from the data folder, or empty.'
  const kept = quarantined === undefined ? '' : ` It is kept as ${quarantined} in the data folder.`
  const next =
    origin === undefined
      ? ' There is no good backup of it, so it is rebuilt from the archive folder and the service with the next sync.'
      : ` It was restored from the backup of ${new Date(origin.madeMs).toISOString()}; what was archived later is ` +
        'read from the archive folder and the service with the next sync. Projects that were added or removed since ' +
        'then may have to be added or removed again.'
  logger.info('The database was replaced', {
    because: found.kind,
    by: origin === undefined ? 'an empty one' : 'a backup',
    ...(found.kind === 'damaged' && { damage: found.damage }),
  })
  const orders =
    ' Orders may be missing from it: before an order is placed, the service is asked whether it was placed already.'
  logger.showMessage(`${happened} The archived files are not affected.${kept}${next}${orders}`)
}
