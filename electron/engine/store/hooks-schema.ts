/**
 * Events for hooks (`shared/hooks.ts`): what has to be delivered, and what is found out by comparing. `meta` has the
 * key `hook-damage` while a hook wants to know of damage: without one, nothing is collected.
 */
export const hooksSchema = `
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
