import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { StatusReport } from '../../shared/domain.ts'
import { readEvidenceState } from './evidence/evidence-record.ts'
import { createActivityLog } from './catalog/activity-log.ts'
import type { ArchiveReader, EngineSettings, StatusQuery } from './engine.ts'
import { findMissingOrResized } from './downloads/find-missing.ts'
import { reportStatus } from './integrity/report-status.ts'
import { verifyBeside } from './integrity/verify-beside.ts'
import { toEngineError } from './lib/engine-error.ts'
import { progressIntervalMs, type VerifyProgress } from './lib/events.ts'
import type { Clock } from './lib/ports.ts'
import { createBatchQueries } from './orders/batches.ts'
import { throttle } from './lib/throttle.ts'
import { createAnswerWindow, defaultOrderTimings } from './orders/order-deps.ts'
import { createOrderQueries } from './orders/create-orders.ts'
import { createPresets } from './orders/presets.ts'
import { projectQueries } from './projects/project-list.ts'
import { archiveKey, createQueries } from './queries.ts'
import { holdsSample } from './recovery/require-own-projects.ts'
import { containsProjects, hasNothingRecorded } from './recovery/restore-projects.ts'
import { normalizeBaseUrl } from './service/base-url.ts'
import { readCleanShutdownMarker } from './store/clean-shutdown-marker.ts'
import { listBackups } from './store/backup-database.ts'
import { openBytes, openReadOnly, type ReadOnlyStore, type Store } from './store/create-store.ts'
import { findOwner, lockedBy, type Owner } from './store/data-folder-lock.ts'
import { databaseName, hasQuarantined } from './store/database-files.ts'
import { emptyDatabaseBytes } from './store/open-database.ts'
import { backupsFolder } from './store/open-store.ts'
import { storeError } from './store/store-error.ts'
import { migrations, requireKnownFormat } from './store/migrate.ts'
import { createRebuildMarker } from './store/rebuild-marker.ts'

export interface ReaderSettings {
  readonly homeFolder: string
  readonly archiveFolder: string
  readonly serviceUrl: string
  readonly evidence?: EngineSettings['evidence']
  readonly readPhotos?: boolean
}

/**
 * Result of opening a reader. Without one, only the owner of the data folder can answer: there is no current, complete
 * database that was closed cleanly. `owner` is the process that owns the data folder, if one does.
 */
export type OpenedReader =
  | {
      readonly kind: 'open'
      readonly reader: ArchiveReader
      readonly owner: Owner | undefined
      /** True if the data folder is known to hold the sample's projects. */
      readonly isSample: boolean
      /** Returns a counter that changes with each write to the database. */
      readonly changes: () => number
      /**
       * Returns whether this reader no longer reads the present database: another file has taken its place, or an owner
       * writes to it while this one reads a copy.
       */
      readonly isReplaced: () => boolean
    }
  | { readonly kind: 'owner-needed'; readonly owner: Owner | undefined }

/**
 * Opens an archive for reading without owning its data folder, and changes nothing in it. Beside an owner, its
 * database is read as it changes; without one, the database that the last owner closed, see `maxCopyBytes`. With
 * `isFrozen`, everything after the first `status` is answered as of the same moment; with `orEmpty`, an unused data
 * folder is read as one without projects. Throws `database-newer`, and the errors of reading the database.
 */
export function openReader(
  settings: ReaderSettings,
  {
    clock,
    isFrozen = false,
    orEmpty = false,
  }: { readonly clock: Clock; readonly isFrozen?: boolean; readonly orEmpty?: boolean },
): OpenedReader {
  const file = join(settings.homeFolder, databaseName)
  try {
    const owner = findOwner(settings.homeFolder)
    if (orEmpty && owner === undefined && isUnused(settings)) {
      const store = openBytes(emptyDatabaseBytes())
      const reader = readerOn(store, settings, { clock, isFrozen, isBeside: false })
      return { kind: 'open', reader, owner, isSample: false, changes: () => 0, isReplaced: () => false }
    }
    const inode = inodeOf(file)
    const store = owner === undefined ? openClosed(file) : existsSync(file) ? openReadOnly(file) : undefined
    if (store === undefined) return { kind: 'owner-needed', owner }
    if (!isUsable(store, settings.archiveFolder, owner)) {
      store.close()
      return { kind: 'owner-needed', owner }
    }
    const isBeside = owner !== undefined
    let count = 0
    const changes = store.cachedUntilWrite(() => (count += 1))
    const reader = readerOn(store, settings, { clock, isFrozen, isBeside })
    return {
      kind: 'open',
      reader,
      owner,
      isSample: holdsSample(store),
      changes,
      isReplaced: () =>
        inodeOf(file) !== inode || (owner === undefined && findOwner(settings.homeFolder) !== undefined),
    }
  } catch (error) {
    throw storeError(error, settings.homeFolder) ?? toEngineError(error, 'read the database')
  }
}

