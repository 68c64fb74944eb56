import { dirname, isAbsolute } from 'node:path'
import { createActivityStore } from './activity-store.ts'
import { createAnalysisStore } from './analysis-store.ts'
import { createAssetsStore } from './assets-store.ts'
import { createCatalogStore } from './catalog-store.ts'
import { createChecklistsStore } from './checklists-store.ts'
import { createFindingsStore } from './findings-store.ts'
import { createArchivedFilesStore } from './archived-files-store.ts'
import { createHintsStore } from './hints-store.ts'
import { createHooksStore, notifyHooks } from './hooks-store.ts'
import { createJobsStore } from './jobs-store.ts'
import { createMetaStore } from './meta-store.ts'
import { createOrdersStore } from './orders-store.ts'
import { openDatabase, openDatabaseBytes, openDatabaseReadOnly, withoutFlush, type Db } from './open-database.ts'
import { createOrderAttemptsStore } from './order-attempts-store.ts'
import { createOrderBatchesStore } from './order-batches-store.ts'
import { createOrderPollsStore } from './order-polls-store.ts'
import { createOrderPresetsStore } from './order-presets-store.ts'
import { createPacketsStore } from './packets-store.ts'
import { createProjectFactsStore } from './project-facts-store.ts'
import { createProjectsStore } from './projects-store.ts'
import { createQuestionsStore } from './questions-store.ts'
import { createSearchStore } from './search-store.ts'
import { damagedError, storeError } from './store-error.ts'
import { createVersionsStore } from './versions-store.ts'
import { createSupportStore, type SupportStore } from './support-store.ts'

/**
 * Opens the database with one store per subject. Throws as `openDatabase` does; the stores convert errors of SQLite to
 * AppErrors.
 */
export function createStore(databaseFile: string) {
  const db = openDatabase(databaseFile)
  try {
    return storesOn(db)
  } catch (error) {
    db.close()
    throw error
  }
}

function storesOn(db: Db) {
  let suspect = false
  let committed = () => {}
  const notifying = <T>(transaction: () => T): T => {
    const result = transaction()
    if (!db.inTransaction) committed()
    return result
  }
  const changes = db.prepare<[], { total: number }>('SELECT total_changes() AS total')
  const versionNow = () => `${String(db.pragma('data_version', { simple: true }))}:${changes.get()?.total}`
  const onDamage = () => {
    suspect = true
  }
  const guard: Guard = { folder: folderOf(db), onDamage }
  const orders = guardStore(createOrdersStore(db), guard)
  const hooks = createHooksStore(db)
  return {
    meta: guardStore(createMetaStore(db), guard),
    projects: guardStore(createProjectsStore(db), guard),
    activity: guardStore(
      createActivityStore(db, (recorded) => notifyHooks(recorded, hooks)),
      guard,
    ),
    analysis: guardStore(createAnalysisStore(db), guard),
    catalog: guardStore(createCatalogStore(db), guard),
    facts: guardStore(createProjectFactsStore(db, versionNow), guard),
    checklists: guardStore(createChecklistsStore(db), guard),
    questions: guardStore(createQuestionsStore(db), guard),
    assets: guardStore(createAssetsStore(db), guard),
    findings: guardStore(createFindingsStore(db), guard),
    archivedFiles: guardStore(createArchivedFilesStore(db), guard),
    hints: guardStore(createHintsStore(db), guard),
    hooks: guardStore(hooks, guard),
    jobs: guardStore(createJobsStore(db), guard),
    orderAttempts: guardStore(createOrderAttemptsStore(db), guard),
    orderBatches: guardStore(createOrderBatchesStore(db), guard),
    orderPolls: guardStore(createOrderPollsStore(db), guard),
    orderPresets: guardStore(createOrderPresetsStore(db), guard),
    orders,
    packets: guardStore(createPacketsStore(db), guard),
    search: guardStore(createSearchStore(db), guard),
    versions: guardStore(createVersionsStore(db), guard),
    /** Runs synchronous work in one transaction: all of it is recorded, or none of it. */
    transaction: <T>(work: () => T): T => notifying(() => guardCall(() => db.transaction(work).immediate(), guard)),
    /**
     * Like `transaction`, without waiting for the disk: for what the service says again after a power cut. The next
     * transaction makes it durable, too.
     */
    transactionWithoutFlush: <T>(work: () => T): T => notifying(() => guardCall(() => withoutFlush(db, work), guard)),
    /** Sets the one function that is called after each transaction. */
    onCommit: (listener: () => void) => {
      committed = listener
    },
    /** Runs synchronous reads of one moment, also while another process writes. */
    reading: <T>(work: () => T): T => guardCall(() => (db.readonly ? db.transaction(work).deferred() : work()), guard),
    /**
     * Returns a function that computes its result again only after a write to the database, by this connection or by
     * another, or once `isCurrent` says that the time has changed it. Results read within a transaction are not cached,
     * because the transaction may be rolled back.
     */
    cachedUntilWrite: <T>(compute: () => T, isCurrent: (result: T) => boolean = () => true): (() => T) => {
      let last: { readonly version: string; readonly result: T } | undefined
      return () => {
        if (db.inTransaction) return compute()
        const version = guardCall(versionNow, guard)
        if (last?.version !== version || !isCurrent(last.result)) last = { version, result: compute() }
        return last.result
      }
    },
    /** Copies a consistent state of the database while it stays in use. */
    backup: async (toFile: string): Promise<void> => {
      await db.backup(toFile)
    },
    /** For a restored database: discards read states and unfinished downloads, which may be outdated. */
    discardOutdated: () =>
      guardCall(() => {
        db.exec(`UPDATE checklists SET read_fingerprint = NULL, archived_fingerprint = NULL;
          UPDATE jobs SET part_bytes = NULL, part_etag = NULL, part_source_hash = NULL;
          DELETE FROM replacements;`)
      }, guard),
    /** Parses stored JSON. Throws `database-damaged` if it is invalid. */
    parseJson: (text: string): unknown =>
      guardCall(() => {
        try {
          return JSON.parse(text) as unknown
        } catch (error) {
          throw damagedError(error)
        }
      }, guard),
    /** Marks the database as damaged, so that the next opening checks it. */
    suspectDamage: onDamage,
    /** Returns whether damage was found since the database was opened. */
    isSuspect: () => suspect,
    close: () => {
      emptyLog(db)
      db.close()
    },
  }
}

