/** Tables of marks, and the column by which a changed row refers to its mark. */
const marks = {
  project: { table: 'stale_projects', column: 'project_id', of: (row: string) => `${row}.id` },
  checklist: { table: 'stale_checklists', column: 'key', of: (row: string) => `${row}.key` },
  'of-checklist': { table: 'stale_checklists', column: 'key', of: (row: string) => `${row}.checklist_key` },
  'of-asset': {
    table: 'stale_checklists',
    column: 'key',
    of: (row: string) => `(SELECT checklist_key FROM assets WHERE id = ${row}.asset_id)`,
  },
} as const

/**
 * Returns triggers that mark what a changed row belongs to. A mark is looked for before it is inserted, because most
 * rows belong to something that has one: a trigger costs about two microseconds a row.
 */
function markStale(
  name: string,
  reference: keyof typeof marks,
  { columns, when = 'TRUE' }: { readonly columns: string; readonly when?: string },
): string {
  const { table, column, of } = marks[reference]
  const trigger = (event: string, row: 'NEW' | 'OLD', condition: string) =>
    `CREATE TRIGGER ${name}_${event.slice(0, 6).toLowerCase()}_marks_stale AFTER ${event} ON ${name}
  WHEN ${condition} AND NOT EXISTS (SELECT 1 FROM ${table} WHERE ${column} = ${of(row)})
BEGIN
  INSERT OR IGNORE INTO ${table} VALUES (${of(row)});
END;`
  return [
    trigger('INSERT', 'NEW', 'TRUE'),
    trigger('DELETE', 'OLD', 'TRUE'),
    trigger(`UPDATE OF ${columns}`, 'NEW', when),
  ].join('\n')
}

/**
 * Counts and filters of each project, computed from its rows when a list needs them; see
 * `docs/decisions/0034-lists-read-facts.md`. They can be computed again at any time. Triggers mark a project as stale
 * in the transaction that changes one of its rows. `valid_from` and `valid_until` limit the time for which a row holds,
 * because failures start to need attention at a certain time.
 */
