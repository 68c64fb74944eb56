import { hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readNoFollow } from '../lib/fs/hash-file.ts'
import type { ManifestFile } from './check-file.ts'
import { shareFolders } from './inside-archive.ts'

/** Largest file that is read quickly. */
export const maxQuickBytes = 1024 * 1024

/** Bytes that are kept of what was read quickly: a new buffer for each file would leave all of them as garbage. */
const quickBytes = 4 * maxQuickBytes

/** Files after which the folders of the archive are entered again: each may hold a descriptor until then. */
const filesPerEntry = 200

export interface QuickReader {
  /**
   * Returns the bytes of a file, or undefined unless exactly the recorded content is at its path, which says nothing
   * about the reason. The bytes are overwritten once 2 MiB more were returned.
   */
  read(this: void, file: ManifestFile): Buffer | undefined
  /** Leaves the folders that were entered; the next file enters its folder again. */
  leave(this: void): void
}

/**
 * Returns a reader of small files that does not wait, for a process or a thread that does nothing else meanwhile: it
 * takes a fifth of the time. The caller leaves the folders at the end.
 */
export function createQuickReader(root: string): QuickReader {
  const memory = Buffer.allocUnsafeSlow(quickBytes)
  const folders = shareFolders(root)
  let [files, at] = [0, 0]
  return {
    read({ path, sizeBytes, sha256 }) {
      if (sizeBytes > maxQuickBytes) return undefined
      // One byte more shows whether the file ends there.
      if (at + sizeBytes + 1 > quickBytes) at = 0
      const room = memory.subarray(at, at + sizeBytes + 1)
      files += 1
      if (files % filesPerEntry === 0) folders.leave()
      try {
        if (!folders.at(path, (absolute) => readWhole(absolute, room))) return undefined
        const bytes = room.subarray(0, sizeBytes)
        if (hash('sha256', bytes) !== sha256) return undefined
        // Advance only for returned bytes, so that rejected files do not overwrite earlier ones sooner.
        at += sizeBytes
        return bytes
      } catch {
        return undefined
      }
    },
    leave: () => folders.leave(),
  }
}

/** Reads a file that has one byte less than the memory. Returns whether it is such a file. */
function readWhole(path: string, memory: Buffer): boolean {
  const descriptor = openSync(path, readNoFollow)
  try {
    return fstatSync(descriptor).isFile() && readSync(descriptor, memory, 0, memory.length, 0) === memory.length - 1
  } finally {
    closeSync(descriptor)
  }
}
