import type { Db } from './open-database.ts'

interface ArchivedFileFacts {
  readonly projectId: string
  /** Relative to the archive root. */
  readonly path: string
  readonly sha256: string
  readonly sizeBytes: number
  /**
   * Time of the last successful verification; `null` if there was none since it was written, or if a problem was found
   * since.
   */
  readonly verifiedAt: string | null
  /** Time at which its present problem was found; `null` without one. */
  readonly foundAt: string | null
}

/** An archived report, photo, or thumbnail. */
export interface ArchivedAsset extends ArchivedFileFacts {
  readonly kind: 'asset'
  readonly id: number
  readonly checklistKey: number
}

/** A checklist's `checklist.json`. */
export interface ArchivedDocument extends ArchivedFileFacts {
  readonly kind: 'document'
  readonly checklistKey: number
}

/** A replaced file under `.versions/`. */
export interface ArchivedVersion extends ArchivedFileFacts {
  readonly kind: 'version'
}

/** A file that is archived according to the database, so that it can be verified. */
export type ArchivedFile = ArchivedAsset | ArchivedDocument | ArchivedVersion

/** A file that was archived once and is missing now. */
export interface LostAsset {
  readonly id: number
  readonly checklistKey: number
  readonly path: string
  /** `null` if it was lost before hashes of lost files were kept. */
  readonly lostSha256: string | null
}

/** Number of files and their size. */
export interface ArchivedTotals {
  readonly files: number
  readonly bytes: number
}

/** Totals of a page of rows, and the id of its last row. */
interface TotalsPage extends ArchivedTotals {
  readonly last: number | null
}

const assetColumns = `'asset' AS kind, a.id, a.checklist_key AS checklistKey, c.project_id AS projectId,
  a.path, a.sha256, a.size_bytes AS sizeBytes, CASE WHEN a.damage IS NULL THEN a.verified_at END AS verifiedAt,
  a.damage_found_at AS foundAt`
const documentColumns = `'document' AS kind, key AS checklistKey, project_id AS projectId,
  folder || '/checklist.json' AS path, document_sha256 AS sha256, document_bytes AS sizeBytes,
  CASE WHEN folder || '/checklist.json' NOT IN (SELECT path FROM findings) THEN document_verified_at END AS verifiedAt,
  (SELECT found_at FROM findings WHERE path = folder || '/checklist.json') AS foundAt`
const versionColumns = `'version' AS kind, c.project_id AS projectId, v.path, v.sha256, v.size_bytes AS sizeBytes,
  CASE WHEN v.path NOT IN (SELECT path FROM findings) THEN v.verified_at END AS verifiedAt,
  (SELECT found_at FROM findings WHERE path = v.path) AS foundAt`
const versionRows = `FROM versions v JOIN assets a ON a.id = v.asset_id JOIN checklists c ON c.key = a.checklist_key`

/**
 * All archived files, in pages: an archive of a million files is processed with one page in memory at a time. Each page
 * starts after the last row of the previous one, so rows may change in between.
 */
export function createArchivedFilesStore(db: Db) {
  const sql = prepareStatements(db)

  function mark(file: ArchivedFile, at: string): void {
    const { path, sha256, foundAt } = file
    if (file.kind === 'asset') sql.markAsset.run({ id: file.id, sha256, at })
    else if (file.kind === 'document') sql.markDocument.run({ checklistKey: file.checklistKey, sha256, at })
    else sql.markVersion.run({ path, sha256, at })
    if (foundAt === null) return
    if (file.kind === 'asset') sql.markUndamaged.run({ id: file.id, sha256, foundAt })
    else sql.clearFinding.run({ path, foundAt })
  }

  return {
    checklistKeys: (projectId: string) => sql.checklistKeys.all(projectId).map(({ key }) => key),
    /** Returns the archived file of an asset, undefined if it has none. */
    asset: (id: number) => sql.asset.get(id),
    /** Archived files of one checklist, by id. */
    assetsOfChecklist: (checklistKey: number, after: number, limit: number) =>
      sql.assetsOfChecklist.all({ checklistKey, after, limit }),
    documentsOfProject: (projectId: string) => sql.documentsOfProject.all(projectId),
    /** Old versions below a folder, by path. `after` is a path, or the folder itself for the first page. */
    versionsBelow: (folder: string, after: string, limit: number) =>
      // `0` follows `/` in ASCII: paths inside the folder sort between the two.
      sql.versionsBetween.all({ after, end: `${folder}0`, limit }),
    /** Reports, photos, and thumbnails of the whole archive, by id. */
    assets: (after: number, limit: number) => sql.assets.all({ after, limit }),
    /** Documents of the whole archive, by checklist key. */
    documents: (after: number, limit: number) => sql.documents.all({ after, limit }),
    /** Old versions of the whole archive, by path. */
    versions: (after: string, limit: number) => sql.versions.all({ after, limit }),
    lostAssets: (projectId: string) => sql.lost.all(projectId),
    /** Totals of the next `limit` assets after an id; `last` is `null` after the end. */
    assetTotals: (after: number, limit: number) =>
      sql.assetTotals.get({ after, limit }) ?? { files: 0, bytes: 0, last: null },
    /** Totals of all documents and old versions. */
    otherTotals: () => sql.otherTotals.get() ?? { files: 0, bytes: 0 },
    /**
     * Records that these files are intact and clears the problems that they were listed with; files that were replaced
     * meanwhile are skipped, and problems that were found meanwhile stay. Must be called in a transaction.
     */
    markVerified: (files: readonly ArchivedFile[], at: string) => {
      for (const file of files) mark(file, at)
    },
    /** Returns whether the file's row is unchanged since it was listed. */
    isCurrent: (file: ArchivedFile) => {
      const { path, sha256 } = file
      if (file.kind === 'asset') return sql.isAsset.get({ id: file.id, path, sha256 }) !== undefined
      if (file.kind === 'document') return sql.isDocument.get({ checklistKey: file.checklistKey, sha256 }) !== undefined
      return sql.isVersion.get({ path, sha256 }) !== undefined
    },
  }
}

