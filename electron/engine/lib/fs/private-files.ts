import { chmodSync, closeSync, lstatSync, openSync } from 'node:fs'
import { writeFileDurably } from './durable-files.ts'

/** Whatever the group and others may do with a file. */
const othersRights = 0o077

/** What is left of a mode besides. */
const keptRights = 0o7700

/**
 * Takes away what other users of the machine may do with a file of ours; its owner's rights stay. A link is not followed:
 * what it leads to may be anybody's. A folder keeps its rights: others may have something in it. Never throws: where there
 * are no rights (Windows, FAT) none can be taken, and what another user owns is that user's to close.
 */
export function restrictToOwnerSync(path: string): void {
  if (process.platform === 'win32') return
  try {
    const found = lstatSync(path)
    if (found.isFile() && (found.mode & othersRights) !== 0) chmodSync(path, found.mode & keptRights)
  } catch {
    // Nothing is there, or it is not ours.
  }
}

/**
 * Has a file be its owner's alone before somebody writes to it who would make it with the rights of the umask, as SQLite
 * does: what SQLite puts beside a database gets the rights of that. Never throws: the writer tells what is wrong.
 */
export function createPrivateFileSync(path: string): void {
  if (process.platform === 'win32') return
  try {
    // Never a file that is there: closing it would drop the locks that this process has on it.
    closeSync(openSync(path, 'wx', 0o600))
  } catch {
    restrictToOwnerSync(path)
  }
}

/** `writeFileDurably` for what nobody but its owner may read: settings, tokens, and where an archive is. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await writeFileDurably(path, text, { mode: 0o600 })
}
