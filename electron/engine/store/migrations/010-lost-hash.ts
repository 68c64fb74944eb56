/**
 * The hash of an archived file that is missing now: SHA256SUMS still lists it, and a file restored from a backup is
 * recognized by it. `NULL` for existing files, and for those lost before hashes were kept.
 */
export const lostHash = `
ALTER TABLE assets ADD COLUMN lost_sha256 TEXT;
`