export const projectFactsSchema = `
CREATE TABLE project_facts (
  project_id TEXT PRIMARY KEY,
  removed INTEGER NOT NULL,
  unnamed INTEGER NOT NULL,
  name TEXT COLLATE NOCASE,
  search TEXT NOT NULL,                   -- name, address, and id in lower case
  added_at TEXT NOT NULL,
  last_synced_at TEXT,
  filters INTEGER NOT NULL,               -- one bit for each filter that lists the project
  valid_from TEXT,                        -- null: always
  valid_until TEXT,
  failures INTEGER NOT NULL,              -- failed files that need attention, previews included

  projects INTEGER NOT NULL,              -- 0: removed. All counts of a removed project are 0, but for the next three.
  known_checklists INTEGER NOT NULL,
  known_files INTEGER NOT NULL,
  removed_files INTEGER NOT NULL,
  unsynced_projects INTEGER NOT NULL,
  unread_projects INTEGER NOT NULL,
  projects_with_problem INTEGER NOT NULL,
  projects_retrying INTEGER NOT NULL,
  troubled_checklists INTEGER NOT NULL,
  checklists_retrying INTEGER NOT NULL,
  files_waiting INTEGER NOT NULL,
  files_failed INTEGER NOT NULL,
  previews_failed INTEGER NOT NULL,
  files_retrying INTEGER NOT NULL,
  previews_retrying INTEGER NOT NULL,

  checklists INTEGER NOT NULL,
  complete_checklists INTEGER NOT NULL,
  waiting_checklists INTEGER NOT NULL,
  expected_files INTEGER NOT NULL,
  archived_files INTEGER NOT NULL,
  expected_previews INTEGER NOT NULL,
  archived_previews INTEGER NOT NULL,

  photos_not_uploaded INTEGER NOT NULL,
  files_not_checked INTEGER NOT NULL,
  checklists_not_checked INTEGER NOT NULL,
  checklists_never_read INTEGER NOT NULL,
  reports_pending INTEGER NOT NULL,
  listed_incomplete INTEGER NOT NULL,     -- checklists in the list of incomplete ones
  listed_waiting INTEGER NOT NULL         -- and in that of waiting ones
) STRICT, WITHOUT ROWID;
CREATE INDEX project_facts_by_name ON project_facts (unnamed, name, project_id, filters, search) WHERE removed = 0;
CREATE INDEX project_facts_by_added ON project_facts (added_at, project_id, filters, search) WHERE removed = 0;
CREATE INDEX project_facts_by_synced ON project_facts (last_synced_at, project_id, filters, search) WHERE removed = 0;
CREATE INDEX project_facts_failing ON project_facts (project_id, failures) WHERE failures > 0;
CREATE INDEX project_facts_valid_from ON project_facts (valid_from) WHERE valid_from IS NOT NULL;
CREATE INDEX project_facts_valid_until ON project_facts (valid_until) WHERE valid_until IS NOT NULL;

-- What needs attention in a project, by cause.
CREATE TABLE project_causes (
  cause TEXT NOT NULL,
  project_id TEXT NOT NULL,
  projects INTEGER NOT NULL,
  checklists INTEGER NOT NULL,
  files INTEGER NOT NULL,
  previews INTEGER NOT NULL,
  first_message TEXT,                     -- in alphabetical order
  last_message TEXT,
  next_try_at TEXT,
  PRIMARY KEY (cause, project_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_causes_by_project ON project_causes (project_id);

-- Incomplete checklists of a project by status.
CREATE TABLE project_statuses (
  project_id TEXT NOT NULL,
  status TEXT NOT NULL,
  gone INTEGER NOT NULL,
  checklists INTEGER NOT NULL,
  PRIMARY KEY (project_id, status, gone)
) STRICT, WITHOUT ROWID;

-- One row: the sums of project_facts as JSON by column, and of which rules they and all facts are the result.
CREATE TABLE project_totals (
  rules TEXT NOT NULL,
  totals TEXT NOT NULL
) STRICT;

-- Completeness of a checklist as JSON; none for one that was recorded as archived without a gap, and has no jobs.
CREATE TABLE checklist_facts (
  key INTEGER PRIMARY KEY,
  facts TEXT NOT NULL
) STRICT;

CREATE TABLE stale_projects (project_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE stale_checklists (key INTEGER PRIMARY KEY) STRICT;

-- Newest first, with what filters of checklists compare; the condition is that of checklists_open.
CREATE INDEX checklists_open_newest
  ON checklists (key, project_id, status, upstream_gone_at, error_code, attention_at, archived_fingerprint, fingerprint)
  WHERE archived_fingerprint IS NOT fingerprint OR status <> 'completed'
    OR (error_code IS NOT NULL AND upstream_gone_at IS NULL);
CREATE INDEX projects_removed ON projects (id) WHERE removed_at IS NOT NULL;

${markStale('projects', 'project', {
  columns: 'name, address, added_at, removed_at, last_synced_at, polled_at, error_code, error_message, attention_at',
  // Most polls find nothing new.
  when: `(OLD.name, OLD.address, OLD.added_at, OLD.removed_at, OLD.last_synced_at, OLD.polled_at IS NULL,
      OLD.error_code, OLD.error_message, OLD.attention_at)
    IS NOT (NEW.name, NEW.address, NEW.added_at, NEW.removed_at, NEW.last_synced_at, NEW.polled_at IS NULL,
      NEW.error_code, NEW.error_message, NEW.attention_at)`,
})}
${markStale('checklists', 'checklist', {
  columns:
    'status, fingerprint, read_fingerprint, archived_fingerprint, upstream_gone_at, error_code, error_message, ' +
    'attention_at, detail_raw, title, updated_at, folder',
})}
${markStale('questions', 'of-checklist', { columns: 'label, client_ref_ids, media_read_at, said_empty_at, present' })}
${markStale('assets', 'of-checklist', {
  columns: 'question_key, kind, present, sha256, confirmed_fingerprint, damage',
})}
${markStale('jobs', 'of-asset', {
  // Not the state: queued and running jobs count alike, and a job that fails, or is queued again, gets a next try.
  columns: 'next_try_at, error_code, error_message, attention_at',
})}
`
