import { createHash, hash, type Hash } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, rm, type FileHandle } from 'node:fs/promises'
import { type ArchivePath, atPath } from '../archive/inside-archive.ts'
import { errnoCode, toDiskError } from '../lib/fs/disk-error.ts'
import { retryWhileLocked, writeAll } from '../lib/fs/durable-files.ts'
import type { AssetToDownload } from '../store/assets-store.ts'

/** Chunks are gathered to this size before they are written: a small file takes one write, a large one few. */
const writeBytes = 1024 * 1024
/** The parts of a file's start and end that the checks of its kind read. */
const headBytes = 4096
const tailBytes = 64 * 1024

/** Maximum size of a file that stays in memory until it is written with others; see `FileContent`. */
const smallBytes = 256 * 1024

/**
 * Bytes of a complete download. A large file is on the disk under its `.part` name; a small one is in memory, because
 * many small files that are written together share their flushes to the disk.
 */
export type FileContent =
  | { readonly in: 'part'; readonly sha256: string }
  /** Whoever takes the chunks leaves the array empty. */
  | { readonly in: 'memory'; readonly chunks: Buffer[] }

/** A complete download that is about to get its final name. */
export interface ReceivedFile {
  readonly asset: AssetToDownload
  readonly projectId: string
  /** Relative to the archive root. */
  readonly partPath: string
  /** As in `Link`. */
  readonly urlIdentity: string | null
  /** Returns whether the service has listed no other file since it sent the link. */
  readonly isCurrent: () => boolean
  readonly content: FileContent
  /** As in `DownloadOutcome`. */
  readonly extension: string
  readonly sizeBytes: number
  readonly etag: string | null
  readonly lastModified: string | null
}

/** A received file that is on the disk under its `.part` name. */
export type FinishedPart = Omit<ReceivedFile, 'content' | 'extension'> & { readonly sha256: string }

/**
 * Returns the path of an asset's unfinished download: in its project's folder, so on the same file system. An asset's
 * id is that of one database: with the id of the installation, two that share an archive never write the same part.
 */
export function partPath(projectFolder: string, assetId: number, installation: string): string {
  return `${projectFolder}/${assetId}-${installation}.part`
}

/** Returns the project's folder in an asset's path. */
export function projectFolderOf(path: string): string {
  return path.slice(0, path.indexOf('/'))
}

/** Returns the asset's id if a name in a project's folder is one that `partPath` makes for the installation. */
export function assetIdOfPart(name: string, installation: string): number | undefined {
  const [, digits, owner] = /^(\d{1,15})-([0-9a-f]{12})\.part$/.exec(name) ?? []
  return owner === installation ? Number(digits) : undefined
}

/**
 * A growing `.part` file that is hashed while it is written and keeps its first and last bytes in memory. It is created
 * once it is not small any more; `finish`, `keep`, or `drop` closes it.
 */
export class PartFile {
  readonly #at: ArchivePath
  #handle: FileHandle | undefined
  #hash: Hash | undefined
  #pending: Buffer[] = []
  #pendingBytes = 0
  #writtenBytes = 0
  #head: Buffer = nothing
  /** The last chunks, joined on demand. */
  #tail: Buffer[] = []
  #tailBytes = 0
  #sizeBytes = 0

  constructor(at: ArchivePath) {
    this.#at = at
  }

  /** Bytes received so far, resumed ones included. */
  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** The first bytes, up to 4 KiB. */
  get head(): Buffer {
    return this.#head
  }

