import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pMap from 'p-map'
import { AppError } from '../../../../shared/errors.ts'
import { errnoCode, pathExists } from './disk-error.ts'
import { temporaryPath } from './side-files.ts'

/**
 * Writes and renames that survive a power failure. Paths in the archive come from `atPath`. Functions
 * reject with the errors of Node's file functions (see `toDiskError`) unless their comment says otherwise.
 */

/** Codes of Windows for opening or syncing a folder, which it does not support; its renames are durable anyway. */
const windowsFolderCodes = new Set(['EISDIR', 'EPERM', 'EACCES'])

/** Codes of file systems that cannot sync folders at all (FUSE, SMB). */
const unsupportedCodes = new Set(['EINVAL', 'ENOTSUP', 'ENOSYS'])

/**
 * Codes of file systems that keep no times, or none before 1980 (FAT under Windows), or let only the owner set them, who
 * may be another user on a share.
 */
const timeRefusedCodes = new Set(['EPERM', 'EACCES', 'ENOTSUP', 'ENOSYS', 'EINVAL'])

/**
 * Folders synced at the same time. A journal writes pending changes together: of 200 folders on ext4 one took 0.25 ms
 * alone, 0.10 ms with 4 at a time and 0.05 ms with 16; four is also what Node's thread pool runs at once.
 */
const foldersAtATime = 4

/** Makes the entries of a folder durable: files that were created in it, renamed into it or deleted from it. */
export async function fsyncFolder(path: string): Promise<void> {
  try {
    await fsync(path)
  } catch (error) {
    if (!isFolderSyncRefused(errnoCode(error), process.platform)) throw error
  }
}

/** Returns whether an error of syncing a folder only means that the system does not support it. */
export function isFolderSyncRefused(errno: string | undefined, platform: NodeJS.Platform): boolean {
  if (errno === undefined) return false
  return unsupportedCodes.has(errno) || (platform === 'win32' && windowsFolderCodes.has(errno))
}

/**
 * Makes the entries of several folders durable, each once. Tries all of them before it rejects with the first error.
 */
export async function syncFolders(
  folders: Iterable<string>,
  sync: (folder: string) => Promise<void> = fsyncFolder,
): Promise<void> {
  const errors: unknown[] = []
  await pMap(
    new Set(folders),
    async (folder) => {
      await sync(folder).catch((error: unknown) => errors.push(error))
    },
    { concurrency: foldersAtATime },
  )
  if (errors.length > 0) throw errors[0]
}

/** The content of a file, or its parts in order, each read once the one before is written. */
export type NewContent = string | Uint8Array | Iterable<string | Uint8Array>

/**
 * Replaces or creates a file atomically: after a crash, either the old or the new one exists. Its folder must exist.
 * Only one write per path and mark may run at a time: they share a temporary name, so that a crash leaves one at most.
 */
export async function writeFileDurably(
  path: string,
  data: NewContent,
  options: { readonly mode?: number; readonly mark?: string } = {},
): Promise<void> {
  const partPath = temporaryPath(path, options.mark)
  try {
    await rm(partPath, { force: true })
    // Exclusive: never follows a link with the temporary name.
    const file = await open(partPath, 'wx', options.mode)
    try {
      const parts = typeof data === 'string' || data instanceof Uint8Array ? [data] : data
      for (const part of parts) await file.writeFile(part)
      await file.sync()
    } finally {
      await file.close()
    }
    await publishFile(partPath, path)
  } catch (error) {
    await rm(partPath, { force: true }).catch(() => undefined)
    throw error
  }
  await fsyncFolder(dirname(path))
}

/**
 * Renames a finished file to its final name, replacing any existing file. The file must have been synced; the rename is
 * durable once the folder is synced.
 */
export async function publishFile(partPath: string, finalPath: string): Promise<void> {
  await retryWhileLocked(() => rename(partPath, finalPath))
}

/**
 * Like `publishFile`, but never replaces anything. Returns whether the name was free. If two processes want one name,
 * also on different machines, the file system decides.
 */
