/**
 * Findings of verifies: a damaged file does not count as archived, and a lost one is still expected. Reports, photos,
 * and thumbnails have them in their own rows; other files have no row, or one that is replaced.
 */
export const damageFound = `
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
