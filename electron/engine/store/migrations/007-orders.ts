/**
 * Design orders. An order that was sent is never forgotten: only drafts are ever deleted. Projects are referred to by
 * the service's id alone, because an order may be for a project that is not archived.
 */
export const ordersTables = `
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
