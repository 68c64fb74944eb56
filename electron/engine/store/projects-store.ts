import { errorCodes, errorPolicy, type ErrorCode } from '../../../shared/error-policy.ts'
import { attentionAt } from '../lib/attention.ts'
import { type Db, withoutFlush } from './open-database.ts'

export interface ProjectRow {
  readonly id: string
  /** `null` until the user or the service provides one. */
  readonly name: string | null
  readonly address: string | null
  /** Relative to the archive root; `null` until something is archived. */
  readonly folder: string | null
  readonly checksumsStale: 0 | 1
  /** `null` until a pass has completed. */
  readonly lastSyncedAt: string | null
  /** Error of the last pass. */
  readonly errorCode: ErrorCode | null
  /** Message for people; `null` without an error. */
  readonly errorMessage: string | null
}

/** A poll that the service answered. */
export interface PollRecord {
  readonly id: string
  /** ISO 8601 UTC. */
  readonly at: string
  readonly changed: boolean
  /** Everything was read, as at the first poll. */
  readonly isFullPass: boolean
}

/** A project's polls. Times are ISO 8601 UTC. */
export interface PollFacts {
  readonly id: string
  readonly addedAt: string
  /** Last poll that was answered. */
  readonly polledAt: string | null
  /** Last poll, answered or not. */
  readonly triedAt: string | null
  readonly changedAt: string | null
  readonly reconciledAt: string | null
  /** Consecutive failures. */
  readonly pollFailures: number
}

const columns = `id, name, address, folder, checksums_stale AS checksumsStale, last_synced_at AS lastSyncedAt,
  error_code AS errorCode, error_message AS errorMessage`

/** JSON array of the error codes of the service and the network, which do not depend on the project. */
const outageCodes = JSON.stringify(
  errorCodes.filter((code) => ['network', 'service'].includes(errorPolicy[code].scope)),
)

/** Projects that are, or were, archived. */
export function createProjectsStore(db: Db) {
  const sql = prepareStatements(db)

  return {
    /** Adds a project, also one that was removed, or updates a known one; `null` keeps the previous value. */
    put: (id: string, name: string | null, address: string | null, at: string) => {
      sql.put.run({ id, name, address, at })
    },
    /** Updates a known project; `null` keeps the previous value. A removed one stays removed. */
    describe: (id: string, name: string | null, address: string | null) => void sql.describe.run({ id, name, address }),
    get: (id: string) => sql.get.get(id),
    listActive: () => sql.listActive.all(),
    /** Includes removed projects: their files are still in the archive. */
    listAll: () => sql.listAll.all(),
    isActive: (id: string) => sql.isActive.get(id) !== undefined,
    /** Includes removed projects. */
    isAnyKnown: () => sql.isAnyKnown.get() !== undefined,
    /** Returns the number of active projects, and of those that were read, or that could not be. */
    countRead: () => sql.countRead.get() ?? { projects: 0, read: 0 },
    /** Returns `false` if it was not in the list. */
    remove: (id: string, at: string) => sql.remove.run({ id, at }).changes > 0,
    setFolder: (id: string, folder: string, folderKey: string) => void sql.setFolder.run({ id, folder, folderKey }),
    /** Does not wait for the disk: the service is asked again. */
    setSynced: (id: string, at: string) => withoutFlush(db, () => sql.setSynced.run({ id, at })),
    /**
     * Called when a project's queue is processed: it counts as synced if the service was asked for everything before.
     * Does not wait for the disk.
     */
    setSyncedIfRead: (id: string, at: string) => withoutFlush(db, () => sql.setSyncedIfRead.run({ id, at })),
    setError: (id: string, { code, message }: { code: ErrorCode; message: string }, at: string) => {
      const before = sql.failuresOf.get(id) ?? { failures: 0, attentionAt: null }
      const facts = { code, failures: before.failures + 1, attentionAt: before.attentionAt }
      sql.setError.run({ id, code, message, at, attentionAt: attentionAt(facts, Date.parse(at)) })
    },
    /**
     * Records a poll that the service answered. Does not wait for the disk: the service is asked again.
     */
    recordPolled: ({ changed, isFullPass, ...poll }: PollRecord) =>
      withoutFlush(db, () =>
        sql.recordPolled.run({ ...poll, changed: changed ? 1 : 0, isFullPass: isFullPass ? 1 : 0 }),
      ),
    /** Returns the facts that the poll schedule of the active projects needs. */
    pollFacts: () => sql.pollFacts.all(),
    /** Time of the last poll of any project, or `null`. Later ones than `now` are from a clock that was ahead. */
    lastPolledAt: (now: string) => sql.lastPolled.get({ now })?.at ?? null,
    pollFactsOf: (id: string) => sql.pollFactsOf.get(id),
    /** Removes the delay of projects that failed because of the network or the service, because it is back. */
    resetOutageBackoff: (exceptIds: readonly string[]) => {
      sql.resetOutageBackoff.run({ outageCodes, exceptIds: JSON.stringify(exceptIds) })
    },
    setChecksumsStale: (id: string, stale: boolean) => void sql.setStale.run({ id, stale: stale ? 1 : 0 }),
    isFolderTaken: (folderKey: string) => sql.folderTaken.get(folderKey) !== undefined,
  }
}

