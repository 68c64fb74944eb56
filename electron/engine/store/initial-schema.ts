/**
 * The initial schema. Times are ISO 8601 UTC text; paths are relative to the archive root with `/`; `*_raw` and
 * `record` contain the service's own JSON without links and secrets. Links are only ever in memory.
 */
export const initialSchema = `
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  name TEXT,                              -- null until a person or the service tells it
  address TEXT,
  folder TEXT,                            -- given with the first archived thing, then kept
  folder_key TEXT UNIQUE,                 -- folder without regard to case
  added_at TEXT NOT NULL,
  removed_at TEXT,                        -- no longer synced; rows and files stay
  last_synced_at TEXT,                    -- its list of checklists was read and worked off
  error_code TEXT,                        -- why the last pass could not do that
  error_message TEXT,
  checksums_stale INTEGER NOT NULL DEFAULT 0  -- SHA256SUMS on disk may differ from the rows
) STRICT, WITHOUT ROWID;

CREATE TABLE checklists (
  key INTEGER PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  id TEXT NOT NULL,
  title TEXT NOT NULL,
  status TEXT NOT NULL,
  updated_at TEXT,
  fingerprint TEXT NOT NULL,              -- of (status, updated_at): what the service says now
  detail_fingerprint TEXT,                -- as of which its sections and questions were read
  read_fingerprint TEXT,                  -- as of which the media of all questions were read too
  archived_fingerprint TEXT,              -- what is in the archive without a gap
  looked_at TEXT,                         -- when the detail or media was last asked for
  folder TEXT,                            -- relative to the archive root, kept once given
  folder_key TEXT UNIQUE,                 -- folder without regard to case
  entry_raw TEXT NOT NULL,
  detail_raw TEXT,
  upstream_gone_at TEXT,
  error_code TEXT,
  error_message TEXT,
  document_stale INTEGER NOT NULL DEFAULT 0,  -- checklist.json on disk may differ from the rows
  document_sha256 TEXT,
  document_bytes INTEGER,
  UNIQUE (project_id, id)
) STRICT;

CREATE TABLE questions (
  key INTEGER PRIMARY KEY,
  checklist_key INTEGER NOT NULL REFERENCES checklists (key),
  position INTEGER NOT NULL,
  section_label TEXT NOT NULL,
  label TEXT NOT NULL,
  section_folder TEXT NOT NULL,           -- one component each, kept once given
  folder TEXT NOT NULL,
  media_category_id TEXT,
  client_ref_ids TEXT,                    -- JSON array of text; null when the service does not tell
  media_read_at TEXT,                     -- null until the category was read
  present INTEGER NOT NULL DEFAULT 1      -- 0: no longer in the checklist
) STRICT;
CREATE INDEX questions_by_checklist ON questions (checklist_key, position);

CREATE TABLE assets (
  id INTEGER PRIMARY KEY,
  checklist_key INTEGER NOT NULL REFERENCES checklists (key),
  question_key INTEGER REFERENCES questions (key),  -- null: the report
  kind TEXT NOT NULL CHECK (kind IN ('report', 'photo', 'thumbnail')),
  remote_key TEXT NOT NULL,               -- identity at the service
  source_hash TEXT,                       -- of the link without query: tells a moved file, reveals nothing
  file_name TEXT,                         -- as the service calls it
  path TEXT NOT NULL UNIQUE,
  path_key TEXT NOT NULL UNIQUE,          -- path without regard to case
  record TEXT,                            -- the media record
  taken_at TEXT,
  latitude REAL,
  longitude REAL,
  present INTEGER NOT NULL DEFAULT 1,     -- 0: no longer upstream, kept here
  sha256 TEXT,                            -- set: the file is on disk, whole
  size_bytes INTEGER,
  archived_at TEXT,
  etag TEXT,
  last_modified TEXT,
  confirmed_fingerprint TEXT              -- the checklist's when the file was last found to be what the service has
) STRICT;
CREATE INDEX assets_by_checklist ON assets (checklist_key, question_key);

CREATE TABLE jobs (
  asset_id INTEGER PRIMARY KEY REFERENCES assets (id),
  project_id TEXT NOT NULL REFERENCES projects (id),
  purpose TEXT NOT NULL CHECK (purpose IN ('fetch', 'recheck', 'refetch')),
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  next_try_at TEXT,
  error_code TEXT,
  error_message TEXT,
  part_bytes INTEGER,                     -- of an unfinished .part: bytes known to be on the disk
  part_etag TEXT                          -- the strong validator under which they may be continued
) STRICT;
CREATE INDEX jobs_by_project ON jobs (project_id, state, asset_id);

CREATE TABLE versions (
  path TEXT PRIMARY KEY,
  asset_id INTEGER NOT NULL REFERENCES assets (id),
  sha256 TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  replaced_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A replacement that is about to happen on disk; see downloads/replace-file.ts.
CREATE TABLE replacements (
  asset_id INTEGER PRIMARY KEY REFERENCES assets (id),
  version_path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  etag TEXT,
  last_modified TEXT,
  replaced_at TEXT NOT NULL
) STRICT;
`
