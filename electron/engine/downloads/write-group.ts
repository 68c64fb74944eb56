import { hash } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, rmSync, unlinkSync, writeSync } from 'node:fs'
import { dirname } from 'node:path/posix'
import { atPathSync, inFolderSync } from '../archive/inside-archive.ts'
import { errnoCode } from '../lib/fs/disk-error.ts'

/** Small files that are written together. Plain data, because it is sent to another thread. */
export interface WriteGroup {
  /** The archive root. */
  readonly root: string
  /** The bytes of all files, one after the other. There may be more. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly files: readonly FileToWrite[]
}

export interface FileToWrite {
  /** Relative to the root, as is `path`. Its folder exists. */
  readonly partPath: string
  /** Name that the file gets unless something has it; `null` leaves it under its `.part` name. Its folder exists. */
  readonly path: string | null
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
 * Writes all files, syncs all, gives them their names, and syncs their folders: the first sync makes the disk write
 * what the others wait for. Reports no reason of a failure: the caller does what failed again, file by file, which
 * either succeeds or explains why not.
 */
export function writeGroup({ root, files, bytes }: WriteGroup): WrittenGroup {
  const written = writeParts(root, files, bytes)
  const touched = new Set<string>()
  const results = files.map(({ partPath, path }, index) => {
    const sha256 = written[index] ?? null
    const isPublished = sha256 !== null && path !== null && publishPart(root, partPath, path)
    if (isPublished) touched.add(dirname(path))
    return { sha256, isPublished }
  })
  const unsynced = [...touched].filter((folder) => attempt(() => inFolderSync(root, folder, fsyncAt)) === undefined)
  return { files: results, unsynced }
}

/** Returns the hashes of the files that are on the disk. */
function writeParts(root: string, files: readonly FileToWrite[], bytes: Uint8Array): (string | undefined)[] {
  let end = 0
  const opened = files.map(({ partPath, sizeBytes }) => {
    const content = bytes.subarray(end, (end += sizeBytes))
    return attempt(() => {
      const descriptor = atPathSync(root, partPath, createPart)
      const isWritten = attempt(() => writeAll(descriptor, content))
      return { descriptor, sha256: isWritten && hash('sha256', content, 'hex') }
    })
  })
  return opened.map((file, index) => {
    if (file === undefined) return undefined
    const isSynced = file.sha256 !== undefined && attempt(() => synced(file.descriptor))
    attempt(() => closed(file.descriptor))
    if (isSynced === true) return file.sha256
    const partPath = files[index]?.partPath ?? ''
    attempt(() => atPathSync(root, partPath, (path) => rmSync(path, { force: true })))
    return undefined
  })
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

function synced(descriptor: number): true {
  fsyncSync(descriptor)
  return true
}

function closed(descriptor: number): true {
  closeSync(descriptor)
  return true
}

/** Returns false if the name is taken, or the file system has no hard links; see `publishNewFile`. */
function publishPart(root: string, partPath: string, path: string): boolean {
  const isLinked = attempt(() =>
    atPathSync(root, partPath, (part) =>
      atPathSync(root, path, (final) => {
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
    return synced(descriptor)
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
