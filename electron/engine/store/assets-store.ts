import type { AssetKind } from '../../../shared/domain.ts'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import { hadNoLink } from './conditions.ts'
import type { Db } from './open-database.ts'

export interface AssetRow {
  readonly id: number
  readonly checklistKey: number
  /** `null` for the report. */
  readonly questionKey: number | null
  readonly kind: AssetKind
  readonly remoteKey: string
  /** Hash of the URL identity that the service last listed, or from which the file was downloaded since. */
  readonly sourceHash: string | null
  readonly fileName: string | null
  readonly path: string
  readonly record: string | null
  readonly takenAt: string | null
  readonly latitude: number | null
  readonly longitude: number | null
  readonly present: 0 | 1
  /** Set once the complete file is on disk. */
  readonly sha256: string | null
  readonly sizeBytes: number | null
  readonly archivedAt: string | null
  /** Validators of the file at the URL of `sourceHash`. */
  readonly etag: string | null
  readonly lastModified: string | null
  /**
   * The checklist's fingerprint when the file was last confirmed to be the service's current one. `null` since the
   * service has listed what may be another file.
   */
  readonly confirmedFingerprint: string | null
  /** Time of the last successful verification; for a lost file, the last time at which it was known to be intact. */
  readonly verifiedAt: string | null
  /** Problem of an archived file that a verify or a pass found on the disk; `null` if there is none. */
  readonly damage: FileDamage | null
  /** Hash of an archived file that is missing now; `null` while it exists, or if its hash is unknown. */
  readonly lostSha256: string | null
}

/** The file is missing, or its bytes differ from the archived ones. Unreadable files count as changed. */
export type FileDamage = 'missing' | 'changed'

/** The service's record of an asset. `record` is JSON text without links and secrets. */
export type AssetFacts = Pick<
  AssetRow,
  'remoteKey' | 'sourceHash' | 'fileName' | 'record' | 'takenAt' | 'latitude' | 'longitude'
>

export interface NewAsset extends AssetFacts, Pick<AssetRow, 'checklistKey' | 'questionKey' | 'kind' | 'path'> {
  readonly pathKey: string
}

/** Fields of a file that a download depends on, as they were when it began. */
export type AssetToDownload = Pick<
  AssetRow,
  | 'id'
  | 'checklistKey'
  | 'kind'
  | 'sourceHash'
  | 'path'
  | 'sha256'
  | 'archivedAt'
  | 'etag'
  | 'lastModified'
  | 'verifiedAt'
  | 'damage'
>

/** Fields of a file that count for completeness, and those that are compared with the disk. */
export type AssetForCompleteness = Pick<
  AssetRow,
  | 'id'
  | 'checklistKey'
  | 'questionKey'
  | 'kind'
  | 'path'
  | 'present'
  | 'sha256'
  | 'sizeBytes'
  | 'confirmedFingerprint'
  | 'damage'
>

/** A complete file on disk under its path. */
export interface StoredFile {
  readonly id: number
  readonly sha256: string
  readonly sizeBytes: number
  readonly etag: string | null
  readonly lastModified: string | null
  readonly archivedAt: string
}

/** A file of a document, with what the document says about it. */
type RestoredFile = StoredFile & Pick<AssetRow, 'sourceHash' | 'record' | 'confirmedFingerprint'>

/** A damaged file. `sha256` is the expected hash, `at` the time when the damage was found, ISO 8601 UTC. */
export interface DamagedFile {
  readonly id: number
  readonly sha256: string
  readonly damage: FileDamage
  readonly at: string
}

/** A file that is archived, or that was lost. */
export interface ManifestEntry {
  readonly path: string
  readonly sha256: string
}

/**
 * Counts of a question's files of one kind. Expected are the files that the service has, files that were ever archived,
 * and every report that ever existed. Archived are those without known damage.
 */
