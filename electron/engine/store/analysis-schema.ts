/**
 * Results of the analysis of archived files, and what of it is due; see `docs/decisions/0038-analysis-of-files.md`. All
 * of it can be computed again from the files. A trigger removes the results of a file in the transaction that replaces
 * or loses it, and queues the new content. Queueing costs a sync about three microseconds a file; the jobs are created
 * from the queue later.
 */
export const analysisSchema = `
-- Archived files whose jobs are not created yet.
CREATE TABLE analysis_queue (asset_id INTEGER PRIMARY KEY) STRICT;
CREATE TABLE analysis_jobs (
  asset_id INTEGER NOT NULL REFERENCES assets (id),
  -- pages: text of a report; text: codes and print on a photo; measures: of a photo
  kind TEXT NOT NULL CHECK (kind IN ('pages', 'text', 'measures')),
  state TEXT NOT NULL CHECK (state IN ('due', 'done', 'failed')),
  archived_at TEXT NOT NULL,              -- of the file: the newest is analyzed first
  version INTEGER NOT NULL DEFAULT 0,     -- of the analysis that ended the job
  tries INTEGER NOT NULL DEFAULT 0,
  reason TEXT,                            -- code of a failure
  PRIMARY KEY (asset_id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX analysis_jobs_due ON analysis_jobs (kind, archived_at, asset_id) WHERE state = 'due';
CREATE INDEX analysis_jobs_failed ON analysis_jobs (kind, asset_id) WHERE state = 'failed';

CREATE TABLE report_pages (
  id INTEGER PRIMARY KEY,
  asset_id INTEGER NOT NULL REFERENCES assets (id),
  page INTEGER NOT NULL,                  -- from 1; a page without text has no row
  text TEXT NOT NULL,
  UNIQUE (asset_id, page)
) STRICT;

CREATE TABLE photo_texts (
  id INTEGER PRIMARY KEY,
  asset_id INTEGER NOT NULL REFERENCES assets (id),
  source TEXT NOT NULL CHECK (source IN ('code', 'print')),
  text TEXT NOT NULL,                     -- of all words
  words TEXT NOT NULL CHECK (json_valid(words)),  -- JSON array of { text, confidence, box }
  UNIQUE (asset_id, source)
) STRICT;

CREATE TABLE photo_measures (
  asset_id INTEGER PRIMARY KEY REFERENCES assets (id),
  width INTEGER,                          -- of the upright photo, in pixels
  height INTEGER,
  brightness REAL,                        -- 0 to 1; null, like the next three: the format is not decoded
  contrast REAL,
  sharpness REAL,
  hash TEXT,                              -- perceptual hash, 16 hexadecimal digits; null without enough contrast
  taken_at TEXT,                          -- of the EXIF, like all that follows: the camera's local time
  utc_offset TEXT,
  latitude REAL,
  longitude REAL,
  heading REAL                            -- degrees clockwise from north
) STRICT;
-- Two hashes that differ in at most three bits have a quarter in common.
CREATE INDEX photo_measures_hash_1 ON photo_measures (substr(hash, 1, 4)) WHERE hash IS NOT NULL;
CREATE INDEX photo_measures_hash_2 ON photo_measures (substr(hash, 5, 4)) WHERE hash IS NOT NULL;
CREATE INDEX photo_measures_hash_3 ON photo_measures (substr(hash, 9, 4)) WHERE hash IS NOT NULL;
CREATE INDEX photo_measures_hash_4 ON photo_measures (substr(hash, 13, 4)) WHERE hash IS NOT NULL;

-- Photos that may not serve their question.
CREATE TABLE photo_hints (
  asset_id INTEGER NOT NULL REFERENCES assets (id),
  kind TEXT NOT NULL CHECK (kind IN ('dark', 'blurred', 'duplicate', 'far')),
  severity REAL NOT NULL,                 -- 0 to 1
  other_asset_id INTEGER REFERENCES assets (id),  -- of a duplicate
  meters REAL,                            -- of a photo taken far away
  PRIMARY KEY (asset_id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX photo_hints_by_other ON photo_hints (other_asset_id) WHERE other_asset_id IS NOT NULL;
-- Checklists whose hints have to be computed again.
CREATE TABLE stale_hints (checklist_key INTEGER PRIMARY KEY) STRICT;

CREATE TRIGGER assets_archived_queue_analysis AFTER UPDATE OF sha256 ON assets
  WHEN NEW.sha256 IS NOT NULL AND OLD.sha256 IS NOT NEW.sha256 AND NEW.kind <> 'thumbnail'
BEGIN
  INSERT OR IGNORE INTO analysis_queue VALUES (NEW.id);
END;
CREATE TRIGGER assets_replaced_forget_analysis AFTER UPDATE OF sha256 ON assets
  WHEN OLD.sha256 IS NOT NULL AND OLD.sha256 IS NOT NEW.sha256 AND NEW.kind <> 'thumbnail'
BEGIN
  INSERT OR IGNORE INTO stale_hints
    SELECT a.checklist_key FROM photo_hints h JOIN assets a ON a.id = h.asset_id WHERE h.other_asset_id = NEW.id
    UNION SELECT OLD.checklist_key FROM photo_measures WHERE asset_id = NEW.id;
  DELETE FROM photo_hints WHERE asset_id = NEW.id;
  DELETE FROM photo_hints WHERE other_asset_id = NEW.id;
  DELETE FROM photo_measures WHERE asset_id = NEW.id;
  DELETE FROM photo_texts WHERE asset_id = NEW.id;
  DELETE FROM report_pages WHERE asset_id = NEW.id;
  DELETE FROM analysis_jobs WHERE asset_id = NEW.id;
END;
INSERT INTO analysis_queue SELECT id FROM assets WHERE sha256 IS NOT NULL AND kind <> 'thumbnail';
`

/** Jobs that failed for a reason that may pass, such as a file that was missing, are due again after a while. */
export const analysisRetries = `
ALTER TABLE analysis_jobs ADD COLUMN retry_at INTEGER;  -- of a failed job, milliseconds since 1970 UTC; null: never
CREATE INDEX analysis_jobs_retried ON analysis_jobs (retry_at) WHERE retry_at IS NOT NULL;
UPDATE analysis_jobs SET retry_at = 0, tries = 0 WHERE state = 'failed' AND reason NOT IN ('encrypted', 'too-large');
`
