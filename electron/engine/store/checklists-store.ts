import type { Db } from './open-database.ts'

export interface ChecklistRow {
  readonly key: number
  readonly projectId: string
  readonly id: string
  readonly title: string
  readonly status: string
  readonly updatedAt: string | null
  /** Of (status, updatedAt) as the service says now. */
  readonly fingerprint: string
  /** As of which its sections and questions were read. */
  readonly detailFingerprint: string | null
  /** As of which the media of all questions were read too. */
  readonly readFingerprint: string | null
  /** What is in the archive without a gap. */
  readonly archivedFingerprint: string | null
  readonly lookedAt: string | null
  readonly folder: string | null
  readonly entryRaw: string
  readonly detailRaw: string | null
  readonly upstreamGoneAt: string | null
  readonly errorCode: string | null
  readonly errorMessage: string | null
  readonly documentStale: 0 | 1
  readonly documentSha256: string | null
  readonly documentBytes: number | null
  /** The state that the activity last told to be archived; null: none, or it told that it is not any more. */
  readonly toldFingerprint: string | null
}

/** What the service said of a checklist when it was last listed. */
export type KnownChecklist = Pick<ChecklistRow, 'key' | 'id' | 'status' | 'fingerprint' | 'upstreamGoneAt'>

/** One checklist as the service lists it now. `entryRaw` is JSON text without links and secrets. */
export interface ChecklistEntry {
  readonly projectId: string
  readonly id: string
  readonly title: string
  readonly status: string
  readonly updatedAt: string | null
  readonly fingerprint: string
  readonly entryRaw: string
}

const columns = `key, project_id AS projectId, id, title, status, updated_at AS updatedAt, fingerprint,
  detail_fingerprint AS detailFingerprint, read_fingerprint AS readFingerprint, archived_fingerprint AS archivedFingerprint, looked_at AS lookedAt, folder,
  entry_raw AS entryRaw, detail_raw AS detailRaw, upstream_gone_at AS upstreamGoneAt, error_code AS errorCode,
  error_message AS errorMessage, document_stale AS documentStale, document_sha256 AS documentSha256,
  document_bytes AS documentBytes, told_fingerprint AS toldFingerprint`

