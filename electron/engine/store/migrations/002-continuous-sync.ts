/** State of a continuous sync: times of polls per project and of verifications per file. */
export const continuousSync = `
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
