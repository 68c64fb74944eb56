import type { ErrorCode } from '../../../shared/error-policy.ts'
import { attentionAt } from '../lib/attention.ts'
import type { Db } from './open-database.ts'

export interface ChecklistRow {
  readonly key: number
  readonly projectId: string
  readonly id: string
  readonly title: string
  readonly status: string
  readonly updatedAt: string | null
  /** Fingerprint of the status and the update time as last listed by the service. */
  readonly fingerprint: string
  /** Fingerprint as of which its sections and questions were read; marked if only in part (`readInPart`). */
  readonly detailFingerprint: string | null
  /** `detailFingerprint` as of which the media of all its questions were read, too. */
  readonly readFingerprint: string | null
  /** Fingerprint as of which it was archived without a gap. */
  readonly archivedFingerprint: string | null
  /** When its detail or media were last asked for. */
  readonly checkedAt: string | null
  /** When its detail was last read. */
  readonly detailReadAt: string | null
  readonly folder: string | null
  readonly entryRaw: string
  readonly detailRaw: string | null
  readonly upstreamGoneAt: string | null
  readonly errorCode: ErrorCode | null
  readonly errorMessage: string | null
  readonly documentStale: 0 | 1
  readonly documentSha256: string | null
  readonly documentBytes: number | null
  /**
   * Fingerprint last reported as archived in the activity; `null` if none was, or if it was reported as no longer
   * archived.
   */
  readonly reportedFingerprint: string | null
}

/** A checklist as the service last listed it. */
export type KnownChecklist = Pick<
  ChecklistRow,
  'key' | 'id' | 'status' | 'updatedAt' | 'fingerprint' | 'upstreamGoneAt'
>

/** Fields of a checklist that count for completeness. */
export type ChecklistForCompleteness = Pick<
  ChecklistRow,
  | 'key'
  | 'projectId'
  | 'id'
  | 'title'
  | 'status'
  | 'updatedAt'
  | 'fingerprint'
  | 'readFingerprint'
  | 'archivedFingerprint'
  | 'folder'
  | 'upstreamGoneAt'
  | 'errorCode'
>

/** Status and update time of a checklist. */
export type ChecklistHead = Pick<ChecklistRow, 'key' | 'status' | 'updatedAt' | 'fingerprint'>

/** A checklist as the service lists it now. `entryRaw` is JSON text without links and secrets. */
export type ChecklistEntry = Pick<
  ChecklistRow,
  'projectId' | 'id' | 'title' | 'status' | 'updatedAt' | 'fingerprint' | 'entryRaw'
>

const columns = `key, project_id AS projectId, id, title, status, updated_at AS updatedAt, fingerprint,
  detail_fingerprint AS detailFingerprint, read_fingerprint AS readFingerprint,
  archived_fingerprint AS archivedFingerprint, looked_at AS checkedAt, detail_read_at AS detailReadAt, folder,
  entry_raw AS entryRaw, detail_raw AS detailRaw, upstream_gone_at AS upstreamGoneAt, error_code AS errorCode,
  error_message AS errorMessage, document_stale AS documentStale, document_sha256 AS documentSha256,
  document_bytes AS documentBytes, told_fingerprint AS reportedFingerprint`

