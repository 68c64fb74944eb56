/** What a service that does not tell a question's photos has to say twice: that there are none. */
export const saidEmpty = `
ALTER TABLE questions ADD COLUMN said_empty_at TEXT;    -- no photo was listed for it, for the first time while completed
`
