/** The activity (see `shared/activity.ts`), and indexes that keep lists fast with a million files. */
export const activityTable = `
CREATE TABLE activity (
  id INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  kind TEXT NOT NULL,
  project_id TEXT REFERENCES projects (id),
  checklist_key INTEGER REFERENCES checklists (key),
  asset_id INTEGER REFERENCES assets (id),        -- of several files the first
  count INTEGER,                                  -- null where the kind counts nothing
  facts TEXT NOT NULL CHECK (json_valid(facts))   -- JSON object, without the count
) STRICT;
CREATE INDEX activity_by_project ON activity (project_id, id);
CREATE INDEX activity_by_checklist ON activity (checklist_key, id) WHERE checklist_key IS NOT NULL;

-- The state that the activity last told to be archived without a gap; null: it did not, or told that it is not any more.
ALTER TABLE checklists ADD COLUMN told_fingerprint TEXT;
UPDATE checklists SET told_fingerprint = archived_fingerprint;

-- Checklists that are not archived whole, but for what waits in the jobs. Those that are make most of the rows.
CREATE INDEX checklists_open ON checklists (project_id, key)
  WHERE archived_fingerprint IS NOT fingerprint OR status <> 'completed'
    OR (error_code IS NOT NULL AND upstream_gone_at IS NULL);
`