export function createChecklistsStore(db: Db) {
  const queries = prepareQueries(db)
  const changes = prepareChanges(db)

  return {
    /** Returns the checklist's key. */
    put: (entry: ChecklistEntry) => changes.put.get(entry)?.key ?? 0,
    listForProject: (projectId: string) => queries.list.all(projectId),
    /** Rows contain the service's whole answers: a caller that reads many of them loads them one at a time. */
    keysForProject: (projectId: string) => queries.listKeys.all(projectId).map(({ key }) => key),
    /**
     * Returns the checklists of several projects, those of a project in their order, with what counts for completeness
     * and without the service's answers.
     */
    listForCompleteness: (projectIds: readonly string[]) => queries.listForCompleteness.all(JSON.stringify(projectIds)),
    /** Returns the distinct statuses of each project's checklists, except those that are no longer listed. */
    statuses: () => queries.statuses.all(),
    statusesOf: (projectId: string) => queries.statusesOf.all(projectId).map(({ status }) => status),
    /** Number of checklists that the service no longer lists. */
    countGone: (projectId: string) => queries.countGone.get(projectId)?.count ?? 0,
    listKnown: (projectId: string) => queries.listKnown.all(projectId),
    get: (key: number) => queries.get.get(key),
    /** Returns a project's checklist by its ID. */
    find: (projectId: string, id: string) => queries.find.get({ projectId, id }),
    /** Returns the projects that have a checklist with this ID. */
    projectsOf: (id: string) => queries.projectsOf.all(id).map(({ projectId }) => projectId),
    /** Marks a checklist as no longer listed. Nothing is deleted. */
    markGone: (key: number, at: string) => void changes.markGone.run({ key, at }),
    /** Saves a detail. The checklist counts as archived again only after its media were read again. */
    saveDetail: (key: number, detailRaw: string, fingerprint: string, at: string) => {
      changes.saveDetail.run({ key, detailRaw, fingerprint, at })
    },
    /** For a rebuild: restores an earlier detail, which does not count as read. */
    restoreDetail: (key: number, detailRaw: string) => void changes.restoreDetail.run({ key, detailRaw }),
    /**
     * Discards the read states, so that sections and media are requested again even if the checklist's state is
     * unchanged.
     */
    markUnread: (key: number) => void changes.markUnread.run(key),
    /** Like `markUnread`, but a checklist that is gone stays as archived as it is until it is listed again. */
    forgetRead: (key: number) => void changes.forgetRead.run(key),
    /** Forgets what was read and archived as of this fingerprint: the checklist had another one in between. */
    forgetState: (key: number, fingerprint: string) => {
      changes.forgetState.run({ key, fingerprint })
      changes.forgetConfirmed.run({ key, fingerprint })
    },
    /** Returns the checklists that were restored from the archive folder and not read since, without an error. */
    unread: () => queries.unread.all(),
    /** Records the status and update time of an answer about one checklist. */
    setHead: (head: ChecklistHead) => void changes.setHead.run(head),
    /**
     * Counts what was read, archived, and confirmed as of one fingerprint as that of another, which only says more of
     * the same state. A file counts if it was archived since that state was read, or after `sinceAt`; null: every file.
     */
    renameState: (key: number, from: string, to: string, sinceAt: string | null) => {
      changes.renameConfirmed.run({ key, from, to, sinceAt })
      changes.renameState.run({ key, from, to })
    },
    /** Records that its detail was asked for, and is as it was. */
    markDetailUnchanged: (key: number, at: string) => void changes.markDetailUnchanged.run({ key, at }),
    markChecked: (key: number, at: string) => void changes.markChecked.run({ key, at }),
    markRead: (key: number, fingerprint: string) => void changes.markRead.run({ key, fingerprint }),
    markArchived: (key: number, fingerprint: string) => void changes.markArchived.run({ key, fingerprint }),
    /** The checklist counts as archived again once it was found to be at the end of a pass. */
    unmarkArchived: (key: number) => void changes.unmarkArchived.run(key),
    /**
     * Records the fingerprint that the activity reported as archived; `null` if it reported the checklist as no longer
     * archived.
     */
    setReported: (key: number, fingerprint: string | null) => void changes.setReported.run({ key, fingerprint }),
    setError: (key: number, { code, message }: { code: ErrorCode; message: string }, at: string) => {
      const before = changes.failuresOf.get(key) ?? { failures: 0, attentionAt: null }
      const facts = { code, failures: before.failures + 1, attentionAt: before.attentionAt }
      changes.setError.run({ key, code, message, attentionAt: attentionAt(facts, Date.parse(at)) })
    },
    clearError: (key: number) => void changes.clearError.run(key),
    setFolder: (key: number, folder: string, folderKey: string) => {
      changes.setFolder.run({ key, folder, folderKey })
    },
    markDocumentStale: (key: number) => void changes.markStale.run(key),
    /** Marks all written documents as stale. */
    markDocumentsStale: () => void changes.markAllStale.run(),
    /** Returns the keys alone: a row has all that the service said of its checklist. */
    listStaleDocuments: (projectId: string) => queries.listStale.all(projectId).map(({ key }) => key),
    /** Returns the folders that checklists of a project have. */
    listFolders: (projectId: string) => queries.listFolders.all(projectId),
    setDocument: (key: number, sha256: string, bytes: number) => void changes.setDocument.run({ key, sha256, bytes }),
    isFolderTaken: (folderKey: string) => queries.folderTaken.get(folderKey) !== undefined,
  }
}