/** Prepares the statements of the store. */
function prepareStatements(db: Db) {
  return {
    put: db.prepare<{ id: string; name: string | null; address: string | null; at: string }>(
      `INSERT INTO projects (id, name, address, added_at) VALUES (:id, :name, :address, :at)
     ON CONFLICT (id) DO UPDATE SET
       name = COALESCE(excluded.name, name), address = COALESCE(excluded.address, address), removed_at = NULL`,
    ),
    describe: db.prepare<{ id: string; name: string | null; address: string | null }>(
      'UPDATE projects SET name = COALESCE(:name, name), address = COALESCE(:address, address) WHERE id = :id',
    ),
    get: db.prepare<[string], ProjectRow>(`SELECT ${columns} FROM projects WHERE id = ?`),
    listActive: db.prepare<[], ProjectRow>(
      `SELECT ${columns} FROM projects WHERE removed_at IS NULL ORDER BY name IS NULL, name COLLATE NOCASE, id`,
    ),
    listAll: db.prepare<[], ProjectRow>(`SELECT ${columns} FROM projects ORDER BY id`),
    isActive: db.prepare<[string], { one: 1 }>('SELECT 1 AS one FROM projects WHERE id = ? AND removed_at IS NULL'),
    countRead: db.prepare<[], { projects: number; read: number }>(
      'SELECT COUNT(*) AS projects, COUNT(tried_at) AS read FROM projects WHERE removed_at IS NULL',
    ),
    isAnyKnown: db.prepare<[], { one: 1 }>('SELECT 1 AS one FROM projects LIMIT 1'),
    remove: db.prepare<{ id: string; at: string }>(
      'UPDATE projects SET removed_at = :at WHERE id = :id AND removed_at IS NULL',
    ),
    setFolder: db.prepare<{ id: string; folder: string; folderKey: string }>(
      'UPDATE projects SET folder = :folder, folder_key = :folderKey WHERE id = :id',
    ),
    setSynced: db.prepare<{ id: string; at: string }>(
      `UPDATE projects SET last_synced_at = :at, error_code = NULL, error_message = NULL, attention_at = NULL
     WHERE id = :id`,
    ),
    setSyncedIfRead: db.prepare<{ id: string; at: string }>(
      `UPDATE projects SET last_synced_at = :at
     WHERE id = :id AND error_code IS NULL AND polled_at IS NOT NULL
       AND (last_synced_at IS NULL OR last_synced_at < polled_at)`,
    ),
    failuresOf: db.prepare<[string], { failures: number; attentionAt: string | null }>(
      'SELECT poll_failures AS failures, attention_at AS attentionAt FROM projects WHERE id = ?',
    ),
    setError: db.prepare<{ id: string; code: string; message: string; at: string; attentionAt: string }>(
      `UPDATE projects SET error_code = :code, error_message = :message, tried_at = :at, attention_at = :attentionAt,
       poll_failures = poll_failures + 1 WHERE id = :id`,
    ),
    recordPolled: db.prepare<{ id: string; at: string; changed: 0 | 1; isFullPass: 0 | 1 }>(
      `UPDATE projects SET polled_at = :at, tried_at = :at, poll_failures = 0,
       changed_at = CASE WHEN :changed THEN :at ELSE changed_at END,
       reconciled_at = CASE WHEN :isFullPass OR reconciled_at IS NULL THEN :at ELSE reconciled_at END
     WHERE id = :id`,
    ),
    lastPolled: db.prepare<{ now: string }, { at: string | null }>(
      'SELECT MAX(polled_at) AS at FROM projects WHERE polled_at <= :now',
    ),
    pollFacts: db.prepare<[], PollFacts>(
      `SELECT id, added_at AS addedAt, polled_at AS polledAt, tried_at AS triedAt, changed_at AS changedAt,
       reconciled_at AS reconciledAt, poll_failures AS pollFailures FROM projects WHERE removed_at IS NULL`,
    ),
    pollFactsOf: db.prepare<[string], PollFacts>(
      `SELECT id, added_at AS addedAt, polled_at AS polledAt, tried_at AS triedAt, changed_at AS changedAt,
       reconciled_at AS reconciledAt, poll_failures AS pollFailures FROM projects
     WHERE removed_at IS NULL AND id = ?`,
    ),
    resetOutageBackoff: db.prepare<{ outageCodes: string; exceptIds: string }>(
      `UPDATE projects SET poll_failures = 0
       WHERE poll_failures > 0 AND error_code IN (SELECT value FROM json_each(:outageCodes))
         AND id NOT IN (SELECT value FROM json_each(:exceptIds))`,
    ),
    setStale: db.prepare<{ id: string; stale: 0 | 1 }>('UPDATE projects SET checksums_stale = :stale WHERE id = :id'),
    folderTaken: db.prepare<[string], { one: 1 }>('SELECT 1 AS one FROM projects WHERE folder_key = ?'),
  }
}
