import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'

/**
 * A note beside the database that it was closed in order, and what its file was then. It is made by a clean close alone
 * and taken away by the next opening, so that a process which is killed, a power cut, another program's write and a file
 * that was cut, copied or put there leave none that fits. Losing the note only costs a check: it need not be durable.
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
    // Without it, the next opening checks.
  }
}

/** Whether the file is as a clean close left it. To be asked before it is opened. */
export function isCleanShutdown(databaseFile: string): boolean {
  try {
    return readFileSync(databaseFile + ending, 'utf8') === markerOf(databaseFile)
  } catch {
    return false
  }
}

/** To be called when the database is opened, before anything is written to it. */
export function removeCleanShutdownMarker(databaseFile: string): void {
  rmSync(databaseFile + ending, { force: true })
}

/** Undefined where no clean close can have been: no file, or a log of changes beside it. */
function markerOf(databaseFile: string): string | undefined {
  const found = statSync(databaseFile, { bigint: true, throwIfNoEntry: false })
  const log = statSync(`${databaseFile}-wal`, { throwIfNoEntry: false })
  if (found === undefined || log !== undefined) return undefined
  return `${JSON.stringify({ sizeBytes: String(found.size), modifiedNs: String(found.mtimeNs) })}\n`
}
