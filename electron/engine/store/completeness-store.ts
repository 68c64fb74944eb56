import { damagedFiles, isOpen, isOpenFile } from './catalog-store.ts'
import type { Db } from './open-database.ts'

/** Checklists of one status that are not complete. `gone`: the service does not list them any more. */
export interface OpenChecklists {
  readonly status: string
  readonly gone: 0 | 1
  readonly checklists: number
}

/** Condition on a file `a`: expected, and missing or damaged. */
const isLacking = `(a.damage IS NOT NULL OR (a.sha256 IS NULL AND (a.present = 1 OR a.kind = 'report')))`
/** Condition on a file `a`: neither expected nor archived. Identical to the condition of the index `assets_dropped`. */
const isDropped = `a.sha256 IS NULL AND a.present = 0 AND a.kind <> 'report' AND a.damage IS NULL`
const openChecklists = `checklists c INDEXED BY checklists_open
  JOIN projects p ON p.id = c.project_id AND p.removed_at IS NULL`
/** Files with a job and damaged files of checklists that are otherwise complete. */
const openFiles = `SELECT c.key, a.id, ${isLacking} AS lacking FROM jobs j CROSS JOIN assets a ON a.id = j.asset_id
    JOIN checklists c ON c.key = a.checklist_key JOIN projects p ON p.id = j.project_id AND p.removed_at IS NULL
    WHERE NOT ${isOpen} AND ${isOpenFile}
  UNION SELECT c.key, a.id, 1 FROM ${damagedFiles} JOIN projects p ON p.id = c.project_id AND p.removed_at IS NULL
    WHERE NOT ${isOpen}`

/**
 * Counts how much of the archive of all active projects is complete. Only files of incomplete checklists are counted
 * one by one, by the rules of `checklists/completeness.ts`: a complete archive of a million files costs little. CROSS
 * JOIN makes SQLite take the tables in this order, instead of every file first.
 */
export function createCompletenessStore(db: Db) {
  const one = <Row>(sql: string) => {
    const statement = db.prepare<[], Row>(sql)
    return () => statement.get()
  }
  const count = (sql: string) => {
    const get = one<{ count: number }>(sql)
    return () => get()?.count ?? 0
  }
  const checklists = count(
    `SELECT (SELECT COUNT(*) FROM checklists) - (SELECT COUNT(*) FROM projects p CROSS JOIN checklists c
       ON c.project_id = p.id WHERE p.removed_at IS NOT NULL) AS count`,
  )
  const removedFiles = count(
    `SELECT COUNT(*) AS count FROM projects p CROSS JOIN checklists c ON c.project_id = p.id
       CROSS JOIN assets a ON a.checklist_key = c.key WHERE p.removed_at IS NOT NULL`,
  )
  const byStatus = db.prepare<[], OpenChecklists>(
    `SELECT c.status, c.upstream_gone_at IS NOT NULL AS gone, COUNT(*) AS checklists FROM ${openChecklists}
     WHERE ${isOpen} GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2`,
  )
  const dropped = count(
    `SELECT COUNT(*) AS count FROM assets a INDEXED BY assets_dropped CROSS JOIN checklists c ON c.key = a.checklist_key
       JOIN projects p ON p.id = c.project_id AND p.removed_at IS NULL WHERE ${isDropped}`,
  )
  const lackingOfOpen = count(
    `SELECT COUNT(*) FILTER (WHERE ${isLacking}) AS count
     FROM ${openChecklists} JOIN assets a INDEXED BY assets_for_ledger ON a.checklist_key = c.key WHERE ${isOpen}`,
  )
  const ofClosed = one<{ checklists: number; lacking: number }>(
    `SELECT COUNT(DISTINCT key) AS checklists, COUNT(*) FILTER (WHERE lacking) AS lacking FROM (${openFiles})`,
  )
  const unlistedPhotos = count(
    `SELECT COALESCE(SUM(MAX(0, json_array_length(q.client_ref_ids) - (
       SELECT COUNT(*) FROM assets a INDEXED BY assets_for_ledger
       WHERE a.checklist_key = c.key AND a.question_key = q.key AND a.kind = 'photo' AND a.present = 1))), 0) AS count
     FROM ${openChecklists} JOIN questions q ON q.checklist_key = c.key
     WHERE ${isOpen} AND q.present = 1 AND json_valid(q.client_ref_ids)`,
  )
  const unlistedReports = count(
    `SELECT COUNT(*) AS count FROM ${openChecklists}
     WHERE ${isOpen} AND c.status IN ('completed', 'pdfProcessingFailed') AND NOT EXISTS (
       SELECT 1 FROM assets a INDEXED BY assets_for_ledger
         WHERE a.checklist_key = c.key AND a.question_key IS NULL AND a.kind = 'report')`,
  )

  return {
    /** `files` is the number of all assets, including those of removed projects. */
    read(files: number) {
      const closed = ofClosed() ?? { checklists: 0, lacking: 0 }
      const known = files - removedFiles() - dropped()
      return {
        checklists: checklists(),
        open: byStatus.all(),
        /** Once fully archived, now with files that are damaged or must be checked or downloaded again. */
        reopened: closed.checklists,
        expectedFiles: known + unlistedPhotos() + unlistedReports(),
        archivedFiles: known - lackingOfOpen() - closed.lacking,
      }
    },
  }
}
