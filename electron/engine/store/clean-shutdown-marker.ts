import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'

/**
 * The marker: a file beside the database with the size and time of the cleanly closed database file. Only a clean close
 * writes it and the next opening removes it, so after a kill, a power cut, another program's write, or a truncated or
 * replaced file there is no matching marker. Losing the marker costs only a check: it need not be durable.
 */
const ending = '.closed'

/**
 * Writes the marker. Call it after the database was closed cleanly and without damage. Never throws: a full disk has no
 * room for it.
 */
export function writeCleanShutdownMarker(databaseFile: string): void {
  try {
    const marker = markerOf(databaseFile)
    if (marker !== undefined) writeFileSync(databaseFile + ending, marker, { mode: 0o600 })
  } catch {
    // The next opening checks the database.
  }
}

/** Returns whether the file is unchanged since a clean close. Must be called before the database is opened. */
export function isCleanShutdown(databaseFile: string): boolean {
  return readCleanShutdownMarker(databaseFile) !== undefined
}

/**
 * Returns the marker's text, or `undefined` if the file was not closed cleanly or has changed since. While the text
 * stays the same, nobody writes to the database file: an owner removes the marker before its first write.
 */
export function readCleanShutdownMarker(databaseFile: string): string | undefined {
  try {
    const marker = readFileSync(databaseFile + ending, 'utf8')
    return marker === markerOf(databaseFile) ? marker : undefined
  } catch {
    return undefined
  }
}

/** Must be called when the database is opened, before anything is written to it. */
export function removeCleanShutdownMarker(databaseFile: string): void {
  rmSync(databaseFile + ending, { force: true })
}

/**
 * Returns the marker's text, or `undefined` without a database file or with a write-ahead log that is not empty. An
 * empty one is left by a process that was reading when the owner ended.
 */
function markerOf(databaseFile: string): string | undefined {
  const found = statSync(databaseFile, { bigint: true, throwIfNoEntry: false })
  const log = statSync(`${databaseFile}-wal`, { throwIfNoEntry: false })
  if (found === undefined || (log !== undefined && log.size > 0)) return undefined
  return `${JSON.stringify({ sizeBytes: String(found.size), modifiedNs: String(found.mtimeNs) })}\n`
}
