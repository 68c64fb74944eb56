import { createHash, hash, type Hash } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, rm, type FileHandle } from 'node:fs/promises'
import { type ArchivePath, atPath } from '../archive/inside-archive.ts'
import { errnoCode, toDiskError } from '../lib/fs/disk-error.ts'
import { retryWhileLocked, writeAll } from '../lib/fs/durable-files.ts'
import type { AssetToDownload } from '../store/assets-store.ts'
import { downloadError } from './response-head.ts'
import { freeChunk } from './transport.ts'

/** A large file is written and hashed in pieces of this size. */
const pieceBytes = 1024 * 1024
/** The parts of a file's start and end that the checks of its kind read. */
const headBytes = 4096
const tailBytes = 64 * 1024

/** Memory of large files that are complete, for the next ones. */
const idlePieces: Buffer[] = []
/** Time without a complete file after which none is kept. */
const keptMs = 10_000
let keptTimer: NodeJS.Timeout | undefined

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
  /** Extension of the file's format, such as `.png`. */
  readonly extension: string
  readonly sizeBytes: number
  readonly etag: string | null
  readonly lastModified: string | null
}

/** A received file that is on the disk under its `.part` name. */
export type FinishedPart = Omit<ReceivedFile, 'content' | 'extension'> & { readonly sha256: string }

interface LargeFile {
  readonly hash: Hash
  /** Memory for a piece, after the last bytes of the piece before. Those from `start` to `end` are not written yet. */
  readonly piece: Buffer
  start: number
  end: number
}

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
 * once it is not small any more; `finish`, `keep`, or `drop` closes it. After an error, only the last two can be called.
 */
export class PartFile {
  readonly #at: ArchivePath
  #handle: FileHandle | undefined
  /** Chunks of a file that is still small. */
  #chunks: Buffer[] = []
  #large: LargeFile | undefined
  #writtenBytes = 0
  #head: Buffer = Buffer.alloc(0)
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

  /** The last bytes: at least 64 KiB, or all. Valid until the next call. */
  get tail(): Buffer {
    return this.#large === undefined ? Buffer.concat(this.#chunks) : this.#large.piece.subarray(0, this.#large.end)
  }

  get headIsFull(): boolean {
    return this.#head.length >= headBytes
  }

  /** Continues after the first `bytes` bytes of an earlier try; rejects with `file-truncated` if the file is shorter. */
  resume(bytes: number): Promise<void> {
    return onDisk(async () => {
      this.#handle = await this.#inFolder(openExisting)
      // Truncating would fill it with zeros.
      if ((await this.#handle.stat()).size < bytes) throw downloadError('file-truncated')
      await this.#handle.truncate(bytes)
      const large = this.#beginLarge()
      while (this.#writtenBytes < bytes) {
        const length = Math.min(large.piece.length - large.end, bytes - this.#writtenBytes)
        const { bytesRead } = await this.#handle.read(large.piece, large.end, length, this.#writtenBytes)
        if (bytesRead === 0) throw downloadError('file-truncated')
        const read = large.piece.subarray(large.end, large.end + bytesRead)
        this.#account(read)
        large.end += bytesRead
        large.hash.update(read)
        this.#wrote(large, bytesRead)
      }
    })
  }

  /** Takes a chunk, whose memory may be freed. Returns a promise if bytes have to be written before the next chunk. */
  write(chunk: Buffer): Promise<void> | undefined {
    this.#account(chunk)
    const large = this.#large
    if (large !== undefined && chunk.length < large.piece.length - large.end) {
      take(large, chunk)
      freeChunk(chunk)
      return undefined
    }
    this.#chunks.push(chunk)
    if (large === undefined && this.#sizeBytes <= smallBytes) return undefined
    return onDisk(() => this.#writeChunks(large ?? this.#beginLarge()))
  }

  /** Resolves once everything is on the disk, or at once with the bytes of a small file. */
  async finish(): Promise<FileContent> {
    if (this.#large === undefined) return { in: 'memory', chunks: this.#chunks }
    return { in: 'part', sha256: await this.finishOnDisk() }
  }

  /** Resolves with the SHA-256 of the whole file in hex, once everything is on the disk. */
  finishOnDisk(): Promise<string> {
    return onDisk(async () => {
      const content = this.#large?.hash ?? Buffer.concat(this.#chunks)
      await this.#flush()
      const size = (await this.#handle?.stat())?.size
      if (size !== this.#sizeBytes) throw new Error(`The file has ${size} bytes on the disk, not ${this.#sizeBytes}`)
      await this.#close(true)
      return Buffer.isBuffer(content) ? hash('sha256', content, 'hex') : content.digest('hex')
    })
  }

  /** Keeps the bytes received so far for a later try. Resolves once they are on the disk. */
  async keep(): Promise<void> {
    await this.#flush()
    await this.#close(true)
  }

  /** Deletes the file if it exists. */
  async drop(): Promise<void> {
    this.#chunks = []
    await this.#close(false)
    await this.#inFolder((path) => retryWhileLocked(() => rm(path, { force: true })))
  }

  #account(bytes: Buffer): void {
    this.#sizeBytes += bytes.length
    const missing = headBytes - this.#head.length
    // A copy: the bytes may be freed.
    if (missing > 0) this.#head = Buffer.concat([this.#head, bytes.subarray(0, missing)])
  }

  #beginLarge(): LargeFile {
    const piece = idlePieces.pop() ?? Buffer.allocUnsafeSlow(tailBytes + pieceBytes)
    return (this.#large = { hash: createHash('sha256'), piece, start: 0, end: 0 })
  }

  async #writeChunks(large: LargeFile): Promise<void> {
    for (const chunk of this.#chunks.splice(0)) {
      for (let taken = 0; taken < chunk.length;) {
        taken += take(large, chunk.subarray(taken))
        if (large.end === large.piece.length) await this.#flush()
      }
      freeChunk(chunk)
    }
  }

  async #flush(): Promise<void> {
    this.#handle ??= await this.#create()
    const large = this.#large
    if (large === undefined) {
      this.#writtenBytes += await writeAll(this.#handle, this.#chunks, this.#writtenBytes)
      this.#chunks = []
      return
    }
    const bytes = large.piece.subarray(large.start, large.end)
    // Hashed while it is written.
    const writing = writeAll(this.#handle, [bytes], this.#writtenBytes)
    large.hash.update(bytes)
    this.#wrote(large, await writing)
  }

  #wrote(large: LargeFile, bytes: number): void {
    this.#writtenBytes += bytes
    const start = Math.min(tailBytes, large.end)
    large.piece.copyWithin(0, large.end - start, large.end)
    large.start = start
    large.end = start
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
    const large = this.#large
    this.#large = undefined
    // Not after an error: a write might still read the memory.
    if (sync && large !== undefined) keepPiece(large.piece)
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

function keepPiece(piece: Buffer): void {
  idlePieces.push(piece)
  // Without work, no garbage is collected.
  keptTimer ??= setTimeout(() => idlePieces.splice(0).forEach(freeChunk), keptMs).unref()
  keptTimer.refresh()
}

/** Copies as many bytes as there is room for, and returns their number. */
function take(large: LargeFile, bytes: Buffer): number {
  const taken = bytes.copy(large.piece, large.end)
  large.end += taken
  return taken
}

/** Opens a regular file for writing, never through a link: its target is not ours. */
async function openExisting(path: string): Promise<FileHandle> {
  if (!(await lstat(path)).isFile()) throw new Error('Something else is in the place of the unfinished file')
  return open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0))
}