export interface FileCounts {
  /** `null` for the report. */
  readonly questionKey: number | null
  readonly kind: AssetKind
  readonly expected: number
  readonly archived: number
  /** Expected files that the service still lists. */
  readonly listed: number
  /** Listed files that are not yet confirmed as of the checklist's current fingerprint. */
  readonly unconfirmed: number
  /** Expected files that are only not uploaded yet: the service lists them without a link. */
  readonly unlinked: number
  /**
   * First file that is damaged, or else first expected one that is not archived, those that are only not uploaded last;
   * and the error of its last try. A gap must not hide a lost file behind one that only waits.
   */
  readonly missingId: number | null
  readonly missingError: ErrorCode | null
  /**
   * Set if that file was archived once and no download restores it: `damaged` needs a repair, the service no
   * longer lists one that is `gone`, or its checklist.
   */
  readonly missingSince: 'damaged' | 'gone' | null
}

/** Conditions on a file `a` for `fileCounts`. */
const isMissing = "(a.kind = 'report' OR a.present = 1) AND a.sha256 IS NULL AND a.damage IS NULL"
const isUnlinked = `EXISTS (SELECT 1 FROM jobs j WHERE j.asset_id = a.id AND ${hadNoLink('j')})`

const columns = `a.id, a.checklist_key AS checklistKey, a.question_key AS questionKey, a.kind,
  a.remote_key AS remoteKey, a.source_hash AS sourceHash, a.file_name AS fileName, a.path, a.record,
  a.taken_at AS takenAt, a.latitude, a.longitude, a.present, a.sha256, a.size_bytes AS sizeBytes,
  a.archived_at AS archivedAt, a.etag, a.last_modified AS lastModified,
  a.confirmed_fingerprint AS confirmedFingerprint, a.verified_at AS verifiedAt, a.damage,
  a.lost_sha256 AS lostSha256`

/** Reports, photos, and thumbnails: the expected ones and those that are archived. */
export function createAssetsStore(db: Db) {
  const queries = prepareQueries(db)
  const changes = prepareChanges(db)

  return {
    get: (id: number) => queries.get.get(id),
    listForChecklist: (checklistKey: number) => queries.listForChecklist.all(checklistKey),
    idsForChecklist: (checklistKey: number) => queries.idsForChecklist.all(checklistKey).map(({ id }) => id),
    /** Returns what counts for the completeness of these checklists. */
    listForCompleteness: (checklistKeys: readonly number[]) =>
      queries.listForCompleteness.all(JSON.stringify(checklistKeys)),
    /** In the order of the ids. */
    listToDownload: (ids: readonly number[]) => queries.listToDownload.all(JSON.stringify(ids)),
    listForQuestion: ({ checklistKey, key }: { checklistKey: number; key: number }) =>
      queries.listForQuestion.all({ checklistKey, key }),
    getReport: (checklistKey: number) => queries.getReport.get(checklistKey),
    /** Returns the new asset's id. */
    insert: (asset: NewAsset) => Number(changes.insert.run(asset).lastInsertRowid),
    /**
     * Records what the service lists now. `isChanged`: it may be another file than before, so the file is not known to
     * be current any more. Validators are those of one URL, and are dropped with it.
     */
    update: (id: number, facts: AssetFacts, isChanged: boolean) => {
      changes.update.run({ ...facts, id, isChanged: isChanged ? 1 : 0 })
    },
    markGone: (id: number) => void changes.markGone.run(id),
    setPath: (id: number, path: string, pathKey: string) => void changes.setPath.run({ id, path, pathKey }),
    /**
     * Records a downloaded file. `urlIdentity` is a hash of its URL, or `null` if unknown; `isCurrent`: it is known to
     * be the service's current one.
     */
    markArchived: (file: StoredFile & { readonly urlIdentity: string | null }, isCurrent = true) => {
      changes.markArchived.run({ ...file, isCurrent: isCurrent ? 1 : 0 })
    },
    /**
     * Like `markArchived`, for a rebuild: the document has what the service listed then, and the fingerprint as of which
     * the file was confirmed, if any.
     */
    restore: (file: RestoredFile) => void changes.restore.run(file),
    /** Records a complete file on disk without knowing whether it is the service's current one. */
    adopt: (file: Pick<StoredFile, 'id' | 'sha256' | 'sizeBytes' | 'archivedAt'>) => void changes.adopt.run(file),
    /** Records that the archived file is the service's current one, with this URL identity. */
    confirm: (id: number, urlIdentity: string | null) => void changes.confirm.run({ id, urlIdentity }),
    /**
     * Marks a file as missing, so that it is downloaded again. Its hash and the last time at which it was intact are
     * kept, which distinguishes it from a file that was never archived. `at` is the time of the discovery, ISO 8601
     * UTC; `recorded` comes from the checklist's document if the row never had a hash.
     */
    markLost: (id: number, at: string, recorded?: { readonly sha256: string; readonly archivedAt: string }) => {
      changes.markLost.run({ id, at, sha256: recorded?.sha256 ?? null, archivedAt: recorded?.archivedAt ?? null })
    },
    /** Marks an archived file as damaged, unless it was archived again meanwhile. */
    markDamaged: (file: DamagedFile) => void changes.markDamaged.run(file),
    isPathTaken: (pathKey: string) => queries.pathTaken.get(pathKey) !== undefined,
    /** Counts the files of a checklist with this fingerprint. */
    fileCounts: (checklistKey: number, fingerprint: string) => queries.fileCounts.all({ checklistKey, fingerprint }),
    archivedFiles: (checklistKey: number) => queries.archivedFiles.all(checklistKey),
    countArchived: (projectId: string) => queries.countArchived.get(projectId)?.count ?? 0,
    /** Number of archived files that the service no longer lists. */
    countGone: (projectId: string) => queries.countGone.get(projectId)?.count ?? 0,
    /** Returns whether a file is being downloaded to this path, and is not recorded yet. */
    isBeingArchived: (path: string) => queries.beingArchived.get(path) !== undefined,
    /** Folders of the projects that have at least one archived file; of the first ones with a limit. */
    foldersInUse: (limit = -1) => queries.foldersInUse.all(limit).map((row) => row.folder),
    /**
     * Returns all files of a checklist that should be in its folder, including lost ones: current files, old versions,
     * and its document.
     */
    manifestOfChecklist: (key: number) => queries.manifestOfChecklist.all({ key }),
  }
}