/** Prepares the statements of the store. */
function prepareStatements(db: Db) {
  return {
    assetsOfChecklist: db.prepare<{ checklistKey: number; after: number; limit: number }, ArchivedAsset>(
      `SELECT ${assetColumns} FROM assets a JOIN checklists c ON c.key = a.checklist_key
     WHERE a.checklist_key = :checklistKey AND a.sha256 IS NOT NULL AND a.id > :after ORDER BY a.id LIMIT :limit`,
    ),
    asset: db.prepare<[number], ArchivedAsset>(
      `SELECT ${assetColumns} FROM assets a JOIN checklists c ON c.key = a.checklist_key
     WHERE a.id = ? AND a.sha256 IS NOT NULL`,
    ),
    assets: db.prepare<{ after: number; limit: number }, ArchivedAsset>(
      `SELECT ${assetColumns} FROM assets a JOIN checklists c ON c.key = a.checklist_key
     WHERE a.sha256 IS NOT NULL AND a.id > :after ORDER BY a.id LIMIT :limit`,
    ),
    documents: db.prepare<{ after: number; limit: number }, ArchivedDocument>(
      `SELECT ${documentColumns} FROM checklists
     WHERE document_sha256 IS NOT NULL AND key > :after ORDER BY key LIMIT :limit`,
    ),
    documentsOfProject: db.prepare<[string], ArchivedDocument>(
      `SELECT ${documentColumns} FROM checklists WHERE project_id = ? AND document_sha256 IS NOT NULL ORDER BY key`,
    ),
    versions: db.prepare<{ after: string; limit: number }, ArchivedVersion>(
      `SELECT ${versionColumns} ${versionRows} WHERE v.path > :after ORDER BY v.path LIMIT :limit`,
    ),
    versionsBetween: db.prepare<{ after: string; end: string; limit: number }, ArchivedVersion>(
      `SELECT ${versionColumns} ${versionRows} WHERE v.path > :after AND v.path < :end ORDER BY v.path LIMIT :limit`,
    ),
    lost: db.prepare<[string], LostAsset>(
      `SELECT a.id, a.checklist_key AS checklistKey, a.path, a.lost_sha256 AS lostSha256
     FROM checklists c JOIN assets a ON a.checklist_key = c.key
     WHERE c.project_id = ? AND a.sha256 IS NULL AND a.damage IS NOT NULL ORDER BY a.id`,
    ),
    checklistKeys: db.prepare<[string], { key: number }>(
      'SELECT key FROM checklists WHERE project_id = ? ORDER BY key',
    ),
    assetTotals: db.prepare<{ after: number; limit: number }, TotalsPage>(
      `SELECT COUNT(sha256) AS files, COALESCE(SUM(size_bytes), 0) AS bytes, MAX(id) AS last
     FROM (SELECT id, sha256, size_bytes FROM assets WHERE id > :after ORDER BY id LIMIT :limit)`,
    ),
    otherTotals: db.prepare<[], ArchivedTotals>(
      `SELECT COUNT(*) AS files, COALESCE(SUM(bytes), 0) AS bytes FROM (
       SELECT document_bytes AS bytes FROM checklists WHERE document_sha256 IS NOT NULL
       UNION ALL SELECT size_bytes FROM versions)`,
    ),
    markAsset: db.prepare<{ id: number; sha256: string; at: string }>(
      'UPDATE assets SET verified_at = :at WHERE id = :id AND sha256 = :sha256',
    ),
    /** A separate statement, so that the indexes are not updated for every intact file. */
    markUndamaged: db.prepare<{ id: number; sha256: string; foundAt: string }>(
      `UPDATE assets SET damage = NULL, damage_found_at = NULL
     WHERE id = :id AND sha256 = :sha256 AND damage_found_at = :foundAt`,
    ),
    clearFinding: db.prepare<{ path: string; foundAt: string }>(
      'DELETE FROM findings WHERE path = :path AND found_at = :foundAt',
    ),
    markDocument: db.prepare<{ checklistKey: number; sha256: string; at: string }>(
      'UPDATE checklists SET document_verified_at = :at WHERE key = :checklistKey AND document_sha256 = :sha256',
    ),
    markVersion: db.prepare<{ path: string; sha256: string; at: string }>(
      'UPDATE versions SET verified_at = :at WHERE path = :path AND sha256 = :sha256',
    ),
    isAsset: db.prepare<{ id: number; path: string; sha256: string }, { one: 1 }>(
      'SELECT 1 AS one FROM assets WHERE id = :id AND path = :path AND sha256 = :sha256',
    ),
    isDocument: db.prepare<{ checklistKey: number; sha256: string }, { one: 1 }>(
      'SELECT 1 AS one FROM checklists WHERE key = :checklistKey AND document_sha256 = :sha256 AND document_stale = 0',
    ),
    isVersion: db.prepare<{ path: string; sha256: string }, { one: 1 }>(
      'SELECT 1 AS one FROM versions WHERE path = :path AND sha256 = :sha256',
    ),
  }
}
