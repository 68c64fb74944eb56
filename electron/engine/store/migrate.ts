import type { Database } from 'better-sqlite3'
import { AppError } from '../../../shared/errors.ts'
import { analysisRetries, analysisSchema } from './analysis-schema.ts'
import { initialSchema } from './initial-schema.ts'
import { projectFactsSchema } from './project-facts-schema.ts'
import { searchOrdersSchema, searchSchema } from './search-schema.ts'

/** State of a continuous sync: times of polls per project and of verifications per file. */
const continuousSync = `
ALTER TABLE projects ADD COLUMN polled_at TEXT;         -- the service last answered with its list of checklists
ALTER TABLE projects ADD COLUMN changed_at TEXT;        -- something of it last changed upstream, as far as was noticed
ALTER TABLE projects ADD COLUMN reconciled_at TEXT;     -- last read whole, also what looked unchanged
ALTER TABLE projects ADD COLUMN poll_failures INTEGER NOT NULL DEFAULT 0;  -- in a row
ALTER TABLE projects ADD COLUMN tried_at TEXT;          -- last asked about, answered or not

ALTER TABLE assets ADD COLUMN verified_at TEXT;         -- its bytes were last read again and were right
ALTER TABLE versions ADD COLUMN verified_at TEXT;
ALTER TABLE checklists ADD COLUMN document_verified_at TEXT;

CREATE INDEX jobs_by_next_try ON jobs (state, next_try_at);
`

/** The activity (see `shared/activity.ts`), and indexes that keep lists fast with a million files. */
const activityTable = `
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

/**
 * Indexes that answer frequent queries on their own, however many files fail: the rows of assets are long because they
 * contain the service's media records.
 */
const backlogIndexes = `
CREATE INDEX assets_for_ledger
  ON assets (checklist_key, question_key, kind, present, confirmed_fingerprint, sha256);
DROP INDEX assets_by_checklist;

CREATE INDEX jobs_by_project_and_try ON jobs (project_id, state, next_try_at);
`

/**
 * The time of the first answer without photos: a service that does not list a question's photos must answer so twice.
 */
const emptyAnswers = `
ALTER TABLE questions ADD COLUMN said_empty_at TEXT;    -- no photo was listed for it, for the first time while completed
`

/**
 * Findings of verifies: a damaged file does not count as archived, and a lost one is still expected. Reports, photos,
 * and thumbnails have them in their own rows; other files have no row, or one that is replaced.
 */
const damageFound = `
ALTER TABLE assets ADD COLUMN damage TEXT CHECK (damage IN ('missing', 'changed'));  -- archived once, and not right any more
ALTER TABLE assets ADD COLUMN damage_found_at TEXT;
UPDATE assets SET damage = 'missing', damage_found_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  WHERE sha256 IS NULL AND verified_at IS NOT NULL;

DROP INDEX assets_for_ledger;
CREATE INDEX assets_for_ledger
  ON assets (checklist_key, question_key, kind, present, confirmed_fingerprint, sha256, damage);
CREATE INDEX assets_damaged ON assets (checklist_key) WHERE damage IS NOT NULL;
-- Neither expected nor in the archive: the service took them back before they came.
CREATE INDEX assets_dropped ON assets (checklist_key)
  WHERE sha256 IS NULL AND present = 0 AND kind <> 'report' AND damage IS NULL;

-- Old versions, checklist.json, SHA256SUMS, and what somebody else put there.
CREATE TABLE findings (
  path TEXT PRIMARY KEY,                  -- relative to the archive root
  project_id TEXT NOT NULL REFERENCES projects (id),
  state TEXT NOT NULL CHECK (state IN ('missing', 'changed', 'unexpected')),
  found_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX findings_by_project ON findings (project_id);
`

/**
 * Design orders. An order that was sent is never forgotten: only drafts are ever deleted. Projects are referred to by
 * the service's id alone, because an order may be for a project that is not archived.
 */
const ordersTables = `
-- Orders that were made together, from a list.
CREATE TABLE order_batches (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'stopped', 'done')),
  stopped_code TEXT,
  stopped_message TEXT
) STRICT;

CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('draft', 'submitting', 'unconfirmed', 'placed')),
  source TEXT NOT NULL CHECK (source IN ('app', 'command-line', 'list', 'service')),
  project_id TEXT NOT NULL,               -- empty in a draft that has none yet
  texts TEXT NOT NULL CHECK (json_valid(texts)),  -- as typed, by field
  region TEXT,                            -- whose defaults are shown
  revision INTEGER NOT NULL DEFAULT 0,    -- of the draft
  created_at TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  restored INTEGER NOT NULL DEFAULT 0,    -- from a backup: it may have been placed since
  batch_id INTEGER REFERENCES order_batches (id),
  batch_line INTEGER,

  payload TEXT CHECK (payload IS NULL OR json_valid(payload)),  -- byte for byte what was sent, or is
  fingerprint TEXT,                       -- SHA-256 of it
  sent_at TEXT,                           -- written before the first byte went out
  listed_before TEXT,                     -- JSON array: what the service listed for the project just before; null: it did not say
  error_code TEXT,                        -- why the last try did not place it
  error_message TEXT,
  field_problems TEXT,                    -- JSON array of { field, message }
  asked_at TEXT,                          -- the service was last asked whether it has it
  asked_outcome TEXT CHECK (asked_outcome IN ('listed', 'similar', 'not-listed', 'cannot-say')),
  candidates TEXT,                        -- JSON array of the orders that may be it
  settled_by TEXT CHECK (settled_by IN ('answer', 'service', 'person')),

  service_id TEXT UNIQUE,
  remote TEXT,                            -- the service's own JSON, without links and secrets
  remote_view TEXT,                       -- what was read of it
  status TEXT,
  placed_at TEXT,
  followed_at TEXT,
  CHECK (state = 'draft' OR source = 'service' OR (payload IS NOT NULL AND fingerprint IS NOT NULL AND sent_at IS NOT NULL)),
  CHECK (state <> 'placed' OR placed_at IS NOT NULL)
) STRICT;
CREATE INDEX orders_by_state ON orders (state, changed_at);
CREATE INDEX orders_by_change ON orders (changed_at, id);
CREATE INDEX orders_by_project ON orders (project_id, fingerprint);
CREATE INDEX orders_found ON orders (project_id, TRIM(json_extract(texts, '$.homeownerName'))) WHERE source = 'service';
CREATE INDEX orders_by_batch ON orders (batch_id, batch_line) WHERE batch_id IS NOT NULL;

CREATE TABLE order_statuses (
  order_id INTEGER NOT NULL REFERENCES orders (id),
  seen_at TEXT NOT NULL,
  status TEXT NOT NULL,
  changed_at TEXT,                        -- when it changed, as the service tells
  PRIMARY KEY (order_id, seen_at)
) STRICT, WITHOUT ROWID;

