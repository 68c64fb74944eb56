/**
 * Rows of a list that did not become an order, so that the list's result reports every row. Texts and problems are
 * truncated.
 */
export const batchRows = `
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