/** Prepares the statements that read checklists. */
function prepareQueries(db: Db) {
  return {
    projectsOf: db.prepare<[string], { projectId: string }>(
      'SELECT project_id AS projectId FROM checklists WHERE id = ? ORDER BY key',
    ),
    list: db.prepare<[string], ChecklistRow>(`SELECT ${columns} FROM checklists WHERE project_id = ? ORDER BY key`),
    statuses: db.prepare<[], { projectId: string; status: string }>(
      `SELECT DISTINCT project_id AS projectId, status FROM checklists WHERE upstream_gone_at IS NULL`,
    ),
    statusesOf: db.prepare<[string], { status: string }>(
      'SELECT DISTINCT status FROM checklists WHERE project_id = ? AND upstream_gone_at IS NULL',
    ),
    listKnown: db.prepare<[string], KnownChecklist>(
      `SELECT key, id, status, updated_at AS updatedAt, fingerprint, upstream_gone_at AS upstreamGoneAt FROM checklists
     WHERE project_id = ? ORDER BY key`,
    ),
    countGone: db.prepare<[string], { count: number }>(
      'SELECT COUNT(*) AS count FROM checklists WHERE project_id = ? AND upstream_gone_at IS NOT NULL',
    ),
    listForCompleteness: db.prepare<[string], ChecklistForCompleteness>(
      `SELECT key, project_id AS projectId, id, title, status, updated_at AS updatedAt, fingerprint,
         read_fingerprint AS readFingerprint, archived_fingerprint AS archivedFingerprint, folder,
         upstream_gone_at AS upstreamGoneAt, error_code AS errorCode
       FROM checklists WHERE project_id IN (SELECT value FROM json_each(?)) ORDER BY key`,
    ),
    listKeys: db.prepare<[string], { key: number }>('SELECT key FROM checklists WHERE project_id = ? ORDER BY key'),
    get: db.prepare<[number], ChecklistRow>(`SELECT ${columns} FROM checklists WHERE key = ?`),
    find: db.prepare<{ projectId: string; id: string }, ChecklistRow>(
      `SELECT ${columns} FROM checklists WHERE project_id = :projectId AND id = :id`,
    ),
    unread: db.prepare<[], { projectId: string; id: string }>(
      `SELECT project_id AS projectId, id FROM checklists
     WHERE folder IS NOT NULL AND detail_fingerprint IS NULL AND error_code IS NULL AND upstream_gone_at IS NULL`,
    ),
    listFolders: db.prepare<[string], { key: number; folder: string }>(
      'SELECT key, folder FROM checklists WHERE project_id = ? AND folder IS NOT NULL',
    ),
    listStale: db.prepare<[string], { key: number }>(
      `SELECT key FROM checklists
       WHERE project_id = ? AND document_stale = 1 AND folder IS NOT NULL ORDER BY key`,
    ),
    folderTaken: db.prepare<[string], { one: 1 }>('SELECT 1 AS one FROM checklists WHERE folder_key = ?'),
  }
}