/** Time that the end of an owner waits for a process that is reading. */
const readerPatienceMs = 500

/**
 * Writes the write-ahead log into the database. `close` would do so by itself, but only if no other process is reading:
 * then the log would stay, and the next opening would have to check the whole database.
 */
function emptyLog(db: Db): void {
  try {
    db.pragma(`busy_timeout = ${readerPatienceMs}`)
    db.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // A full disk, for example: the next opening reads the log.
  }
}

export type Store = ReturnType<typeof createStore>

interface Guard {
  /** The data folder; undefined for a database in memory. */
  readonly folder: string | undefined
  /** Called if the database is damaged, so that the next opening checks it. */
  readonly onDamage: () => void
}

function folderOf({ name }: Db): string | undefined {
  return isAbsolute(name) ? dirname(name) : undefined
}

type StoreFunction = (...values: never[]) => unknown

/** Wraps functions so that they throw an AppError for an error of SQLite. */
function guardStore<Functions extends Readonly<Record<string, StoreFunction>>>(
  functions: Functions,
  guard: Guard,
): Functions {
  const guarded = Object.entries(functions).map(([name, work]) => [
    name,
    (...values: never[]) => guardCall(() => work(...values), guard),
  ])
  return Object.fromEntries(guarded) as Functions
}

/** Runs `work` with the error handling of `guardStore`. */
function guardCall<T>(work: () => T, { folder, onDamage }: Guard): T {
  try {
    return work()
  } catch (thrown) {
    const error = storeError(thrown, folder)
    if (error?.code === 'database-damaged') onDamage()
    throw error ?? thrown
  }
}

/** A database that another process may own, for reading. A write through it throws an AppError: it is a mistake. */
export interface ReadOnlyStore extends Store {
  readonly support: SupportStore
  /** From now until `endSnapshot`, every query sees the database as it is now. Replaces an earlier snapshot. */
  beginSnapshot(): void
  endSnapshot(): void
}

/**
 * Opens a database for reading while another process owns it; see `openDatabaseReadOnly`. Works with every format, but
 * most queries require the current one. SQLite's empty `-wal` and `-shm` files may remain if the owner ends first.
 */
export function openReadOnly(file: string): ReadOnlyStore {
  return readOnlyStoreOn(openDatabaseReadOnly(file))
}

/** Opens the bytes of a cleanly closed database; see `openDatabaseBytes`. */
export function openBytes(bytes: Buffer): ReadOnlyStore {
  return readOnlyStoreOn(openDatabaseBytes(bytes))
}

function readOnlyStoreOn(db: Db): ReadOnlyStore {
  const guard = <T>(work: () => T) => guardCall(work, { folder: folderOf(db), onDamage: () => undefined })
  const endSnapshot = () => {
    if (db.inTransaction) guard(() => db.exec('COMMIT'))
  }
  return {
    ...storesOn(db),
    support: createSupportStore(db),
    beginSnapshot() {
      endSnapshot()
      // The transaction begins with its first read.
      guard(() => db.exec('BEGIN; SELECT 1 FROM sqlite_schema'))
    },
    endSnapshot,
    close: () => {
      db.close()
    },
  }
}