/** Returns the inode, which another file of the same name does not have, or `undefined` if there is no file. */
const inodeOf = (file: string) => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino

/**
 * Returns whether there is nothing to read or to restore: no database and no backup of one in the data folder, and no
 * project in the archive. A command that only reads must not create them.
 */
export function isUnused({ homeFolder, archiveFolder }: ReaderSettings): boolean {
  // Unlike `existsSync`, this does not take a folder that cannot be entered for an empty one.
  if (statSync(join(homeFolder, databaseName), { throwIfNoEntry: false }) !== undefined) return false
  if (!isPossible(homeFolder)) return false
  if (hasQuarantined(join(homeFolder, databaseName))) return false
  return listBackups(backupsFolder(homeFolder), Infinity).length === 0 && !containsProjects(archiveFolder)
}

/** Returns whether a data folder could be used, or created, as far as it shows. With any other, the owner fails. */
function isPossible(homeFolder: string): boolean {
  try {
    let folder = homeFolder
    while (statSync(folder, { throwIfNoEntry: false }) === undefined) folder = dirname(folder)
    accessSync(folder, constants.W_OK)
    // Folders of the system, such as /proc, have no room for files.
    return statSync(folder).isDirectory() && statfsSync(folder).blocks > 0
  } catch {
    return false
  }
}

/**
 * A larger database, of some 5,000 to 20,000 files, is read from the disk: SQLite leaves empty files beside it then,
 * and a copy would take twice its size in memory. Where SQLite may not create these files, a copy is the only way.
 */
const maxCopyBytes = 16 * 1024 * 1024
const maxCopyOfReadOnlyFolderBytes = 256 * 1024 * 1024

/**
 * Opens a database that no process has open. Returns `undefined` if it was not closed cleanly, was opened since, or may
 * be a copy, which lacks what was archived later.
 */
