import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pMap from 'p-map'
import { AppError } from '../../../shared/errors.ts'
import { caseKey } from '../archive/safe-name.ts'
import { errnoCode } from '../lib/fs/disk-error.ts'
import { setModifiedTime, syncFolders, writeAll } from '../lib/fs/durable-files.ts'
import { hashFile } from '../lib/fs/hash-file.ts'
import { chunksOf, type PlannedAsset } from './open-planned.ts'
import { ZipWriter } from './zip-writer.ts'

/** A file that is larger than what is kept in memory. Its bytes may be overwritten once the next ones are asked for. */
export interface LargeFile {
  readonly sizeBytes: number
  readonly sha256: string
  readonly crc: number
  readonly chunks: () => AsyncIterable<Buffer>
}

/** A text that an export adds. */
export interface AddedText {
  readonly path: string
  readonly text: () => Iterable<string | Buffer>
}

/** Takes the files of an export. Paths are relative, with `/`, and each is added once. */
export interface ExportTarget {
  addBytes(path: string, bytes: Buffer, modifiedAt: Date): Promise<void>
  addLarge(path: string, file: LargeFile, modifiedAt: Date): Promise<void>
  addText(path: string, text: Iterable<string | Buffer>, modifiedAt: Date): Promise<void>
  /** Returns whether an interrupted export already wrote this content here. */
  keeps(path: string, content: { readonly sizeBytes: number; readonly sha256: string }): Promise<boolean>
  /** Makes everything durable. */
  finish(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Only a new file: what is there may be a link that somebody put there, or another name of somebody's file. */
const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/** Files that are flushed at a time, as many as Node's thread pool does at once. */
const flushedAtOnce = 4

/** A folder that takes the files of an export. */
export interface FolderTarget extends ExportTarget {
  /** Adds a folder, which may stay empty. */
  addFolder(path: string): Promise<void>
}

/** Writes files into a folder. With `isResumed`, it may hold files of an interrupted export, and others. */
export function folderTarget(root: string, { isResumed }: { readonly isResumed: boolean }): FolderTarget {
  const folders = new Set<string>([root])
  const files = new Set<string>()

  async function makeFolder(folder: string): Promise<void> {
    if (folders.has(folder)) return
    await makeFolder(dirname(folder))
    await mkdir(folder).catch(async (error: unknown) => {
      if (!isResumed || errnoCode(error) !== 'EEXIST') throw error
      if ((await lstat(folder)).isDirectory()) return
      await rm(folder)
      await mkdir(folder)
    })
    folders.add(folder)
  }

  /** Removes what an interrupted export left in the place of a file: nothing is written into a file that exists. */
  async function create(path: string): Promise<FileHandle> {
    return open(path, newFile).catch(async (error: unknown) => {
      if (!isResumed || errnoCode(error) !== 'EEXIST') throw error
      await rm(path, { recursive: true })
      return open(path, newFile)
    })
  }

  async function write(path: string, modifiedAt: Date, fill: (file: FileHandle) => Promise<void>): Promise<void> {
    const absolute = join(root, path)
    await makeFolder(dirname(absolute))
    const file = await create(absolute)
    try {
      await fill(file)
      await setModifiedTime(file, modifiedAt.getTime())
    } finally {
      await file.close()
    }
    files.add(absolute)
  }

  /** Removes what an interrupted export with another selection left. */
  async function removeOthers(): Promise<void> {
    const ownIn = Map.groupBy([...folders, ...files], (path) => dirname(path))
    for (const folder of folders) {
      const found = new Set((await readdir(folder)).map((name) => join(folder, name)))
      const own = ownIn.get(folder) ?? []
      // Some disks return names in another case or Unicode form than the one that they were created with.
      const returnedOtherwise = new Set(own.filter((path) => !found.has(path)).map(caseKey))
      for (const path of found) {
        if (files.has(path) || folders.has(path) || returnedOtherwise.has(caseKey(path))) continue
        await rm(path, { recursive: true })
      }
    }
  }

  return {
    addFolder: (path) => makeFolder(join(root, path)),
    addBytes: (path, bytes, modifiedAt) => write(path, modifiedAt, (file) => file.writeFile(bytes)),
    addLarge: (path, { chunks }, modifiedAt) => write(path, modifiedAt, (file) => file.writeFile(chunks())),
    addText: (path, text, modifiedAt) => write(path, modifiedAt, (file) => file.writeFile(text)),
    async keeps(path, { sizeBytes, sha256 }) {
      if (!isResumed) return false
      const absolute = join(root, path)
      const found = await hashFile(absolute).catch(() => undefined)
      if (found?.sha256 !== sha256 || found.sizeBytes !== sizeBytes) return false
      await makeFolder(dirname(absolute))
      files.add(absolute)
      return true
    },
    async finish(signal) {
      if (isResumed) await removeOthers()
      // Together and at the end: the disk has written most of it by then.
      await pMap(files, (path) => flush(path), { concurrency: flushedAtOnce, signal })
      await syncFolders(folders)
    },
    close: () => Promise.resolve(),
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0))
  try {
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** Size from which FAT takes no file. Linux and macOS say so (EFBIG); Windows says that the disk is full. */
const fatLimit = 2 ** 32

/** Writes a zip. */
export async function zipTarget(path: string): Promise<ExportTarget> {
  const file = await open(path, newFile)
  let written = 0
  const zip = new ZipWriter(async (chunks) => {
    const end = written + chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    await writeAll(file, chunks).catch((error: unknown) => {
      const isTooLarge = errnoCode(error) === 'ENOSPC' && written < fatLimit && end >= fatLimit
      throw isTooLarge ? Object.assign(new Error('Too large for FAT', { cause: error }), { code: 'EFBIG' }) : error
    })
    written = end
  })
  return {
    addBytes: (name, bytes, modifiedAt) => zip.addBytes(name, bytes, modifiedAt),
    addLarge: (name, { sizeBytes, crc, chunks }, modifiedAt) =>
      zip.addStored({ path: name, sizeBytes, crc, modifiedAt }, chunks()),
    addText: (name, text, modifiedAt) => zip.addText(name, text, modifiedAt),
    keeps: () => Promise.resolve(false),
    async finish() {
      await zip.end()
      await file.sync()
      await requireStillAt(path, file)
    },
    close: () => file.close(),
  }
}

/**
 * Throws `disk-error` unless the file or folder at the path is the one that was opened. Compares nothing on Windows: a
 * path and an open file do not always report the same numbers there.
 */
export async function requireStillAt(path: string, opened: FileHandle): Promise<void> {
  if (process.platform === 'win32') return
  const [there, own] = [await lstat(path, { bigint: true }).catch(() => undefined), await opened.stat({ bigint: true })]
  if (there?.ino === own.ino && there.dev === own.dev) return
  throw new AppError(
    'disk-error',
    `Another program moved or replaced ${path} while Solarchive was writing it. It was not completed, and the ` +
      'archive is unchanged. Try again.',
  )
}

export interface OpenedFile {
  readonly asset: PlannedAsset
  readonly modifiedAt: Date
}

/**
 * Adds an open file, which is read chunk by chunk. Throws `disk-error` if its content is not the recorded one: what was
 * added is then no part of the export or packet, which cannot be completed.
 */
export async function addOpened(
  target: ExportTarget,
  path: string,
  { asset, modifiedAt }: OpenedFile,
  { what, signal }: { readonly what: 'export' | 'packet'; readonly signal: AbortSignal },
): Promise<void> {
  const content = createHash('sha256')
  const chunks = async function* () {
    for await (const chunk of chunksOf(asset, signal)) {
      content.update(chunk)
      yield chunk
    }
  }
  const { sizeBytes, sha256, crc } = asset
  await target.addLarge(path, { sizeBytes, sha256, crc, chunks }, modifiedAt)
  if (content.digest('hex') === sha256) return
  throw new AppError(
    'disk-error',
    `${asset.fileName} changed in the archive folder while it was copied. The ${what} was not completed. ` +
      'Close programs that have it open, and try again.',
  )
}

/** Lines of `sha256sum`; names in an export have no character that it would escape. */
export function* sumLines(sums: readonly { readonly path: string; readonly sha256: string }[]): Generator<string> {
  for (const { path, sha256 } of sums) yield `${sha256}  ${path}\n`
}

/** Passes the chunks of a text on and hashes them. */
export function hashedText(text: Iterable<string | Buffer>): {
  readonly text: Iterable<string | Buffer>
  readonly end: () => { readonly sha256: string; readonly sizeBytes: number }
} {
  const hash = createHash('sha256')
  let sizeBytes = 0
  function* pass() {
    for (const chunk of text) {
      hash.update(chunk)
      sizeBytes += Buffer.byteLength(chunk)
      yield chunk
    }
  }
  return { text: pass(), end: () => ({ sha256: hash.digest('hex'), sizeBytes }) }
}