/** Prepares the statements that change checklists. */
function prepareChanges(db: Db) {
  return {
    put: db.prepare<ChecklistEntry, { key: number }>(
      `INSERT INTO checklists (project_id, id, title, status, updated_at, fingerprint, entry_raw)
     VALUES (:projectId, :id, :title, :status, :updatedAt, :fingerprint, :entryRaw)
     ON CONFLICT (project_id, id) DO UPDATE SET
       title = excluded.title, status = excluded.status, updated_at = excluded.updated_at,
       fingerprint = excluded.fingerprint, entry_raw = excluded.entry_raw, upstream_gone_at = NULL,
       archived_fingerprint =
         CASE WHEN upstream_gone_at IS NULL OR read_fingerprint IS NOT NULL THEN archived_fingerprint END,
       document_stale = document_stale OR (folder IS NOT NULL AND entry_raw <> excluded.entry_raw)
     RETURNING key`,
    ),
    markGone: db.prepare<{ key: number; at: string }>(
      `UPDATE checklists SET upstream_gone_at = :at, document_stale = folder IS NOT NULL
     WHERE key = :key AND upstream_gone_at IS NULL`,
    ),
    saveDetail: db.prepare<{ key: number; detailRaw: string; fingerprint: string; at: string }>(
      `UPDATE checklists SET detail_raw = :detailRaw, detail_fingerprint = :fingerprint, read_fingerprint = NULL,
       archived_fingerprint = NULL, looked_at = :at, detail_read_at = :at, document_stale = 1 WHERE key = :key`,
    ),
    restoreDetail: db.prepare<{ key: number; detailRaw: string }>(
      'UPDATE checklists SET detail_raw = :detailRaw WHERE key = :key AND detail_raw IS NULL',
    ),
    markUnread: db.prepare<[number]>(
      `UPDATE checklists SET detail_fingerprint = NULL, read_fingerprint = NULL, archived_fingerprint = NULL
     WHERE key = ?`,
    ),
    forgetRead: db.prepare<[number]>(
      'UPDATE checklists SET detail_fingerprint = NULL, read_fingerprint = NULL WHERE key = ?',
    ),
    forgetState: db.prepare<{ key: number; fingerprint: string }>(
      `UPDATE checklists SET detail_fingerprint = NULLIF(detail_fingerprint, :fingerprint),
       read_fingerprint = NULLIF(read_fingerprint, :fingerprint),
       archived_fingerprint = NULLIF(archived_fingerprint, :fingerprint) WHERE key = :key`,
    ),
    forgetConfirmed: db.prepare<{ key: number; fingerprint: string }>(
      `UPDATE assets SET confirmed_fingerprint = NULL
     WHERE checklist_key = :key AND confirmed_fingerprint = :fingerprint`,
    ),
    setHead: db.prepare<ChecklistHead>(
      `UPDATE checklists SET status = :status, updated_at = :updatedAt, fingerprint = :fingerprint,
       document_stale = folder IS NOT NULL WHERE key = :key`,
    ),
    renameState: db.prepare<{ key: number; from: string; to: string }>(
      `UPDATE checklists SET
       detail_fingerprint = CASE detail_fingerprint WHEN :from THEN :to ELSE detail_fingerprint END,
       read_fingerprint = CASE read_fingerprint WHEN :from THEN :to ELSE read_fingerprint END,
       archived_fingerprint = NULL,
       told_fingerprint = CASE told_fingerprint WHEN :from THEN :to ELSE told_fingerprint END WHERE key = :key`,
    ),
    renameConfirmed: db.prepare<{ key: number; from: string; to: string; sinceAt: string | null }>(
      `UPDATE assets SET confirmed_fingerprint = :to WHERE checklist_key = :key AND confirmed_fingerprint = :from
       AND (:sinceAt IS NULL OR archived_at > :sinceAt
         OR archived_at >= (SELECT detail_read_at FROM checklists WHERE key = :key))`,
    ),
    markDetailUnchanged: db.prepare<{ key: number; at: string }>(
      'UPDATE checklists SET looked_at = :at, detail_read_at = :at WHERE key = :key',
    ),
    markChecked: db.prepare<{ key: number; at: string }>('UPDATE checklists SET looked_at = :at WHERE key = :key'),
    markRead: db.prepare<{ key: number; fingerprint: string }>(
      'UPDATE checklists SET read_fingerprint = :fingerprint WHERE key = :key',
    ),
    markArchived: db.prepare<{ key: number; fingerprint: string }>(
      'UPDATE checklists SET archived_fingerprint = :fingerprint WHERE key = :key',
    ),
    unmarkArchived: db.prepare<[number]>('UPDATE checklists SET archived_fingerprint = NULL WHERE key = ?'),
    setReported: db.prepare<{ key: number; fingerprint: string | null }>(
      'UPDATE checklists SET told_fingerprint = :fingerprint WHERE key = :key',
    ),
    failuresOf: db.prepare<[number], { failures: number; attentionAt: string | null }>(
      'SELECT failures, attention_at AS attentionAt FROM checklists WHERE key = ?',
    ),
    setError: db.prepare<{ key: number; code: string; message: string; attentionAt: string }>(
      `UPDATE checklists SET error_code = :code, error_message = :message, attention_at = :attentionAt,
       failures = failures + 1 WHERE key = :key`,
    ),
    clearError: db.prepare<[number]>(
      `UPDATE checklists SET error_code = NULL, error_message = NULL, attention_at = NULL, failures = 0
     WHERE key = ?`,
    ),
    setFolder: db.prepare<{ key: number; folder: string; folderKey: string }>(
      'UPDATE checklists SET folder = :folder, folder_key = :folderKey WHERE key = :key',
    ),
    markStale: db.prepare<[number]>('UPDATE checklists SET document_stale = 1 WHERE key = ?'),
    markAllStale: db.prepare<[]>('UPDATE checklists SET document_stale = 1 WHERE document_sha256 IS NOT NULL'),
    setDocument: db.prepare<{ key: number; sha256: string; bytes: number }>(
      `UPDATE checklists SET document_stale = 0, document_sha256 = :sha256, document_bytes = :bytes,
       document_verified_at = NULL WHERE key = :key`,
    ),
  }
}