  /** The last bytes: at least 64 KiB, or all. */
  get tail(): Buffer {
    return Buffer.concat(this.#tail)
  }

  get headIsFull(): boolean {
    return this.#head.length >= headBytes
  }

  /** Continues after the first `bytes` bytes of an earlier try; rejects if the file is shorter. */
  resume(bytes: number): Promise<void> {
    return onDisk(async () => {
      this.#handle = await this.#inFolder(openExisting)
      await this.#handle.truncate(bytes)
      this.#hash = createHash('sha256')
      const kept = { start: 0, end: bytes - 1, highWaterMark: writeBytes, autoClose: false }
      for await (const chunk of this.#handle.createReadStream(kept)) {
        this.#account(chunk as Buffer)
        this.#hash.update(chunk as Buffer)
      }
      this.#writtenBytes = this.#sizeBytes
      if (this.#sizeBytes !== bytes) throw new Error('The unfinished file is shorter than recorded')
    })
  }

  /** Returns a promise if the bytes have to be written first. */
  write(chunk: Buffer): Promise<void> | undefined {
    this.#account(chunk)
    this.#pending.push(chunk)
    this.#pendingBytes += chunk.length
    return this.#pendingBytes >= writeBytes ? onDisk(() => this.#flush()) : undefined
  }

  /** Resolves once everything is on the disk, or at once with the bytes of a small file. */
  async finish(): Promise<FileContent> {
    if (this.#handle === undefined && this.#pendingBytes <= smallBytes) {
      return { in: 'memory', chunks: this.#pending }
    }
    return { in: 'part', sha256: await this.finishOnDisk() }
  }

  /** Resolves with the SHA-256 of the whole file in hex, once everything is on the disk. */
  finishOnDisk(): Promise<string> {
    return onDisk(async () => {
      const whole = this.#hash === undefined ? joined(this.#pending) : undefined
      await this.#flush()
      // After a single write its result is the size; otherwise the disk is asked.
      const size = whole === undefined ? (await this.#handle?.stat())?.size : this.#writtenBytes
      if (size !== this.#sizeBytes) throw new Error(`The file has ${size} bytes on the disk, not ${this.#sizeBytes}`)
      await this.#close(true)
      return whole === undefined ? (this.#hash as Hash).digest('hex') : hash('sha256', whole, 'hex')
    })
  }

  /** Keeps the bytes received so far for a later try. Resolves once they are on the disk. */
  async keep(): Promise<void> {
    await this.#flush()
    await this.#close(true)
  }

  /** Deletes the file if it exists. */
  async drop(): Promise<void> {
    this.#pending = []
    this.#pendingBytes = 0
    await this.#close(false)
    await this.#inFolder((path) => retryWhileLocked(() => rm(path, { force: true })))
  }

  #account(chunk: Buffer): void {
    this.#sizeBytes += chunk.length
    const missing = headBytes - this.#head.length
    if (missing > 0) this.#head = joined([...(this.#head.length > 0 ? [this.#head] : []), chunk.subarray(0, missing)])
    this.#tail.push(chunk)
    this.#tailBytes += chunk.length
    for (
      let first = this.#tail[0];
      first !== undefined && this.#tailBytes - first.length >= tailBytes;
      first = this.#tail[0]
    ) {
      this.#tailBytes -= first.length
      this.#tail.shift()
    }
  }

  async #flush(): Promise<void> {
    this.#handle ??= await this.#create()
    if (this.#pendingBytes >= writeBytes) this.#hash ??= createHash('sha256')
    const chunks = this.#pending
    this.#pending = []
    this.#pendingBytes = 0
    if (chunks.length === 0) return
    // Hashed while they are written. Joining them first would have V8 collect garbage twice as often.
    const writing = writeAll(this.#handle, chunks, this.#writtenBytes)
    if (this.#hash !== undefined) for (const chunk of chunks) this.#hash.update(chunk)
    this.#writtenBytes += await writing
  }

  /** Creates the file exclusively, so never through a symbolic link; replaces what a former process left. */
  #create(): Promise<FileHandle> {
    return this.#inFolder(async (path) => {
      try {
        return await open(path, 'wx')
      } catch (error) {
        if (errnoCode(error) !== 'EEXIST') throw error
        await rm(path)
        return await open(path, 'wx')
      }
    })
  }

  #inFolder<T>(operation: (path: string) => Promise<T>): Promise<T> {
    return atPath(this.#at.root, this.#at.path, operation)
  }

  async #close(sync: boolean): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    if (handle === undefined) return
    try {
      if (sync) await handle.sync()
    } finally {
      await handle.close()
    }
  }
}

/** Converts the disk's errors, among which those of a network share have the codes of a broken connection. */
function onDisk<T>(operation: () => Promise<T>): Promise<T> {
  return operation().catch((error: unknown) => {
    throw toDiskError(error, 'write a file into the archive')
  })
}

const nothing = Buffer.alloc(0)

function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
}

/** Opens a regular file for writing, never through a link: its target is not ours. */
async function openExisting(path: string): Promise<FileHandle> {
  if (!(await lstat(path)).isFile()) throw new Error('Something else is in the place of the unfinished file')
  return open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0))
}