-- When the service was asked for a project's orders, and when it is next.
CREATE TABLE order_polls (
  project_id TEXT PRIMARY KEY,
  asked_at TEXT NOT NULL,
  answered_at TEXT,
  next_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE order_presets (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  kind TEXT NOT NULL CHECK (kind IN ('company', 'jurisdiction')),
  texts TEXT NOT NULL CHECK (json_valid(texts)),
  region TEXT,
  is_default INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX order_presets_default ON order_presets (is_default) WHERE is_default = 1;
`

/**
 * The service to which an order was sent, or where it was found, as the origin of its address: no other one knows its
 * outcome. `NULL` in earlier rows, which count as those of the current service.
 */
const ordersService = `
ALTER TABLE orders ADD COLUMN service TEXT;
`

/**
 * Rows of a list that did not become an order, so that the list's result reports every row. Texts and problems are
 * truncated.
 */
const batchRows = `
CREATE TABLE order_batch_rows (
  id INTEGER PRIMARY KEY,
  batch_id INTEGER NOT NULL REFERENCES order_batches (id),
  line INTEGER NOT NULL,                  -- where it ended in the list, from 1
  state TEXT NOT NULL CHECK (state IN ('double', 'wrong', 'removed')),
  project_id TEXT NOT NULL,
  homeowner_name TEXT NOT NULL,
  message TEXT NOT NULL                   -- why, for a person
) STRICT;
CREATE INDEX order_batch_rows_by_batch ON order_batch_rows (batch_id, line);
`

/**
 * The hash of an archived file that is missing now: SHA256SUMS still lists it, and a file restored from a backup is
 * recognized by it. `NULL` for existing files, and for those lost before hashes were kept.
 */
const lostHash = `
ALTER TABLE assets ADD COLUMN lost_sha256 TEXT;
`

/**
 * Attempts that were given up: the order was sent and became a draft again, because the service's list lacked it or a
 * user said so. A service may record an order late, so they are looked for in its list. `late_for`: the order whose
 * given-up attempt the service recorded as this one. `unchecked`: it was sent although the list could not be read.
 */
const givenUpAttempts = `
CREATE TABLE order_attempts (
  id INTEGER PRIMARY KEY,
  order_id INTEGER REFERENCES orders (id) ON DELETE SET NULL,   -- null: the draft was removed
  source TEXT NOT NULL CHECK (source IN ('app', 'command-line', 'list')),
  project_id TEXT NOT NULL,
  texts TEXT NOT NULL CHECK (json_valid(texts)),
  region TEXT,
  payload TEXT NOT NULL CHECK (json_valid(payload)),            -- byte for byte what was sent
  fingerprint TEXT NOT NULL,
  sent_at TEXT NOT NULL,
  service TEXT,
  listed_before TEXT,
  unchecked INTEGER NOT NULL
) STRICT;
CREATE INDEX order_attempts_by_project ON order_attempts (project_id, sent_at);
CREATE INDEX order_attempts_by_order ON order_attempts (order_id);

ALTER TABLE orders ADD COLUMN late_for INTEGER REFERENCES orders (id) ON DELETE SET NULL;
CREATE INDEX orders_late ON orders (late_for) WHERE late_for IS NOT NULL;
ALTER TABLE orders ADD COLUMN unchecked INTEGER NOT NULL DEFAULT 0;
`

/**
 * When a failure starts to need attention (`lib/attention.ts`): projects and checklists with an error, and failed jobs.
 * `NULL` for failures recorded before, which need it. `failures`: consecutive failures to read a checklist.
 */
const attention = `
ALTER TABLE projects ADD COLUMN attention_at TEXT;
ALTER TABLE checklists ADD COLUMN attention_at TEXT;
ALTER TABLE checklists ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN attention_at TEXT;
`

/**
 * Jobs that cannot be worked on, because their checklist is no longer listed or their project was removed, are marked.
 * Indexes of failed and of queued jobs have only those, so that others cost them nothing.
 */
const heldJobs = `
ALTER TABLE jobs ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
UPDATE jobs SET held = 1 WHERE project_id IN (SELECT id FROM projects WHERE removed_at IS NOT NULL)
  OR asset_id IN (SELECT a.id FROM checklists c CROSS JOIN assets a ON a.checklist_key = c.key
    WHERE c.upstream_gone_at IS NOT NULL);

CREATE TRIGGER checklists_gone_hold_jobs AFTER UPDATE OF upstream_gone_at ON checklists
  WHEN (OLD.upstream_gone_at IS NULL) <> (NEW.upstream_gone_at IS NULL)
BEGIN
  UPDATE jobs SET held = NEW.upstream_gone_at IS NOT NULL
    OR EXISTS (SELECT 1 FROM projects WHERE id = NEW.project_id AND removed_at IS NOT NULL)
  WHERE asset_id IN (SELECT id FROM assets WHERE checklist_key = NEW.key);
END;
CREATE TRIGGER projects_removed_hold_jobs AFTER UPDATE OF removed_at ON projects
  WHEN (OLD.removed_at IS NULL) <> (NEW.removed_at IS NULL)
BEGIN
  UPDATE jobs SET held = NEW.removed_at IS NOT NULL
    OR EXISTS (SELECT 1 FROM assets a JOIN checklists c ON c.key = a.checklist_key
      WHERE a.id = jobs.asset_id AND c.upstream_gone_at IS NOT NULL)
  WHERE project_id = NEW.id;
END;

DROP INDEX jobs_by_next_try;
DROP INDEX jobs_by_project_and_try;
CREATE INDEX jobs_failed ON jobs (held, next_try_at, project_id) WHERE state = 'failed';
CREATE INDEX jobs_failed_of_project ON jobs (project_id, next_try_at) WHERE state = 'failed';
CREATE INDEX jobs_queued ON jobs (held, project_id) WHERE state = 'queued';
`

/** Statuses by project, for the poll schedule: rows of checklists are long. */
const checklistStatuses = `
CREATE INDEX checklists_listed ON checklists (project_id, upstream_gone_at, status);
`

/**
 * Events for hooks (`shared/hooks.ts`): what has to be delivered, and what is found out by comparing. `meta` has the
 * key `hook-damage` while a hook wants to know of damage: without one, nothing is collected.
 */
const hooksSchema = `
CREATE TABLE hook_deliveries (
  id INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL,
  hook_id TEXT NOT NULL,
  event TEXT NOT NULL,
  body TEXT NOT NULL CHECK (json_valid(body)),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
  created_at TEXT NOT NULL,
  since TEXT NOT NULL,                    -- tries are counted, and given up, from here: it was created or repeated
  tries INTEGER NOT NULL DEFAULT 0,
  next_try_at TEXT,
  ended_at TEXT,
  result TEXT,
  CHECK ((state = 'waiting') = (next_try_at IS NOT NULL)),
  CHECK ((state = 'waiting') = (ended_at IS NULL))
) STRICT;
CREATE INDEX hook_deliveries_waiting ON hook_deliveries (next_try_at) WHERE state = 'waiting';
CREATE INDEX hook_deliveries_of_hook ON hook_deliveries (hook_id, id);

-- Files that were found damaged and that no hook was told of yet. Key 0: files of no checklist.
CREATE TABLE hook_damage (
  project_id TEXT NOT NULL,
  checklist_key INTEGER NOT NULL,
  missing INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  found_at TEXT NOT NULL,
  PRIMARY KEY (project_id, checklist_key)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER assets_damaged_tell_hooks AFTER UPDATE OF damage ON assets
  WHEN NEW.damage IS NOT NULL AND OLD.damage IS NULL AND EXISTS (SELECT 1 FROM meta WHERE key = 'hook-damage')
BEGIN
  INSERT INTO hook_damage
    SELECT project_id, NEW.checklist_key, NEW.damage = 'missing', NEW.damage = 'changed', NEW.damage_found_at
    FROM checklists WHERE key = NEW.checklist_key
  ON CONFLICT (project_id, checklist_key) DO UPDATE SET missing = missing + excluded.missing,
    changed = changed + excluded.changed, found_at = excluded.found_at;
END;
CREATE TRIGGER findings_tell_hooks AFTER INSERT ON findings
  WHEN NEW.state <> 'unexpected' AND EXISTS (SELECT 1 FROM meta WHERE key = 'hook-damage')
BEGIN
  INSERT INTO hook_damage VALUES (NEW.project_id, 0, NEW.state = 'missing', NEW.state = 'changed', NEW.found_at)
  ON CONFLICT (project_id, checklist_key) DO UPDATE SET missing = missing + excluded.missing,
    changed = changed + excluded.changed, found_at = excluded.found_at;
END;

-- Checklists with gaps, since Solarchive first noticed one, and the hooks that were told.
CREATE TABLE hook_gaps (
  checklist_key INTEGER PRIMARY KEY REFERENCES checklists (key) ON DELETE CASCADE,
  since TEXT NOT NULL
) STRICT;
CREATE TABLE hook_gaps_told (
  checklist_key INTEGER NOT NULL REFERENCES hook_gaps (checklist_key) ON DELETE CASCADE,
  hook_id TEXT NOT NULL,
  PRIMARY KEY (checklist_key, hook_id)
) STRICT, WITHOUT ROWID;
`

/**
 * Templates of packets that were made here, and what a person decided about the questions of a template's slots, for
 * all checklists of a title.
 */
const packetsSchema = `
CREATE TABLE packet_templates (
  id TEXT PRIMARY KEY,
  template TEXT NOT NULL CHECK (json_valid(template))
) STRICT, WITHOUT ROWID;

CREATE TABLE packet_corrections (
  template_id TEXT NOT NULL,              -- also one that came with Solarchive
  title_key TEXT NOT NULL,                -- of the checklist, in one letter case
  section TEXT NOT NULL,
  question TEXT NOT NULL,
  slot_id TEXT NOT NULL,
  checklist_title TEXT NOT NULL,
  fills INTEGER NOT NULL CHECK (fills IN (0, 1)),
  PRIMARY KEY (template_id, title_key, section, question, slot_id)
) STRICT, WITHOUT ROWID;
`

/** The last read of each checklist's sections and questions: `looked_at` is also renewed by reads of media. */
const detailReads = `
ALTER TABLE checklists ADD COLUMN detail_read_at TEXT;
`

/** Hash of the link that an unfinished file came from: no other link continues it. */
const partSources = `
ALTER TABLE jobs ADD COLUMN part_source_hash TEXT;
`

/**
 * The migrations in order; the index plus one is the `user_version` after it. A released migration never changes: add a
 * new one.
 */
export const migrations: readonly string[] = [
  initialSchema,
  continuousSync,
  activityTable,
  backlogIndexes,
  emptyAnswers,
  damageFound,
  ordersTables,
  ordersService,
  batchRows,
  lostHash,
  givenUpAttempts,
  attention,
  projectFactsSchema,
  heldJobs,
  checklistStatuses,
  analysisSchema,
  searchSchema,
  hooksSchema,
  packetsSchema,
  analysisRetries,
  detailReads,
  partSources,
  searchOrdersSchema,
]

/**
 * Brings the schema to the newest version, each step in its own transaction. Throws `database-newer` if a newer
 * Solarchive wrote the database.
 */
export function migrate(db: Database): void {
  const current = Number(db.pragma('user_version', { simple: true }))
  requireKnownFormat(current)
  migrations.slice(current).forEach((sql, offset) => {
    db.transaction(() => {
      db.exec(sql)
      db.pragma(`user_version = ${current + offset + 1}`)
    }).immediate()
  })
}

/** Throws `database-newer` for a schema version that only a newer Solarchive knows. */
export function requireKnownFormat(format: number): void {
  if (format <= migrations.length) return
  throw new AppError(
    'database-newer',
    `The data folder was written by a newer Solarchive (format ${format}, this one knows ${migrations.length}). ` +
      'Nothing was changed. Install the newer version again.',
  )
}
