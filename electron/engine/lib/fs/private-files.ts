import { chmodSync, closeSync, lstatSync, openSync } from 'node:fs'
import { writeFileDurably } from './durable-files.ts'

/** Mode bits of the group and others. */
const othersRights = 0o077

/** All other mode bits. */
const keptRights = 0o7700

/**
 * Removes the rights of other users of the machine from a file; the owner's rights stay. Links are not followed, since
 * their target may belong to someone else, and folders keep their rights. Never throws: file systems without rights
 * (Windows, FAT) and files of other users are left unchanged.
 */
export function restrictToOwnerSync(path: string): void {
  if (process.platform === 'win32') return
  try {
    const found = lstatSync(path)
    if (found.isFile() && (found.mode & othersRights) !== 0) chmodSync(path, found.mode & keptRights)
  } catch {
    // The file does not exist or belongs to another user.
  }
}

/**
 * Creates a file that only its owner can access, before code like SQLite would create it with the rights of the umask.
 * SQLite's journal files inherit these rights. Never throws: the writer reports the error.
 */
export function createPrivateFileSync(path: string): void {
  if (process.platform === 'win32') return
  try {
    // Never opens an existing file: closing it would drop this process's locks on it.
    closeSync(openSync(path, 'wx', 0o600))
  } catch {
    restrictToOwnerSync(path)
  }
}

/** `writeFileDurably` for files that only their owner may read: settings, tokens, and archive locations. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await writeFileDurably(path, text, { mode: 0o600 })
}