function openClosed(file: string): ReadOnlyStore | undefined {
  const marker = readCleanShutdownMarker(file)
  if (marker === undefined) return undefined
  const { sizeBytes } = JSON.parse(marker) as { sizeBytes: string }
  const limit = isWritable(dirname(file)) ? maxCopyBytes : maxCopyOfReadOnlyFolderBytes
  if (Number(sizeBytes) > limit) return openReadOnly(file)
  const bytes = readFileSync(file)
  return readCleanShutdownMarker(file) === marker ? openBytes(bytes) : undefined
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Returns whether a reader understands the database, and nothing has to be restored first that no owner restores. */
function isUsable(store: ReadOnlyStore, archiveFolder: string, owner: Owner | undefined): boolean {
  const format = store.support.format()
  requireKnownFormat(format)
  if (format < migrations.length) return false
  if (owner !== undefined) return true
  if (isRebuildPending(store, archiveFolder)) return false
  // The archive of another database: its owner reads it first.
  return !hasNothingRecorded(store, archiveFolder) || !containsProjects(archiveFolder)
}

/** Returns whether the archive has to be compared with the database. A new database of an empty archive is complete. */
function isRebuildPending(store: Store, archiveFolder: string): boolean {
  const pending = createRebuildMarker(store.meta).get()
  if (pending?.reason !== 'new') return pending !== undefined
  return store.assets.foldersInUse().length > 0 || containsProjects(archiveFolder)
}

/** Time in which an owner indexes what a check found. A first index takes longer. */
const indexPatienceMs = 5_000
const indexPollMs = 100

interface ReaderOptions {
  readonly clock: Clock
  readonly isFrozen: boolean
  readonly isBeside: boolean
}

function readerOn(store: ReadOnlyStore, settings: ReaderSettings, options: ReaderOptions): ArchiveReader {
  const { clock, isFrozen, isBeside } = options
  const { archiveFolder, serviceUrl } = settings
  const answers = createAnswerWindow(clock, defaultOrderTimings.answerWindowMs)
  const service = new URL(normalizeBaseUrl(serviceUrl)).origin
  const activityLog = createActivityLog(store, () => undefined)
  let lastStatus: Promise<unknown> = Promise.resolve()
  return {
    archiveKey: archiveKey(settings),
    projects: projectQueries(store),
    // A reader of one moment serves one command.
    ...createQueries(store, settings, clock, {
      mayBlock: isFrozen,
      completeIndex: (signal) => awaitIndex(store, clock, signal),
      requireRebuilt: () => requireRebuilt(store, settings),
    }),
    status(query = {}) {
      const mine = lastStatus.then(async () => {
        try {
          return await consistentStatus(store, settings, { isBeside, isFrozen }, query)
        } catch (error) {
          throw toEngineError(error, 'compare the archive folder with the database')
        } finally {
          if (!isFrozen) store.endSnapshot()
        }
      })
      lastStatus = mine.catch(() => undefined)
      return mine
    },
    async verify({ projectIds, signal = new AbortController().signal, onProgress: notify } = {}) {
      const onProgress = throttle(progressIntervalMs, clock, (progress: VerifyProgress) => notify?.(progress))
      // Needs current rows, whatever moment the others are answered for.
      const current = isBeside ? openReadOnly(join(settings.homeFolder, databaseName)) : store
      try {
        requireRebuilt(current, settings)
        return await verifyBeside({ store: current, root: archiveFolder, clock }, { projectIds, signal, onProgress })
      } catch (error) {
        throw toEngineError(error, 'read the archive folder')
      } finally {
        if (current !== store) current.close()
      }
    },
    completeIndex: () => Promise.resolve(),
    activity: (query) => activityLog.list(query),
    evidenceState: () =>
      readEvidenceState(store, clock, { isDaily: settings.evidence?.isDaily === true, isStamping: false }),
    orders: createOrderQueries({ store, answers, service, clock }),
    presets: createPresets(store),
    batches: createBatchQueries(store),
    close() {
      store.close()
      return Promise.resolve()
    },
  }
}

/** Resolves once the owner has indexed everything, or after a few seconds. */
async function awaitIndex(store: ReadOnlyStore, clock: Clock, signal: AbortSignal): Promise<void> {
  const untilMs = clock.monotonicMs() + indexPatienceMs
  while (store.search.isIncomplete() && clock.monotonicMs() < untilMs) await clock.sleep(indexPollMs, signal)
}

/**
 * Returns the completeness of all checklists at one moment. Beside an owner, which replaces files, a file counts as
 * lost only if rows that are read after it was looked for still say that it should be there.
 */
async function consistentStatus(
  store: ReadOnlyStore,
  settings: ReaderSettings,
  { isBeside, isFrozen }: Pick<ReaderOptions, 'isBeside' | 'isFrozen'>,
  { signal, projectIds, into }: StatusQuery,
): Promise<StatusReport> {
  const { homeFolder, archiveFolder } = settings
  const confirmed = new Set<number>()
  for (;;) {
    signal?.throwIfAborted()
    store.beginSnapshot()
    requireRebuilt(store, settings)
    const unconfirmed = new Set<number>()
    into?.clear()
    const report = await reportStatus(store, archiveFolder, {
      projectIds,
      into,
      // A reader of one moment serves one command.
      mayBlock: isFrozen,
      isLost(assetId) {
        if (isBeside && !confirmed.has(assetId)) unconfirmed.add(assetId)
        return !isBeside || confirmed.has(assetId)
      },
    })
    if (unconfirmed.size === 0) return report
    const before = confirmed.size
    const current = openReadOnly(join(homeFolder, databaseName))
    try {
      for (const assetId of unconfirmed) if (await isStillLost(current, archiveFolder, assetId)) confirmed.add(assetId)
    } finally {
      current.close()
    }
    if (confirmed.size === before) return report
  }
}

/**
 * Returns whether a file that is missing on the disk, or has another size, is archived according to its current row.
 */
async function isStillLost(store: Store, archiveFolder: string, assetId: number): Promise<boolean> {
  const row = store.assets.get(assetId)
  // The owner has noticed it, too.
  if (row === undefined || row.sha256 === null || row.sizeBytes === null) return true
  const { missing, resized } = await findMissingOrResized(archiveFolder, [{ path: row.path, sizeBytes: row.sizeBytes }])
  if (missing.size + resized.size === 0) return false
  return store.assets.get(assetId)?.sha256 === row.sha256 && !store.versions.isPending(assetId)
}

/** Throws `data-folder-locked` until the owner has restored the database from the archive folder. */
function requireRebuilt(store: Store, { homeFolder, archiveFolder }: ReaderSettings): void {
  if (!isRebuildPending(store, archiveFolder)) return
  throw lockedBy(
    findOwner(homeFolder)?.pid,
    'has not yet compared its database with the archive folder, so archived files may be missing from the database. ' +
      'Ask again when it is done; a large archive takes as long as reading all its files. If it waits for the drive ' +
      'or share with the archive, connect that. Or stop it, and try again.',
  )
}
