import type { MeasuredPhoto, NewHint } from '../analysis/find-hints.ts'
import type { HintKind } from '../../../shared/views.ts'
import type { Db } from './open-database.ts'

/** A hint, and the photo that a duplicate is a copy of. */
export interface HintRow {
  readonly assetId: number
  readonly kind: HintKind
  readonly meters: number | null
  readonly otherAssetId: number | null
  readonly projectId: string | null
  readonly projectName: string | null
  readonly checklistId: string | null
  readonly checklistTitle: string | null
  readonly question: string | null
}

/** A checklist with hints, and how many photos each kind concerns. */
export interface HintedChecklist extends Readonly<Record<HintKind, number>> {
  readonly projectId: string
  readonly projectName: string | null
  readonly checklistId: string
  readonly checklistTitle: string
}

/** A photo with a perceptual hash that has a quarter in common with another one. */
export interface SimilarPhoto {
  readonly assetId: number
  readonly checklistKey: number
  readonly hash: string
}

/**
 * Photos with one quarter of a hash that are compared. There are more only for quarters without detail, such as sky, of
 * which those without any are not even looked for.
 */
const maxSimilar = 500

/** Returns a query for the photos whose hashes have the quarter at this character in common with `:hash`. */
const sharingQuarter = (at: number) =>
  `SELECT * FROM (SELECT asset_id, hash FROM photo_measures
   WHERE hash IS NOT NULL AND substr(hash, ${at}, 4) = substr(:hash, ${at}, 4)
     AND substr(:hash, ${at}, 4) NOT IN ('0000', 'ffff') LIMIT ${maxSimilar})`

/** Hints about photos, and the measures that they are computed from. */
export function createHintsStore(db: Db) {
  const photos = db.prepare<[number], Omit<MeasuredPhoto, 'copyOf'> & { readonly hash: string | null }>(
    `SELECT a.id AS assetId, a.question_key AS questionKey, m.brightness, m.contrast, m.sharpness, m.hash,
       a.latitude, a.longitude, m.latitude AS fileLatitude, m.longitude AS fileLongitude
     FROM assets a JOIN photo_measures m ON m.asset_id = a.id WHERE a.checklist_key = ? ORDER BY a.id`,
  )
  // A photo that several questions share has one identity at the service, and is not a duplicate.
  const similar = db.prepare<{ assetId: number; hash: string }, SimilarPhoto>(
    `SELECT m.asset_id AS assetId, a.checklist_key AS checklistKey, m.hash
     FROM (${[1, 5, 9, 13].map(sharingQuarter).join(' UNION ')}) m
     JOIN assets a ON a.id = m.asset_id JOIN assets me ON me.id = :assetId
     WHERE a.id <> me.id AND a.remote_key <> me.remote_key ORDER BY a.id`,
  )
  const markStale = db.prepare<[number]>('INSERT OR IGNORE INTO stale_hints VALUES (?)')
  const stale = db.prepare<[], { key: number }>('SELECT checklist_key AS key FROM stale_hints LIMIT 1')
  const hasDue = db.prepare<[number], { one: 1 }>(
    `SELECT 1 AS one FROM assets a JOIN analysis_jobs j ON j.asset_id = a.id
     WHERE a.checklist_key = ? AND j.kind = 'measures' AND j.state = 'due' LIMIT 1`,
  )
  const removeAll = db.prepare<[number]>(
    'DELETE FROM photo_hints WHERE asset_id IN (SELECT id FROM assets WHERE checklist_key = ?)',
  )
  const put = db.prepare<NewHint>(
    `INSERT INTO photo_hints (asset_id, kind, severity, other_asset_id, meters)
     VALUES (:assetId, :kind, :severity, :otherAssetId, :meters)`,
  )
  const unmarkStale = db.prepare<[number]>('DELETE FROM stale_hints WHERE checklist_key = ?')
  const ofChecklist = db.prepare<[number], HintRow>(
    `SELECT h.asset_id AS assetId, h.kind, h.meters, h.other_asset_id AS otherAssetId, c.project_id AS projectId,
       p.name AS projectName, c.id AS checklistId, c.title AS checklistTitle, oq.label AS question
     FROM photo_hints h JOIN assets a ON a.id = h.asset_id LEFT JOIN questions q ON q.key = a.question_key
       LEFT JOIN assets o ON o.id = h.other_asset_id LEFT JOIN checklists c ON c.key = o.checklist_key
       LEFT JOIN projects p ON p.id = c.project_id LEFT JOIN questions oq ON oq.key = o.question_key
     WHERE a.checklist_key = ? ORDER BY q.position, h.severity DESC, h.asset_id`,
  )
  const kinds: readonly HintKind[] = ['dark', 'blurred', 'duplicate', 'far']
  const counts = kinds.map((kind) => `COUNT(*) FILTER (WHERE h.kind = '${kind}') AS ${kind}`).join(', ')
  const checklists = db.prepare<{ offset: number; limit: number }, HintedChecklist>(
    `SELECT c.project_id AS projectId, p.name AS projectName, c.id AS checklistId, c.title AS checklistTitle, ${counts}
     FROM photo_hints h JOIN assets a ON a.id = h.asset_id JOIN checklists c ON c.key = a.checklist_key
       JOIN projects p ON p.id = c.project_id
     WHERE p.removed_at IS NULL AND c.upstream_gone_at IS NULL
     GROUP BY c.key ORDER BY MAX(a.archived_at) DESC, c.key DESC LIMIT :limit OFFSET :offset`,
  )
  const countChecklists = db.prepare<[], { count: number }>(
    `SELECT COUNT(DISTINCT c.key) AS count
     FROM photo_hints h JOIN assets a ON a.id = h.asset_id JOIN checklists c ON c.key = a.checklist_key
       JOIN projects p ON p.id = c.project_id WHERE p.removed_at IS NULL AND c.upstream_gone_at IS NULL`,
  )
  return {
    /** Returns the measured photos of a checklist. */
    photos: (checklistKey: number) => photos.all(checklistKey),
    /** Returns the photos that may be copies of the same one. */
    similar: (assetId: number, hash: string) => similar.all({ assetId, hash }),
    markStale: (checklistKey: number) => void markStale.run(checklistKey),
    /** Returns a checklist whose hints have to be computed again. */
    stale: () => stale.get()?.key,
    /** Returns whether photos of the checklist are still to be measured. */
    isBeingMeasured: (checklistKey: number) => hasDue.get(checklistKey) !== undefined,
    /** Replaces the hints of a checklist. */
    put: (checklistKey: number, hints: readonly NewHint[]) => {
      removeAll.run(checklistKey)
      for (const hint of hints) put.run(hint)
      unmarkStale.run(checklistKey)
    },
    ofChecklist: (checklistKey: number) => ofChecklist.all(checklistKey),
    checklists: (page: { readonly offset: number; readonly limit: number }) => checklists.all({ ...page }),
    countChecklists: () => countChecklists.get()?.count ?? 0,
  }
}