export function createChecklistsStore(db: Db) {
  const put = db.prepare<ChecklistEntry>(
    `INSERT INTO checklists (project_id, id, title, status, updated_at, fingerprint, entry_raw)
     VALUES (:projectId, :id, :title, :status, :updatedAt, :fingerprint, :entryRaw)
     ON CONFLICT (project_id, id) DO UPDATE SET
       title = excluded.title, status = excluded.status, updated_at = excluded.updated_at,
       fingerprint = excluded.fingerprint, entry_raw = excluded.entry_raw, upstream_gone_at = NULL,
       document_stale = document_stale OR (folder IS NOT NULL AND entry_raw <> excluded.entry_raw)`,
  )
  const list = db.prepare<[string], ChecklistRow>(`SELECT ${columns} FROM checklists WHERE project_id = ? ORDER BY key`)
  const statuses = db.prepare<[], { projectId: string; status: string }>(
    `SELECT DISTINCT project_id AS projectId, status FROM checklists WHERE upstream_gone_at IS NULL`,
  )
  const statusesOf = db.prepare<[string], { status: string }>(
    'SELECT DISTINCT status FROM checklists WHERE project_id = ? AND upstream_gone_at IS NULL',
  )
  const listKnown = db.prepare<[string], KnownChecklist>(
    `SELECT key, id, status, fingerprint, upstream_gone_at AS upstreamGoneAt FROM checklists
     WHERE project_id = ? ORDER BY key`,
  )
  const countGone = db.prepare<[string], { count: number }>(
    'SELECT COUNT(*) AS count FROM checklists WHERE project_id = ? AND upstream_gone_at IS NOT NULL',
  )
  const listKeys = db.prepare<[string], { key: number }>('SELECT key FROM checklists WHERE project_id = ? ORDER BY key')
  const get = db.prepare<[number], ChecklistRow>(`SELECT ${columns} FROM checklists WHERE key = ?`)
  const markGone = db.prepare<{ key: number; at: string }>(
    `UPDATE checklists SET upstream_gone_at = :at, document_stale = folder IS NOT NULL
     WHERE key = :key AND upstream_gone_at IS NULL`,
  )
  const saveDetail = db.prepare<{ key: number; detailRaw: string; fingerprint: string; at: string }>(
    `UPDATE checklists SET detail_raw = :detailRaw, detail_fingerprint = :fingerprint, read_fingerprint = NULL,
       archived_fingerprint = NULL, looked_at = :at, document_stale = 1 WHERE key = :key`,
  )
  const restoreDetail = db.prepare<{ key: number; detailRaw: string }>(
    'UPDATE checklists SET detail_raw = :detailRaw WHERE key = :key AND detail_raw IS NULL',
  )
  const forgetReading = db.prepare<[number]>(
    `UPDATE checklists SET detail_fingerprint = NULL, read_fingerprint = NULL, archived_fingerprint = NULL
     WHERE key = ?`,
  )
  const markLooked = db.prepare<{ key: number; at: string }>('UPDATE checklists SET looked_at = :at WHERE key = :key')
  const markRead = db.prepare<{ key: number; fingerprint: string }>(
    'UPDATE checklists SET read_fingerprint = :fingerprint WHERE key = :key',
  )
  const markArchived = db.prepare<{ key: number; fingerprint: string }>(
    'UPDATE checklists SET archived_fingerprint = :fingerprint WHERE key = :key',
  )
  const setTold = db.prepare<{ key: number; fingerprint: string | null }>(
    'UPDATE checklists SET told_fingerprint = :fingerprint WHERE key = :key',
  )
  const setError = db.prepare<{ key: number; code: string | null; message: string | null }>(
    'UPDATE checklists SET error_code = :code, error_message = :message WHERE key = :key',
  )
  const unread = db.prepare<[], { projectId: string; id: string }>(
    `SELECT project_id AS projectId, id FROM checklists
     WHERE folder IS NOT NULL AND detail_fingerprint IS NULL AND error_code IS NULL AND upstream_gone_at IS NULL`,
  )
  const setFolder = db.prepare<{ key: number; folder: string; folderKey: string }>(
    'UPDATE checklists SET folder = :folder, folder_key = :folderKey WHERE key = :key',
  )
  const markStale = db.prepare<[number]>('UPDATE checklists SET document_stale = 1 WHERE key = ?')
  const markAllStale = db.prepare<[]>('UPDATE checklists SET document_stale = 1 WHERE document_sha256 IS NOT NULL')
  const listStale = db.prepare<[string], ChecklistRow>(
    `SELECT ${columns} FROM checklists WHERE project_id = ? AND document_stale = 1 AND folder IS NOT NULL ORDER BY key`,
  )
  const setDocument = db.prepare<{ key: number; sha256: string; bytes: number }>(
    `UPDATE checklists SET document_stale = 0, document_sha256 = :sha256, document_bytes = :bytes,
       document_verified_at = NULL WHERE key = :key`,
  )
  const folderTaken = db.prepare<[string], { one: 1 }>('SELECT 1 AS one FROM checklists WHERE folder_key = ?')

  return {
    put: (entry: ChecklistEntry) => {
      put.run(entry)
    },
    listForProject: (projectId: string) => list.all(projectId),
    /** Their rows hold the service's whole answers: who goes through many takes one at a time. */
    keysForProject: (projectId: string) => listKeys.all(projectId).map(({ key }) => key),
    /** The distinct statuses of every project's checklists, those that are no longer listed left out. */
    statuses: () => statuses.all(),
    statusesOf: (projectId: string) => statusesOf.all(projectId).map(({ status }) => status),
    /** Those that the service does not list any more. */
    countGone: (projectId: string) => countGone.get(projectId)?.count ?? 0,
    listKnown: (projectId: string) => listKnown.all(projectId),
    get: (key: number) => get.get(key),
    /** "No longer upstream": nothing is deleted. */
    markGone: (key: number, at: string) => {
      markGone.run({ key, at })
    },
    /** Saves a detail. Its media must be read again, and until then it is not known to be archived. */
    saveDetail: (key: number, detailRaw: string, fingerprint: string, at: string) => {
      saveDetail.run({ key, detailRaw, fingerprint, at })
    },
    /** For a rebuild: restores an earlier detail, which does not count as read. */
    restoreDetail: (key: number, detailRaw: string) => {
      restoreDetail.run({ key, detailRaw })
    },
    /** Its sections and media are asked for again, whatever the service says of its state. */
    forgetReading: (key: number) => {
      forgetReading.run(key)
    },
    /** Those with a folder of which nothing was read, and nothing failed: they came from the archive folder. */
    unread: () => unread.all(),
    markLooked: (key: number, at: string) => {
      markLooked.run({ key, at })
    },
    markRead: (key: number, fingerprint: string) => {
      markRead.run({ key, fingerprint })
    },
    markArchived: (key: number, fingerprint: string) => {
      markArchived.run({ key, fingerprint })
    },
    /** The activity tells that this state of it is archived, or, with null, that it is not any more. */
    setTold: (key: number, fingerprint: string | null) => {
      setTold.run({ key, fingerprint })
    },
    setError: (key: number, error: { code: string; message: string } | null) => {
      setError.run({ key, code: error?.code ?? null, message: error?.message ?? null })
    },
    setFolder: (key: number, folder: string, folderKey: string) => {
      setFolder.run({ key, folder, folderKey })
    },
    markDocumentStale: (key: number) => {
      markStale.run(key)
    },
    /** All of those that are written. */
    markDocumentsStale: () => {
      markAllStale.run()
    },
    listStaleDocuments: (projectId: string) => listStale.all(projectId),
    setDocument: (key: number, sha256: string, bytes: number) => {
      setDocument.run({ key, sha256, bytes })
    },
    isFolderTaken: (folderKey: string) => folderTaken.get(folderKey) !== undefined,
  }
}