/** Prepares the statements that read assets. */
function prepareQueries(db: Db) {
  return {
    get: db.prepare<[number], AssetRow>(`SELECT ${columns} FROM assets a WHERE a.id = ?`),
    listForChecklist: db.prepare<[number], AssetRow>(
      `SELECT ${columns} FROM assets a WHERE a.checklist_key = ? ORDER BY a.id`,
    ),
    idsForChecklist: db.prepare<[number], { id: number }>('SELECT id FROM assets WHERE checklist_key = ?'),
    listForCompleteness: db.prepare<[string], AssetForCompleteness>(
      `SELECT a.id, a.checklist_key AS checklistKey, a.question_key AS questionKey, a.kind, a.path, a.present, a.sha256,
         a.size_bytes AS sizeBytes, a.confirmed_fingerprint AS confirmedFingerprint, a.damage
       FROM assets a WHERE a.checklist_key IN (SELECT value FROM json_each(?)) ORDER BY a.id`,
    ),
    listToDownload: db.prepare<[string], AssetToDownload>(
      `SELECT a.id, a.checklist_key AS checklistKey, a.kind, a.source_hash AS sourceHash, a.path, a.sha256,
         a.archived_at AS archivedAt, a.etag, a.last_modified AS lastModified, a.verified_at AS verifiedAt, a.damage
       FROM json_each(?) ids CROSS JOIN assets a ON a.id = ids.value`,
    ),
    listForQuestion: db.prepare<{ checklistKey: number; key: number }, AssetRow>(
      `SELECT ${columns} FROM assets a WHERE a.checklist_key = :checklistKey AND a.question_key = :key ORDER BY a.id`,
    ),
    getReport: db.prepare<[number], AssetRow>(
      `SELECT ${columns} FROM assets a WHERE a.checklist_key = ? AND a.question_key IS NULL AND a.kind = 'report'`,
    ),
    beingArchived: db.prepare<[string], { one: 1 }>(
      `SELECT 1 AS one FROM assets a JOIN jobs j ON j.asset_id = a.id
       WHERE a.path = ? AND a.sha256 IS NULL AND j.state = 'running'`,
    ),
    pathTaken: db.prepare<[string], { one: 1 }>('SELECT 1 AS one FROM assets WHERE path_key = ?'),
    fileCounts: db.prepare<{ checklistKey: number; fingerprint: string }, FileCounts>(
      `SELECT questionKey, t.kind, expected, archived, listed, unconfirmed, unlinked, missingId,
       j.error_code AS missingError,
       CASE WHEN m.damage IS NULL THEN NULL
         WHEN m.present = 0 OR (SELECT upstream_gone_at FROM checklists WHERE key = :checklistKey) IS NOT NULL THEN 'gone'
         WHEN m.sha256 IS NOT NULL OR ${hadNoLink('j')} THEN 'damaged' END AS missingSince
     FROM (
       SELECT question_key AS questionKey, kind, COUNT(sha256) FILTER (WHERE damage IS NULL) AS archived,
         COUNT(*) FILTER (WHERE kind = 'report' OR present = 1 OR sha256 IS NOT NULL OR damage IS NOT NULL) AS expected,
         COUNT(*) FILTER (WHERE present = 1) AS listed,
         COUNT(*) FILTER (WHERE present = 1 AND confirmed_fingerprint IS NOT :fingerprint) AS unconfirmed,
         COUNT(*) FILTER (WHERE ${isMissing} AND ${isUnlinked}) AS unlinked,
         COALESCE(MIN(id) FILTER (WHERE damage IS NOT NULL), MIN(id) FILTER (WHERE ${isMissing} AND NOT ${isUnlinked}),
           MIN(id) FILTER (WHERE ${isMissing})) AS missingId
       FROM assets a WHERE checklist_key = :checklistKey GROUP BY question_key, kind) t
     LEFT JOIN jobs j ON j.asset_id = missingId LEFT JOIN assets m ON m.id = missingId`,
    ),
    archivedFiles: db.prepare<[number], { id: number; path: string; sha256: string; sizeBytes: number }>(
      `SELECT id, path, sha256, size_bytes AS sizeBytes FROM assets
     WHERE checklist_key = ? AND sha256 IS NOT NULL ORDER BY id`,
    ),
    countArchived: db.prepare<[string], { count: number }>(
      `SELECT COUNT(*) AS count FROM assets a JOIN checklists c ON c.key = a.checklist_key
     WHERE c.project_id = ? AND a.sha256 IS NOT NULL`,
    ),
    countGone: db.prepare<[string], { count: number }>(
      `SELECT COUNT(*) AS count FROM assets a JOIN checklists c ON c.key = a.checklist_key
     WHERE c.project_id = ? AND a.present = 0 AND a.sha256 IS NOT NULL`,
    ),
    foldersInUse: db.prepare<[number], { folder: string }>(
      `SELECT p.folder FROM projects p WHERE p.folder IS NOT NULL AND EXISTS (
       SELECT 1 FROM checklists c JOIN assets a ON a.checklist_key = c.key
       WHERE c.project_id = p.id AND a.sha256 IS NOT NULL) LIMIT ?`,
    ),
    manifestOfChecklist: db.prepare<{ key: number }, ManifestEntry>(
      `SELECT path, COALESCE(sha256, lost_sha256) AS sha256 FROM assets
       WHERE checklist_key = :key AND COALESCE(sha256, lost_sha256) IS NOT NULL
     UNION ALL
     SELECT v.path, v.sha256 FROM checklists c
       CROSS JOIN versions v ON v.path > c.folder || '/.versions/' AND v.path < c.folder || '/.versions0'
       WHERE c.key = :key
     UNION ALL
     SELECT folder || '/checklist.json', document_sha256 FROM checklists
       WHERE key = :key AND document_sha256 IS NOT NULL`,
    ),
  }
}

