/**
 * The time of the first answer without photos: a service that does not list a question's photos must answer so twice.
 */
export const emptyAnswers = `
ALTER TABLE questions ADD COLUMN said_empty_at TEXT;    -- no photo was listed for it, for the first time while completed
`
