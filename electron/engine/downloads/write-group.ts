import { hash } from 'node:crypto'
import { closeSync, fsync, fsyncSync, linkSync, openSync, rmSync, unlinkSync, writeSync } from 'node:fs'
import { dirname } from 'node:path/posix'
import { atPathSync, inFolderSync, shareFolders, type SharedFolders } from '../archive/inside-archive.ts'
import { errnoCode } from '../lib/fs/disk-error.ts'

/** Small files that are written together. Plain data, because it is sent to another thread. */
export interface WriteGroup {
  /** The archive root. */
  readonly root: string
  /** The bytes of all files, and of others. */
  readonly bytes: Uint8Array<SharedArrayBuffer>
  readonly files: readonly FileToWrite[]
}

export interface FileToWrite {
  /** Relative to the root, as is `path`. Its folder exists. */
  readonly partPath: string
  /** Name that the file gets unless something has it; `null` leaves it under its `.part` name. Its folder exists. */
  readonly path: string | null
  /** Offset of its bytes in the memory of the group. */
  readonly start: number
  readonly sizeBytes: number
}

export interface WrittenFile {
  /** Hex; `null` if the file could not be written, and is not there. */
  readonly sha256: string | null
  /** True if the file has its name, which is durable once its folder is synced. */
  readonly isPublished: boolean
}

export interface WrittenGroup {
  /** In the order of the group's files. */
  readonly files: readonly WrittenFile[]
  /** Folders of published files that could not be synced. */
  readonly unsynced: readonly string[]
}

/**
 * Threads for asynchronous calls that the process has for all its work (Node's documentation, "UV_THREADPOOL_SIZE").
 */
const poolSize = Number(process.env['UV_THREADPOOL_SIZE']) || 4

/**
 * Syncs at a time: the disk then writes several files at once, and flushes once for them. The other threads remain for
 * names to look up and for large files.
 */
const syncsAtOnce = Math.max(2, poolSize - 4)

/**
 * Writes all files, syncs all, publishes them under their names, and syncs their folders: the first sync makes the disk
 * write what the others wait for. Reports no reason of a failure: the caller does what failed again, file by file,
 * which either succeeds or explains why not. Never rejects.
 */
export async function writeGroup({ root, files, bytes }: WriteGroup): Promise<WrittenGroup> {
  const hashes = await writeParts(root, files, bytes)
  const published = inSharedFolders(root, (folders) =>
    files.map(
      ({ partPath, path }, index) => hashes[index] != null && path !== null && publishPart(folders, partPath, path),
    ),
  )
  const touched = new Set(
    files.flatMap(({ path }, index) => (path !== null && published[index] === true ? dirname(path) : [])),
  )
  const unsynced = [...touched].filter((folder) => attempt(() => inFolderSync(root, folder, fsyncAt)) === undefined)
  return {
    files: hashes.map((sha256, index) => ({ sha256, isPublished: published[index] === true })),
    unsynced,
  }
}

/** Returns the hash of each file that is on the disk, and `null` for the others. */
async function writeParts(root: string, files: readonly FileToWrite[], bytes: Uint8Array): Promise<(string | null)[]> {
  const written = inSharedFolders(root, (folders) =>
    files.map(({ partPath, start, sizeBytes }) => {
      const content = bytes.subarray(start, start + sizeBytes)
      return attempt(() => {
        const descriptor = folders.at(partPath, createPart)
        const isWritten = attempt(() => writeAll(descriptor, content))
        return { descriptor, sha256: isWritten === true ? hash('sha256', content, 'hex') : null }
      })
    }),
  )
  const hashes: (string | null)[] = files.map(() => null)
  let next = 0
  async function syncNext(): Promise<void> {
    while (next < written.length) {
      const index = next++
      const file = written[index]
      if (file === undefined) continue
      const isSynced = file.sha256 !== null && (await synced(file.descriptor))
      attempt(() => closed(file.descriptor))
      if (isSynced) hashes[index] = file.sha256
      else attempt(() => atPathSync(root, files[index]?.partPath ?? '', (path) => rmSync(path, { force: true })))
    }
  }
  await Promise.all(Array.from({ length: syncsAtOnce }, syncNext))
  return hashes
}

function inSharedFolders<T>(root: string, work: (folders: SharedFolders) => T): T {
  const folders = shareFolders(root)
  try {
    return work(folders)
  } finally {
    folders.leave()
  }
}

/** Creates the file exclusively, so never through a link; replaces what an earlier process left. */
function createPart(path: string): number {
  try {
    return openSync(path, 'wx')
  } catch (error) {
    if (errnoCode(error) !== 'EEXIST') throw error
    unlinkSync(path)
    return openSync(path, 'wx')
  }
}

function writeAll(descriptor: number, content: Uint8Array): true {
  for (let offset = 0; offset < content.length;) offset += writeSync(descriptor, content, offset)
  return true
}

function synced(descriptor: number): Promise<boolean> {
  return new Promise<boolean>((resolve) => fsync(descriptor, (error) => resolve(error === null))).catch(() => false)
}

function closed(descriptor: number): true {
  closeSync(descriptor)
  return true
}

/** Returns false if the name is taken, or the file system has no hard links; see `publishNewFile`. */
function publishPart(folders: SharedFolders, partPath: string, path: string): boolean {
  const isLinked = attempt(() =>
    folders.at(partPath, (part) =>
      folders.at(path, (final) => {
        linkSync(part, final)
        // A temporary name that remains is deleted at the next start.
        attempt(() => unlinkSync(part))
        return true
      }),
    ),
  )
  return isLinked === true
}

function fsyncAt(folder: string): true {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
    return true
  } finally {
    closeSync(descriptor)
  }
}

function attempt<T>(operation: () => T): T | undefined {
  try {
    return operation()
  } catch {
    return undefined
  }
}