/** Prepares the statements that change assets. */
function prepareChanges(db: Db) {
  return {
    insert: db.prepare<NewAsset>(
      `INSERT INTO assets (checklist_key, question_key, kind, remote_key, source_hash, file_name, path, path_key,
         record, taken_at, latitude, longitude)
     VALUES (:checklistKey, :questionKey, :kind, :remoteKey, :sourceHash, :fileName, :path, :pathKey, :record,
       :takenAt, :latitude, :longitude)`,
    ),
    update: db.prepare<AssetFacts & { id: number; isChanged: 0 | 1 }>(
      `UPDATE assets SET remote_key = :remoteKey, source_hash = :sourceHash, file_name = :fileName, record = :record,
       taken_at = :takenAt, latitude = :latitude, longitude = :longitude, present = 1,
       etag = CASE WHEN source_hash IS :sourceHash THEN etag END,
       last_modified = CASE WHEN source_hash IS :sourceHash THEN last_modified END,
       confirmed_fingerprint = CASE WHEN :isChanged THEN NULL ELSE confirmed_fingerprint END WHERE id = :id`,
    ),
    markGone: db.prepare<[number]>('UPDATE assets SET present = 0 WHERE id = ?'),
    setPath: db.prepare<{ id: number; path: string; pathKey: string }>(
      'UPDATE assets SET path = :path, path_key = :pathKey WHERE id = :id',
    ),
    markArchived: db.prepare<StoredFile & { readonly urlIdentity: string | null; readonly isCurrent: 0 | 1 }>(
      `UPDATE assets SET sha256 = :sha256, size_bytes = :sizeBytes, etag = :etag, last_modified = :lastModified,
       archived_at = :archivedAt, verified_at = CASE WHEN sha256 = :sha256 THEN verified_at END,
       damage = CASE WHEN sha256 = :sha256 THEN damage END,
       damage_found_at = CASE WHEN sha256 = :sha256 THEN damage_found_at END,
       source_hash = COALESCE(:urlIdentity, source_hash), lost_sha256 = NULL,
       confirmed_fingerprint =
         CASE WHEN :isCurrent THEN (SELECT fingerprint FROM checklists WHERE key = assets.checklist_key) END
     WHERE id = :id`,
    ),
    restore: db.prepare<RestoredFile>(
      `UPDATE assets SET sha256 = :sha256, size_bytes = :sizeBytes, etag = :etag, last_modified = :lastModified,
       archived_at = :archivedAt, source_hash = :sourceHash, record = :record,
       confirmed_fingerprint = :confirmedFingerprint, damage = NULL, damage_found_at = NULL, lost_sha256 = NULL
     WHERE id = :id`,
    ),
    adopt: db.prepare<Pick<StoredFile, 'id' | 'sha256' | 'sizeBytes' | 'archivedAt'>>(
      `UPDATE assets SET sha256 = :sha256, size_bytes = :sizeBytes, archived_at = :archivedAt, damage = NULL,
       damage_found_at = NULL, lost_sha256 = NULL WHERE id = :id`,
    ),
    confirm: db.prepare<{ id: number; urlIdentity: string | null }>(
      `UPDATE assets SET source_hash = COALESCE(:urlIdentity, source_hash),
       confirmed_fingerprint = (SELECT fingerprint FROM checklists WHERE key = assets.checklist_key) WHERE id = :id`,
    ),
    markLost: db.prepare<{ id: number; at: string; sha256: string | null; archivedAt: string | null }>(
      `UPDATE assets SET lost_sha256 = COALESCE(sha256, lost_sha256, :sha256), sha256 = NULL, size_bytes = NULL,
       archived_at = NULL, etag = NULL, last_modified = NULL,
       verified_at = COALESCE(verified_at, archived_at, :archivedAt), damage = 'missing',
       damage_found_at = COALESCE(damage_found_at, :at) WHERE id = :id`,
    ),
    markDamaged: db.prepare<DamagedFile>(
      `UPDATE assets SET damage = :damage, damage_found_at = :at
     WHERE id = :id AND sha256 = :sha256 AND damage IS NOT :damage`,
    ),
  }
}
