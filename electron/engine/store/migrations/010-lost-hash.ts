/**
 * The hash of a file that was archived and is not on the disk any more: SHA256SUMS goes on naming it, and what somebody puts back
 * from a backup is recognised by it. Null beside a hash of the file itself, and of files that were lost before it was kept.
 */
export const lostHash = `
ALTER TABLE assets ADD COLUMN lost_sha256 TEXT;
`
