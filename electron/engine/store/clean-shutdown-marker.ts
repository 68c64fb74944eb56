import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'

/**
 * The marker: a file beside the database that identifies the cleanly closed database file. Only a clean close writes it
 * and the next opening removes it, so after a kill, a power cut, another program's write, or a truncated or replaced
 * file there is no matching marker. Losing the marker costs only a check: it need not be durable.
 */
const ending = '.closed'

interface Marker {
  readonly sizeBytes: string
  readonly modifiedNs: string
  /**
   * A program that restores a copy of the data folder, marker included, sets the time of the last change of the
   * content, and cannot set these two. Some disks give their files other numbers when they are mounted, and a change of
   * rights changes the time of the status, so that only both together show a copy for certain. Markers of earlier
   * versions lack them.
   */
  readonly inode?: string
  readonly statusChangedNs?: string
}

/**
 * Writes the marker. Call it after the database was closed cleanly and without damage. Never throws: a full disk has no
 * room for it.
 */
export function writeCleanShutdownMarker(databaseFile: string): void {
  try {
    const marker = markerOf(databaseFile)
    if (marker !== undefined) writeFileSync(databaseFile + ending, `${JSON.stringify(marker)}\n`, { mode: 0o600 })
  } catch {
    // The next opening checks the database.
  }
}

/**
 * How a database was left. `uncertain`: the file has the content of a clean close, and something else of it was changed
 * since. That may be a copy that was written over it, or only its rights.
 */
export type Shutdown = 'clean' | 'uncertain' | 'unclean'

/** Must be called before the database is opened. */
export function readShutdown(databaseFile: string): Shutdown {
  const marker = readMatching(databaseFile)
  if (marker === undefined) return 'unclean'
  return marker.hasSameStatus ? 'clean' : 'uncertain'
}

/**
 * Returns the marker's text, or `undefined` if the file was not closed cleanly, has changed since, or may be a copy.
 * While the text stays the same, nobody writes to the database file: an owner removes the marker before its first
 * write.
 */
export function readCleanShutdownMarker(databaseFile: string): string | undefined {
  const marker = readMatching(databaseFile)
  return marker?.hasSameStatus === true ? marker.text : undefined
}

/** Returns the marker if it is that of the present file, and not of one that this is a copy of. */
function readMatching(databaseFile: string): { readonly text: string; readonly hasSameStatus: boolean } | undefined {
  try {
    const text = readFileSync(databaseFile + ending, 'utf8')
    const { sizeBytes, modifiedNs, inode, statusChangedNs } = JSON.parse(text) as Marker
    const now = markerOf(databaseFile)
    if (now?.sizeBytes !== sizeBytes || now.modifiedNs !== modifiedNs) return undefined
    const hasSameStatus = statusChangedNs === undefined || statusChangedNs === now.statusChangedNs
    const hasSameNumber = inode === undefined || inode === now.inode
    return hasSameStatus || hasSameNumber ? { text, hasSameStatus } : undefined
  } catch {
    return undefined
  }
}

/** Must be called when the database is opened, before anything is written to it. */
export function removeCleanShutdownMarker(databaseFile: string): void {
  rmSync(databaseFile + ending, { force: true })
}

/**
 * Returns the marker for the present file, or `undefined` without a database file or with a write-ahead log that is not
 * empty. An empty one is left by a process that was reading when the owner ended.
 */
function markerOf(databaseFile: string): Marker | undefined {
  const found = statSync(databaseFile, { bigint: true, throwIfNoEntry: false })
  const log = statSync(`${databaseFile}-wal`, { throwIfNoEntry: false })
  if (found === undefined || (log !== undefined && log.size > 0)) return undefined
  return {
    sizeBytes: String(found.size),
    modifiedNs: String(found.mtimeNs),
    inode: String(found.ino),
    statusChangedNs: String(found.ctimeNs),
  }
}