export async function publishNewFile(partPath: string, finalPath: string): Promise<boolean> {
  try {
    await link(partPath, finalPath)
  } catch (error) {
    if (errnoCode(error) === 'EEXIST') return false
    // File systems without hard links (FAT, many shares) fail with various codes; any other problem shows again below.
    return reserveAndRename(partPath, finalPath)
  }
  // The file is published: a temporary name that remains is deleted at the next start.
  await retryWhileLocked(() => rm(partPath)).catch(() => undefined)
  return true
}

async function reserveAndRename(partPath: string, finalPath: string): Promise<boolean> {
  try {
    await (await open(finalPath, 'wx')).close()
  } catch (error) {
    if (errnoCode(error) === 'EEXIST') return false
    throw error
  }
  try {
    await publishFile(partPath, finalPath)
    return true
  } catch (error) {
    await rm(finalPath, { force: true }).catch(() => undefined)
    throw error
  }
}

/** Moves a file or folder, and syncs both folders. Throws `disk-error` if the new path exists. */
export async function moveDurably(from: string, to: string): Promise<void> {
  if (await pathExists(to)) {
    const message = 'Solarchive did not move a file because another one exists at its new path. Both are unchanged.'
    throw new AppError('disk-error', message)
  }
  await retryWhileLocked(() => rename(from, to))
  await syncFolders([dirname(to), dirname(from)])
}

/**
 * Gives a copy the modification time of its original, in milliseconds since 1970, unless the file system refuses: the
 * time is for people, and the bytes are complete without it.
 */
export async function setModifiedTime(file: FileHandle, modifiedMs: number): Promise<void> {
  try {
    await file.utimes(modifiedMs / 1000, modifiedMs / 1000)
  } catch (error) {
    if (!timeRefusedCodes.has(errnoCode(error) ?? '')) throw error
  }
}

/**
 * Writes all chunks at `position`, by default where the file is. Resolves to their number of bytes. A disk that takes a
 * part is given the rest, and then says why it takes no more: it is full, or takes no file of this size.
 */
export async function writeAll(file: FileHandle, chunks: readonly Buffer[], position?: number): Promise<number> {
  let written = 0
  for (let left = after(chunks, 0); left.length > 0;) {
    const { bytesWritten } = await file.writev(left, position === undefined ? undefined : position + written)
    if (bytesWritten === 0) throw Object.assign(new Error('The disk takes no byte'), { code: 'ENOSPC' })
    written += bytesWritten
    left = after(left, bytesWritten)
  }
  return written
}

/** Returns what is left after the first bytes. */
function after(chunks: readonly Buffer[], bytes: number): Buffer[] {
  let skipped = bytes
  return chunks.flatMap((chunk) => {
    const left = chunk.subarray(skipped)
    skipped = Math.max(0, skipped - chunk.length)
    return left.length === 0 ? [] : [left]
  })
}

async function fsync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Windows refuses to rename or delete a file that a virus scanner, an indexer, or a preview holds open, mostly for some
 * milliseconds. Together 1.3 s: a file held longer is open in a user's program and is left to a later attempt.
 */
const delaysMs = [10, 40, 100, 250, 400, 500]

/** Codes of Windows for a file that another program holds open. */
export const lockedCodes: ReadonlySet<string> = new Set(['EPERM', 'EACCES', 'EBUSY'])

/**
 * Runs an operation, and on Windows retries it while another program holds the file. Elsewhere these codes are final.
 */
export async function retryWhileLocked<Value>(
  operation: () => Promise<Value>,
  platform: NodeJS.Platform = process.platform,
): Promise<Value> {
  for (const delayMs of platform === 'win32' ? delaysMs : []) {
    try {
      return await operation()
    } catch (error) {
      if (!lockedCodes.has(errnoCode(error) ?? '')) throw error
    }
    await sleep(delayMs)
  }
  return await operation()
}

/** Like `retryWhileLocked`, for files without which nothing else can continue: blocks the process meanwhile. */
export function retryWhileLockedSync(operation: () => void, platform: NodeJS.Platform = process.platform): void {
  for (const delayMs of platform === 'win32' ? delaysMs : []) {
    try {
      operation()
      return
    } catch (error) {
      if (!lockedCodes.has(errnoCode(error) ?? '')) throw error
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayMs)
  }
  operation()
}
