import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrations } from '../../../electron/engine/store/migrate.ts'

/** Index of the migration that brought the analysis. */
const analysis = migrations.findIndex((sql) => sql.includes('CREATE TABLE analysis_queue'))

let db: Database.Database
beforeEach(() => {
  db = new Database(':memory:')
  for (const sql of migrations.slice(0, analysis)) db.exec(sql)
  db.exec(`INSERT INTO projects (id, added_at) VALUES ('p', 'then');
    INSERT INTO checklists (project_id, id, title, status, fingerprint, entry_raw)
      VALUES ('p', 'c', 't', 'completed', 'f', '{}'), ('p', 'd', 't', 'completed', 'f', '{}');
    INSERT INTO assets (id, checklist_key, kind, remote_key, path, path_key, sha256) VALUES
      (1, 1, 'report', 'a', 'a', 'a', 'one'), (2, 1, 'photo', 'b', 'b', 'b', 'two'),
      (3, 2, 'photo', 'c', 'c', 'c', NULL), (4, 1, 'thumbnail', 'd', 'd', 'd', 'four')`)
  for (const sql of migrations.slice(analysis)) db.exec(sql)
})
afterEach(() => db.close())

const column = (sql: string) => db.prepare(sql).pluck().all()

describe('the analysis of archived files', () => {
  it('is due for the reports and photos of an earlier version, and for each that is archived', () => {
    expect(column('SELECT asset_id FROM analysis_queue')).toEqual([1, 2])
    db.exec(`DELETE FROM analysis_queue; UPDATE assets SET sha256 = 'new' WHERE id IN (3, 4)`)
    expect(column('SELECT asset_id FROM analysis_queue')).toEqual([3])
    db.exec(`DELETE FROM analysis_queue; UPDATE assets SET sha256 = 'new', verified_at = 'now' WHERE id = 3`)
    expect(column('SELECT asset_id FROM analysis_queue')).toEqual([])
  })

  it('is forgotten with the content that it is of, and hints that compared with it are due again', () => {
    db.exec(`DELETE FROM analysis_queue; UPDATE assets SET sha256 = 'three' WHERE id = 3; DELETE FROM analysis_queue;
      INSERT INTO analysis_jobs (asset_id, kind, state, archived_at) VALUES
        (1, 'pages', 'done', 'then'), (2, 'text', 'done', 'then'), (2, 'measures', 'done', 'then');
      INSERT INTO report_pages (asset_id, page, text) VALUES (1, 1, 'x');
      INSERT INTO photo_texts (asset_id, source, text, words) VALUES (2, 'code', 'x', '[]');
      INSERT INTO photo_measures (asset_id) VALUES (2);
      INSERT INTO photo_hints (asset_id, kind, severity, other_asset_id) VALUES
        (2, 'duplicate', 1, 3), (3, 'duplicate', 1, 2), (3, 'dark', 1, NULL)`)
    const tables = ['report_pages', 'photo_texts', 'photo_measures', 'photo_hints', 'analysis_jobs']
    const left = () => tables.map((table) => column(`SELECT asset_id FROM ${table}`))
    db.exec(`UPDATE assets SET sha256 = NULL WHERE id = 2`)
    expect(left()).toEqual([[1], [], [], [3], [1]])
    expect(column('SELECT checklist_key FROM stale_hints')).toEqual([1, 2])
    expect(column('SELECT asset_id FROM analysis_queue')).toEqual([])
    db.exec(`UPDATE assets SET sha256 = 'newer' WHERE id = 1`)
    expect(left()).toEqual([[], [], [], [3], []])
    expect(column('SELECT asset_id FROM analysis_queue')).toEqual([1])
  })
})
