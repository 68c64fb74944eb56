import type { AssetKind } from '../../../shared/domain.ts'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import type { Db } from './open-database.ts'

export interface AssetRow {
  readonly id: number
  readonly checklistKey: number
  /** Null for the report. */
  readonly questionKey: number | null
  readonly kind: AssetKind
  readonly remoteKey: string
  readonly sourceHash: string | null
  readonly fileName: string | null
  readonly path: string
  readonly record: string | null
  readonly takenAt: string | null
  readonly latitude: number | null
  readonly longitude: number | null
  readonly present: 0 | 1
  /** Set when the file is on disk, whole. */
  readonly sha256: string | null
  readonly sizeBytes: number | null
  readonly archivedAt: string | null
  readonly etag: string | null
  readonly lastModified: string | null
  /** The checklist's fingerprint when the file was last found to be what the service has. */
  readonly confirmedFingerprint: string | null
  /** When it was last read again and was right; of a file that was lost, last known to be right. */
  readonly verifiedAt: string | null
  /** Of a file that was archived: what a verify or a pass found on the disk in its place. Null: nothing wrong. */
  readonly damage: FileDamage | null
  /** What the file had that was archived and is not there any more; null while it is, and where nobody knows. */
  readonly lostSha256: string | null
}

/** Missing in its place, or there with other bytes than were archived. What may not be read counts as changed. */
export type FileDamage = 'missing' | 'changed'

/** What the service says of an asset; the record is JSON text without links and secrets. */
export interface AssetFacts {
  readonly remoteKey: string
  readonly sourceHash: string | null
  readonly fileName: string | null
  readonly record: string | null
  readonly takenAt: string | null
  readonly latitude: number | null
  readonly longitude: number | null
}

export interface NewAsset extends AssetFacts {
  readonly checklistKey: number
  readonly questionKey: number | null
  readonly kind: AssetKind
  readonly path: string
  readonly pathKey: string
}

/** A file that is on disk, whole, under its path. */
export interface ArchivedFile {
  readonly id: number
  readonly sha256: string
  readonly sizeBytes: number
  readonly etag: string | null
  readonly lastModified: string | null
  readonly archivedAt: string
}

/** `sha256`: what it should be; `at`: when it was found not to be, ISO 8601 UTC. */
export interface DamagedFile {
  readonly id: number
  readonly sha256: string
  readonly damage: FileDamage
  readonly at: string
}

/** One file that the archive holds, or lost. */
export interface ManifestEntry {
  readonly path: string
  readonly sha256: string
}

/**
 * The files of one kind of a question, counted. Expected are those that the service has, those that ever were in the
 * archive, and every report that there ever was. Archived are those of which nothing is known to be wrong.
 */
export interface FileCounts {
  /** Null for the report. */
  readonly questionKey: number | null
  readonly kind: AssetKind
  readonly expected: number
  readonly archived: number
  /** What the service has now: of the expected, all but what it took back. */
  readonly listed: number
  /** Of those that the service has: not yet found to be what it has at the checklist's present fingerprint. */
  readonly unconfirmed: number
  /** The first expected file that is not in the archive, and why its last try failed. */
  readonly missingId: number | null
  readonly missingError: ErrorCode | null
  /** What is wrong with it, if it was archived once and no download brings it back: only a repair does, or nothing. */
  readonly missingSince: 'damaged' | 'gone' | null
}

const columns = `a.id, a.checklist_key AS checklistKey, a.question_key AS questionKey, a.kind,
  a.remote_key AS remoteKey, a.source_hash AS sourceHash, a.file_name AS fileName, a.path, a.record,
  a.taken_at AS takenAt, a.latitude, a.longitude, a.present, a.sha256, a.size_bytes AS sizeBytes,
  a.archived_at AS archivedAt, a.etag, a.last_modified AS lastModified,
  a.confirmed_fingerprint AS confirmedFingerprint, a.verified_at AS verifiedAt, a.damage,
  a.lost_sha256 AS lostSha256`

