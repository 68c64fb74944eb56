import type { Dirent } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoCode } from '../lib/fs/disk-error.ts'
import { resolveInside } from '../archive/inside-archive.ts'

/** Something found in the archive; `path` is relative to the archive root, with `/`. */
export type ScannedEntry =
  /** `other` is a socket, a pipe or a device. */
  | { readonly kind: 'file' | 'symlink' | 'other'; readonly path: string }
  /** A folder that could not be read, or not to its end; `errno` says why (`ENOENT`: it is not there). */
  | { readonly kind: 'unreadable'; readonly path: string; readonly errno: string }

/** Entries that are read from a folder at once: Node's default of 32 costs a trip to the thread pool every 32 files. */
const entriesAtOnce = 256

/**
 * Everything below a folder of the archive, folders left out, in no order. Links are told and not followed. Holds the
 * names of folders still to be read and one batch of entries, never the whole list. Throws the signal's reason, and
 * `disk-error` for a folder outside the archive.
 */
export async function* scanFolder(root: string, folder: string, signal?: AbortSignal): AsyncGenerator<ScannedEntry> {
  const top = resolveInside(root, folder)
  const found = await lstat(top).catch(() => undefined)
  if (found !== undefined && !found.isDirectory()) {
    yield { kind: kindOf(found), path: folder }
    return
  }
  // Names on the disk may be none that we would give, so they are joined as they are.
  const waiting = [{ path: folder, absolute: top }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, absolute } = next
    try {
      for await (const entry of await opendir(absolute, { bufferSize: entriesAtOnce })) {
        signal?.throwIfAborted()
        const entryPath = `${path}/${entry.name}`
        if (entry.isDirectory()) waiting.push({ path: entryPath, absolute: join(absolute, entry.name) })
        else yield { kind: kindOf(entry), path: entryPath }
      }
    } catch (error) {
      const errno = errnoCode(error)
      if (errno === undefined) throw error
      yield { kind: 'unreadable', path, errno }
    }
  }
}

function kindOf(entry: Pick<Dirent, 'isFile' | 'isSymbolicLink'>): 'file' | 'symlink' | 'other' {
  if (entry.isFile()) return 'file'
  return entry.isSymbolicLink() ? 'symlink' : 'other'
}
