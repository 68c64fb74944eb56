import type { Db } from './open-database.ts'

/** A planned replacement of a file: recorded before the disk is touched, deleted when it is complete. */
export interface Replacement {
  readonly assetId: number
  /** Path to which the old file is moved. */
  readonly versionPath: string
  readonly replacedAt: string
  /** The new file. */
  readonly sha256: string
  readonly sizeBytes: number
}

export interface OldVersion {
  readonly path: string
  readonly assetId: number
  readonly sha256: string
  readonly sizeBytes: number
  readonly replacedAt: string
}

const replacementColumns = `r.asset_id AS assetId, r.version_path AS versionPath, r.replaced_at AS replacedAt, r.sha256,
  r.size_bytes AS sizeBytes`

/** Replaced files under `.versions/`, and pending replacements. */
export function createVersionsStore(db: Db) {
  const begin = db.prepare<Replacement>(
    `INSERT OR REPLACE INTO replacements (asset_id, version_path, replaced_at, sha256, size_bytes)
     VALUES (:assetId, :versionPath, :replacedAt, :sha256, :sizeBytes)`,
  )
  const end = db.prepare<[number]>('DELETE FROM replacements WHERE asset_id = ?')
  const pending = db.prepare<[], Replacement>(`SELECT ${replacementColumns} FROM replacements r ORDER BY r.asset_id`)
  const pendingOfProject = db.prepare<[string], Replacement>(
    `SELECT ${replacementColumns}
     FROM replacements r CROSS JOIN assets a ON a.id = r.asset_id CROSS JOIN checklists c ON c.key = a.checklist_key
     WHERE c.project_id = ? ORDER BY r.asset_id`,
  )
  const isPending = db.prepare<[number], { one: 1 }>('SELECT 1 AS one FROM replacements WHERE asset_id = ?')
  const insert = db.prepare<OldVersion>(
    `INSERT OR IGNORE INTO versions (path, asset_id, sha256, size_bytes, replaced_at)
     VALUES (:path, :assetId, :sha256, :sizeBytes, :replacedAt)`,
  )
  const forget = db.prepare<[string]>('DELETE FROM versions WHERE path = ?')
  const listForChecklist = db.prepare<[number], OldVersion>(
    `SELECT v.path, v.asset_id AS assetId, v.sha256, v.size_bytes AS sizeBytes, v.replaced_at AS replacedAt
     FROM checklists c
       CROSS JOIN versions v ON v.path > c.folder || '/.versions/' AND v.path < c.folder || '/.versions0'
     WHERE c.key = ? ORDER BY v.path`,
  )
  const listForAsset = db.prepare<[number], OldVersion>(
    `SELECT v.path, v.asset_id AS assetId, v.sha256, v.size_bytes AS sizeBytes, v.replaced_at AS replacedAt
     FROM assets a CROSS JOIN checklists c ON c.key = a.checklist_key
       CROSS JOIN versions v ON v.path > c.folder || '/.versions/' AND v.path < c.folder || '/.versions0'
     WHERE a.id = ? AND v.asset_id = a.id ORDER BY v.replaced_at DESC, v.path DESC`,
  )
  const countForChecklist = db.prepare<[number], { assetId: number; versions: number }>(
    `SELECT v.asset_id AS assetId, COUNT(*) AS versions
     FROM checklists c
       CROSS JOIN versions v ON v.path > c.folder || '/.versions/' AND v.path < c.folder || '/.versions0'
     WHERE c.key = ? GROUP BY v.asset_id`,
  )

  return {
    begin: (replacement: Replacement) => void begin.run(replacement),
    end: (assetId: number) => void end.run(assetId),
    pending: () => pending.all(),
    pendingOfProject: (projectId: string) => pendingOfProject.all(projectId),
    /** Returns whether a file is about to be replaced on the disk. */
    isPending: (assetId: number) => isPending.get(assetId) !== undefined,
    /** Keeps a known version unchanged: a rebuild and an interrupted replacement may record the same file. */
    insert: (version: OldVersion) => void insert.run(version),
    /** Deletes the row of a lost old version, which cannot be restored. */
    forget: (path: string) => void forget.run(path),
    /** Number of old versions by asset. Like the next queries it uses the paths, which are the key of the table. */
    countForChecklist: (checklistKey: number): ReadonlyMap<number, number> =>
      new Map(countForChecklist.all(checklistKey).map(({ assetId, versions }) => [assetId, versions])),
    /** The last replaced first. */
    listForAsset: (assetId: number) => listForAsset.all(assetId),
    listForChecklist: (checklistKey: number) => listForChecklist.all(checklistKey),
  }
}