/** The reports, photos and thumbnails that belong into the archive, and what is in it. */
export function createAssetsStore(db: Db) {
  const get = db.prepare<[number], AssetRow>(`SELECT ${columns} FROM assets a WHERE a.id = ?`)
  const listForChecklist = db.prepare<[number], AssetRow>(
    `SELECT ${columns} FROM assets a WHERE a.checklist_key = ? ORDER BY a.id`,
  )
  const listForQuestion = db.prepare<{ checklistKey: number; key: number }, AssetRow>(
    `SELECT ${columns} FROM assets a WHERE a.checklist_key = :checklistKey AND a.question_key = :key ORDER BY a.id`,
  )
  const getReport = db.prepare<[number], AssetRow>(
    `SELECT ${columns} FROM assets a WHERE a.checklist_key = ? AND a.question_key IS NULL AND a.kind = 'report'`,
  )
  const insert = db.prepare<NewAsset>(
    `INSERT INTO assets (checklist_key, question_key, kind, remote_key, source_hash, file_name, path, path_key, record,
       taken_at, latitude, longitude)
     VALUES (:checklistKey, :questionKey, :kind, :remoteKey, :sourceHash, :fileName, :path, :pathKey, :record,
       :takenAt, :latitude, :longitude)`,
  )
  const update = db.prepare<AssetFacts & { id: number }>(
    `UPDATE assets SET remote_key = :remoteKey, source_hash = :sourceHash, file_name = :fileName, record = :record,
       taken_at = :takenAt, latitude = :latitude, longitude = :longitude, present = 1 WHERE id = :id`,
  )
  const markGone = db.prepare<[number]>('UPDATE assets SET present = 0 WHERE id = ?')
  const setPath = db.prepare<{ id: number; path: string; pathKey: string }>(
    'UPDATE assets SET path = :path, path_key = :pathKey WHERE id = :id',
  )
  const markArchived = db.prepare<ArchivedFile & { readonly urlIdentity: string | null }>(
    `UPDATE assets SET sha256 = :sha256, size_bytes = :sizeBytes, etag = :etag, last_modified = :lastModified,
       archived_at = :archivedAt, verified_at = CASE WHEN sha256 = :sha256 THEN verified_at END,
       damage = CASE WHEN sha256 = :sha256 THEN damage END,
       damage_found_at = CASE WHEN sha256 = :sha256 THEN damage_found_at END,
       source_hash = COALESCE(:urlIdentity, source_hash), lost_sha256 = NULL,
       confirmed_fingerprint = (SELECT fingerprint FROM checklists WHERE key = assets.checklist_key) WHERE id = :id`,
  )
  const restore = db.prepare<ArchivedFile & { confirmedFingerprint: string | null }>(
    `UPDATE assets SET sha256 = :sha256, size_bytes = :sizeBytes, etag = :etag, last_modified = :lastModified,
       archived_at = :archivedAt, confirmed_fingerprint = :confirmedFingerprint, damage = NULL, damage_found_at = NULL,
       lost_sha256 = NULL
     WHERE id = :id`,
  )
  const adopt = db.prepare<Pick<ArchivedFile, 'id' | 'sha256' | 'sizeBytes' | 'archivedAt'>>(
    `UPDATE assets SET sha256 = :sha256, size_bytes = :sizeBytes, archived_at = :archivedAt, damage = NULL,
       damage_found_at = NULL, lost_sha256 = NULL WHERE id = :id`,
  )
  const confirm = db.prepare<{ id: number; urlIdentity: string | null }>(
    `UPDATE assets SET source_hash = COALESCE(:urlIdentity, source_hash),
       confirmed_fingerprint = (SELECT fingerprint FROM checklists WHERE key = assets.checklist_key) WHERE id = :id`,
  )
  const markLost = db.prepare<{ id: number; at: string; sha256: string | null; archivedAt: string | null }>(
    `UPDATE assets SET lost_sha256 = COALESCE(sha256, lost_sha256, :sha256), sha256 = NULL, size_bytes = NULL,
       archived_at = NULL, etag = NULL, last_modified = NULL,
       verified_at = COALESCE(verified_at, archived_at, :archivedAt), damage = 'missing',
       damage_found_at = COALESCE(damage_found_at, :at) WHERE id = :id`,
  )
  const markDamaged = db.prepare<DamagedFile>(
    `UPDATE assets SET damage = :damage, damage_found_at = :at
     WHERE id = :id AND sha256 = :sha256 AND damage IS NOT :damage`,
  )
  const pathTaken = db.prepare<[string], { one: 1 }>('SELECT 1 AS one FROM assets WHERE path_key = ?')
  const fileCounts = db.prepare<{ checklistKey: number; fingerprint: string }, FileCounts>(
    `SELECT questionKey, t.kind, expected, archived, listed, unconfirmed, missingId, j.error_code AS missingError,
       CASE WHEN m.damage IS NULL THEN NULL WHEN m.present = 0 THEN 'gone' WHEN m.sha256 IS NOT NULL THEN 'damaged' END
         AS missingSince
     FROM (
       SELECT question_key AS questionKey, kind, COUNT(sha256) FILTER (WHERE damage IS NULL) AS archived,
         COUNT(*) FILTER (WHERE kind = 'report' OR present = 1 OR sha256 IS NOT NULL OR damage IS NOT NULL) AS expected,
         COUNT(*) FILTER (WHERE present = 1) AS listed,
         COUNT(*) FILTER (WHERE present = 1 AND confirmed_fingerprint IS NOT :fingerprint) AS unconfirmed,
         MIN(id) FILTER (WHERE damage IS NOT NULL OR ((kind = 'report' OR present = 1) AND sha256 IS NULL)) AS missingId
       FROM assets WHERE checklist_key = :checklistKey GROUP BY question_key, kind) t
     LEFT JOIN jobs j ON j.asset_id = missingId LEFT JOIN assets m ON m.id = missingId`,
  )
  const archivedFiles = db.prepare<[number], { id: number; path: string; sizeBytes: number }>(
    `SELECT id, path, size_bytes AS sizeBytes FROM assets WHERE checklist_key = ? AND sha256 IS NOT NULL ORDER BY id`,
  )
  const countArchived = db.prepare<[string], { count: number }>(
    `SELECT COUNT(*) AS count FROM assets a JOIN checklists c ON c.key = a.checklist_key
     WHERE c.project_id = ? AND a.sha256 IS NOT NULL`,
  )
  const countGone = db.prepare<[string], { count: number }>(
    `SELECT COUNT(*) AS count FROM assets a JOIN checklists c ON c.key = a.checklist_key
     WHERE c.project_id = ? AND a.present = 0 AND a.sha256 IS NOT NULL`,
  )
  const foldersInUse = db.prepare<[], { folder: string }>(
    `SELECT p.folder FROM projects p WHERE p.folder IS NOT NULL AND EXISTS (
       SELECT 1 FROM checklists c JOIN assets a ON a.checklist_key = c.key
       WHERE c.project_id = p.id AND a.sha256 IS NOT NULL)`,
  )
  const manifest = db.prepare<{ projectId: string }, ManifestEntry>(
    `SELECT a.path, COALESCE(a.sha256, a.lost_sha256) AS sha256 FROM assets a JOIN checklists c ON c.key = a.checklist_key
       WHERE c.project_id = :projectId AND COALESCE(a.sha256, a.lost_sha256) IS NOT NULL
     UNION ALL
     SELECT v.path, v.sha256 FROM versions v JOIN assets a ON a.id = v.asset_id
       JOIN checklists c ON c.key = a.checklist_key WHERE c.project_id = :projectId
     UNION ALL
     SELECT folder || '/checklist.json', document_sha256 FROM checklists
       WHERE project_id = :projectId AND document_sha256 IS NOT NULL`,
  )

  return {
    get: (id: number) => get.get(id),
    listForChecklist: (checklistKey: number) => listForChecklist.all(checklistKey),
    listForQuestion: ({ checklistKey, key }: { checklistKey: number; key: number }) =>
      listForQuestion.all({ checklistKey, key }),
    getReport: (checklistKey: number) => getReport.get(checklistKey),
    /** Answers the new asset's id. */
    insert: (asset: NewAsset) => Number(insert.run(asset).lastInsertRowid),
    update: (id: number, facts: AssetFacts) => {
      update.run({ ...facts, id })
    },
    markGone: (id: number) => {
      markGone.run(id)
    },
    setPath: (id: number, path: string, pathKey: string) => {
      setPath.run({ id, path, pathKey })
    },
    /** `urlIdentity`: hash of the URL that it came from; null if that is not known. */
    markArchived: (file: ArchivedFile & { readonly urlIdentity: string | null }) => {
      markArchived.run(file)
    },
    /** Like `markArchived`, for a rebuild: as of which state it was found right, if any, is not the present one's. */
    restore: (file: ArchivedFile & { readonly confirmedFingerprint: string | null }) => {
      restore.run(file)
    },
    /** The file is on disk, whole; whether it is what the service has now is not known. */
    adopt: (file: Pick<ArchivedFile, 'id' | 'sha256' | 'sizeBytes' | 'archivedAt'>) => {
      adopt.run(file)
    },
    /** Records that the archived file is what the service has now, under this URL identity. */
    confirm: (id: number, urlIdentity: string | null) => {
      confirm.run({ id, urlIdentity })
    },
    /**
     * The file is not on disk any more: it has to be downloaded again. Its hash stays apart, and so does the time at which it was
     * last known to be right, which tells it from a file that never was in the archive. `at`: when that was found, ISO 8601 UTC;
     * `recorded`: what its checklist's document says of it, where the row never had it.
     */
    markLost: (id: number, at: string, recorded?: { readonly sha256: string; readonly archivedAt: string }) => {
      markLost.run({ id, at, sha256: recorded?.sha256 ?? null, archivedAt: recorded?.archivedAt ?? null })
    },
    /** Marks a recorded file as damaged, unless it was archived again meanwhile. */
    markDamaged: (file: DamagedFile) => {
      markDamaged.run(file)
    },
    isPathTaken: (pathKey: string) => pathTaken.get(pathKey) !== undefined,
    /** The files of a checklist that has this fingerprint. */
    fileCounts: (checklistKey: number, fingerprint: string) => fileCounts.all({ checklistKey, fingerprint }),
    archivedFiles: (checklistKey: number) => archivedFiles.all(checklistKey),
    countArchived: (projectId: string) => countArchived.get(projectId)?.count ?? 0,
    /** Archived files that the service does not have any more. */
    countGone: (projectId: string) => countGone.get(projectId)?.count ?? 0,
    /** Folders of the projects of which at least one file is archived. */
    foldersInUse: () => foldersInUse.all().map((row) => row.folder),
    /**
     * Every file of a project that the archive holds, or held and has no other in its place: current ones, replaced ones and
     * checklist documents.
     */
    manifest: (projectId: string) => manifest.all({ projectId }),
  }
}
