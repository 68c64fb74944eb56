import {
  damagedFiles,
  isAskedFor,
  isOpen,
  isOpenFile,
  isUnchecked,
  lacksReport,
  unlistedPhotosOf,
} from './catalog-store.ts'
import type { Db } from './open-database.ts'

/** Checklists of one status that are not complete. `gone`: the service does not list them any more. */
export interface OpenChecklists {
  readonly status: string
  readonly gone: 0 | 1
  readonly checklists: number
}

/** Number of files, and of the thumbnails among them. */
interface Split {
  readonly files: number
  readonly previews: number
}

const none: Split = { files: 0, previews: 0 }

/** Condition on a file `a`: expected, and missing or damaged. */
const isLacking = `(a.damage IS NOT NULL OR (a.sha256 IS NULL AND (a.present = 1 OR a.kind = 'report')))`
/** Condition on a file `a`: neither expected nor archived. Identical to the condition of the index `assets_dropped`. */
const isDropped = `a.sha256 IS NULL AND a.present = 0 AND a.kind <> 'report' AND a.damage IS NULL`
const openChecklists = `checklists c INDEXED BY checklists_open
  JOIN projects p ON p.id = c.project_id AND p.removed_at IS NULL`
/** Files with a job and damaged files of checklists that are otherwise complete. */
const openFiles = `SELECT c.key, a.id, a.kind, ${isLacking} AS lacking
  FROM jobs j CROSS JOIN assets a ON a.id = j.asset_id
    JOIN checklists c ON c.key = a.checklist_key JOIN projects p ON p.id = j.project_id AND p.removed_at IS NULL
    WHERE NOT ${isOpen} AND ${isOpenFile}
  UNION SELECT c.key, a.id, a.kind, 1 FROM ${damagedFiles}
  JOIN projects p ON p.id = c.project_id AND p.removed_at IS NULL
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
  const split = (sql: string) => {
    const get = one<Split>(sql)
    return () => get() ?? none
  }
  /** Adds up files that the service has not listed, and of these the ones that it was not asked for yet. */
  const unlisted = (isUnread: string, sql: string) => {
    const get = one<{ all: number; unread: number }>(
      `SELECT COALESCE(SUM(q.count), 0) AS "all", COALESCE(SUM(q.count) FILTER (WHERE ${isUnread}), 0) AS unread
       FROM (${sql}) q`,
    )
    return () => get() ?? { all: 0, unread: 0 }
  }
  const checklists = count(
    `SELECT (SELECT COUNT(*) FROM checklists) - (SELECT COUNT(*) FROM projects p CROSS JOIN checklists c
       ON c.project_id = p.id WHERE p.removed_at IS NOT NULL) AS count`,
  )
  const thumbnails = count(`SELECT COUNT(*) AS count FROM assets INDEXED BY assets_for_ledger WHERE kind = 'thumbnail'`)
  const removed = split(
    `SELECT COUNT(*) AS files, COUNT(*) FILTER (WHERE a.kind = 'thumbnail') AS previews
     FROM projects p CROSS JOIN checklists c ON c.project_id = p.id
       CROSS JOIN assets a INDEXED BY assets_for_ledger ON a.checklist_key = c.key WHERE p.removed_at IS NOT NULL`,
  )
  const byStatus = db.prepare<[], OpenChecklists>(
    `SELECT c.status, c.upstream_gone_at IS NOT NULL AS gone, COUNT(*) AS checklists FROM ${openChecklists}
     WHERE ${isOpen} GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2`,
  )
  const dropped = split(
    `SELECT COUNT(*) AS files, COUNT(*) FILTER (WHERE a.kind = 'thumbnail') AS previews FROM assets a INDEXED BY assets_dropped CROSS JOIN checklists c ON c.key = a.checklist_key
       JOIN projects p ON p.id = c.project_id AND p.removed_at IS NULL WHERE ${isDropped}`,
  )
  const lackingOfOpen = split(
    `SELECT COUNT(*) FILTER (WHERE ${isLacking}) AS files,
       COUNT(*) FILTER (WHERE ${isLacking} AND a.kind = 'thumbnail') AS previews
     FROM ${openChecklists} JOIN assets a INDEXED BY assets_for_ledger ON a.checklist_key = c.key WHERE ${isOpen}`,
  )
  const ofClosed = one<Split & { checklists: number }>(
    `SELECT COUNT(DISTINCT key) AS checklists, COUNT(*) FILTER (WHERE lacking) AS files,
       COUNT(*) FILTER (WHERE lacking AND kind = 'thumbnail') AS previews FROM (${openFiles})`,
  )
  const unlistedPhotos = unlisted(
    'q.media_read_at IS NULL',
    `SELECT q.media_read_at, ${unlistedPhotosOf} AS count
     FROM ${openChecklists} JOIN questions q ON q.checklist_key = c.key WHERE ${isOpen} AND ${isAskedFor}`,
  )
  const unlistedReports = unlisted(
    'q.read_fingerprint IS NOT q.fingerprint',
    `SELECT c.read_fingerprint, c.fingerprint, 1 AS count FROM ${openChecklists} WHERE ${isOpen} AND ${lacksReport}`,
  )
  const unchecked = one<{ all: number; neverRead: number }>(
    `SELECT COUNT(*) AS "all", COUNT(*) FILTER (WHERE c.detail_raw IS NULL) AS neverRead
     FROM ${openChecklists} WHERE ${isOpen} AND ${isUnchecked}`,
  )

  return {
    /** `files` is the number of all assets, including those of removed projects. */
    read(files: number) {
      const closed = ofClosed() ?? { checklists: 0, ...none }
      const [ofRemoved, ofDropped, ofOpen] = [removed(), dropped(), lackingOfOpen()]
      const known = files - ofRemoved.files - ofDropped.files
      const previews = thumbnails() - ofRemoved.previews - ofDropped.previews
      const [photos, reports] = [unlistedPhotos(), unlistedReports()]
      const notChecked = unchecked() ?? { all: 0, neverRead: 0 }
      return {
        checklists: checklists(),
        open: byStatus.all(),
        /** Once fully archived, now with files that are damaged or must be checked or downloaded again. */
        reopened: closed.checklists,
        expectedFiles: known + photos.all + reports.all,
        archivedFiles: known - ofOpen.files - closed.files,
        previews: { expected: previews, archived: previews - ofOpen.previews - closed.previews },
        photosNotUploaded: photos.all - photos.unread,
        filesNotChecked: photos.unread + reports.unread,
        checklistsNotChecked: notChecked.all,
        checklistsNeverRead: notChecked.neverRead,
        reportsPending: reports.all - reports.unread,
      }
    },
  }
}
