/** Rows of a list of orders that became no order of it, so that its result tells of every row. Texts and problems are cut to size. */
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
