import Database from 'better-sqlite3'
import { createStore } from '../../electron/engine/store/create-store.ts'

export interface BigDatabaseOptions {
  readonly projects?: number
  readonly checklistsPerProject?: number
  /** Of each checklist: a report, and photos with their thumbnails. */
  readonly filesPerChecklist?: number
}

/**
 * Writes the database of a big archive, of a million files by default, as after a sync: most files are archived; of
 * every hundred projects four are new, one could not be read, three have failed files, and one has waiting files. The
 * rows are consistent; there are no files. Takes about ten seconds; the same options create the same rows.
 */
export function fillBigDatabase(databaseFile: string, options: BigDatabaseOptions = {}): void {
  const { projects = 10_000, checklistsPerProject = 4, filesPerChecklist = 25 } = options
  createStore(databaseFile).close()
  const db = new Database(databaseFile)
  db.pragma('synchronous = OFF')
  const run = (sql: string) => {
    const wanted = { projects, checklistsPerProject, files: filesPerChecklist }
    const named = Object.fromEntries(Object.entries(wanted).filter(([name]) => sql.includes(`:${name}`)))
    db.prepare(sql).run(named)
  }
  db.transaction(() => {
    for (const sql of fill) run(sql)
  })()
  db.close()
}

const numbers = (name: string, last: string) =>
  `${name}(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM ${name} WHERE n < ${last})`
const at = (minutes: string) => `strftime('%Y-%m-%dT%H:%M:%S.000Z', '2026-01-01', '-' || (${minutes}) || ' minutes')`

/** Statements in the order of their references. */
const fill: readonly string[] = [
  `INSERT INTO projects
     (id, name, address, folder, folder_key, added_at, last_synced_at, polled_at, error_code, error_message)
   WITH RECURSIVE ${numbers('p', ':projects')}
   SELECT printf('%024x', n), 'Project ' || n, n || ' Elm Street, Ithaca', 'Project ' || n, 'project ' || n, ${at('n')},
     CASE WHEN n % 100 >= 4 THEN ${at('n % 1440')} END, CASE WHEN n % 100 >= 4 THEN ${at('n % 1440')} END,
     CASE WHEN n % 100 = 10 THEN 'service-error' END, CASE WHEN n % 100 = 10 THEN 'The service failed.' END FROM p`,
  `INSERT INTO checklists (project_id, id, title, status, updated_at, fingerprint, detail_fingerprint, read_fingerprint,
     archived_fingerprint, told_fingerprint, folder, folder_key, entry_raw, detail_raw)
   WITH RECURSIVE ${numbers('c', ':checklistsPerProject')}
   SELECT p.id, printf('%s-%d', p.id, c.n), 'Site survey ' || c.n,
     CASE WHEN p.rowid % 20 = 5 AND c.n = 1 THEN 'awaitingMedia' ELSE 'completed' END, p.added_at, 'f', 'f', 'f',
     CASE WHEN p.rowid % 20 <> 5 OR c.n > 1 THEN 'f' END, 'f', p.folder || '/' || c.n, p.folder_key || '/' || c.n,
     '{}', printf('{"raw":"%.*c"}', 2000, 'x')
   FROM (SELECT *, row_number() OVER (ORDER BY added_at DESC) AS rowid FROM projects) p, c
   WHERE p.last_synced_at IS NOT NULL ORDER BY p.rowid, c.n`,
  `INSERT INTO questions (checklist_key, position, section_label, label, section_folder, folder, media_category_id,
     client_ref_ids, media_read_at)
   WITH RECURSIVE ${numbers('q', '3')}
   SELECT key, n, 'Section ' || (1 + n / 3), 'Question ' || n, '01 Section', n || ' Question', key || '-' || n,
     '["a","b","c","d"]', '2026-01-01T00:00:00.000Z' FROM checklists, q`,
  `INSERT INTO assets
     (checklist_key, question_key, kind, remote_key, file_name, path, path_key, record, taken_at, sha256,
     size_bytes, archived_at, confirmed_fingerprint)
   WITH RECURSIVE ${numbers('a', ':files')}
   SELECT c.key,
     CASE WHEN n > 1 THEN (SELECT MIN(q.key) FROM questions q WHERE q.checklist_key = c.key) + (n / 2 - 1) % 3 END,
     CASE WHEN n = 1 THEN 'report' WHEN n % 2 = 0 THEN 'photo' ELSE 'thumbnail' END, 'file-' || (n / 2),
     'IMG_' || n || '.jpg', c.folder || '/' || n || '.jpg', c.folder_key || '/' || n || '.jpg',
     printf('{"filename":"IMG_%d.jpg","note":"%.*c"}', n, 200, 'x'), '2025-12-31T12:00:00.000Z',
     printf('%064x', c.key * 100 + n), 100000 + n, '2026-01-01T00:00:00.000Z', 'f' FROM checklists c, a`,
  `INSERT INTO jobs (asset_id, project_id, purpose, state, attempts, next_try_at, error_code, error_message)
   SELECT a.id, c.project_id, 'fetch', CASE WHEN a.checklist_key % 400 < 12 THEN 'failed' ELSE 'queued' END, 1,
     ${at('-(a.id % 360)')}, CASE WHEN a.checklist_key % 400 < 12 THEN 'file-gone' END, 'The file is gone.'
   FROM assets a JOIN checklists c ON c.key = a.checklist_key WHERE a.checklist_key % 400 < 16`,
  `UPDATE assets SET sha256 = NULL, size_bytes = NULL, archived_at = NULL, confirmed_fingerprint = NULL
   WHERE id IN (SELECT asset_id FROM jobs)`,
  `UPDATE checklists SET archived_fingerprint = NULL WHERE key % 400 < 16`,
  `INSERT INTO activity (at, kind, project_id, checklist_key, count, facts)
   WITH RECURSIVE ${numbers('y', '20000')}
   SELECT ${at('20000 - n')},
     CASE n % 3 WHEN 0 THEN 'files-failed' WHEN 1 THEN 'checklist-archived' ELSE 'checklist-status' END,
     c.project_id, c.key, CASE WHEN n % 3 < 2 THEN 25 END,
     CASE n % 3 WHEN 0 THEN '{"code":"file-gone"}' WHEN 1 THEN '{}' ELSE '{"from":"awaitingMedia","to":"completed"}' END
   FROM y JOIN checklists c ON c.key = 1 + (y.n * 7) % (SELECT COUNT(*) FROM checklists)`,
]
