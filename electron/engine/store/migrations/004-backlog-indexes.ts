/**
 * Indexes that answer frequent queries on their own, however many files fail: the rows of assets are long because they
 * contain the service's media records.
 */
export const backlogIndexes = `
CREATE INDEX assets_for_ledger
  ON assets (checklist_key, question_key, kind, present, confirmed_fingerprint, sha256);
DROP INDEX assets_by_checklist;

CREATE INDEX jobs_by_project_and_try ON jobs (project_id, state, next_try_at);
`
