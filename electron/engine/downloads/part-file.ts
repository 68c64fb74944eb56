import { createHash, hash, type Hash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { errnoCode } from '../lib/fs/disk-error.ts'

/** Pieces are gathered to this size before they are written: a small file takes one write, a large one few. */
const writeBytes = 1024 * 1024
/** As much of a file's start and end as the checks of its kind look at. */
const headBytes = 4096
const tailBytes = 64 * 1024

/**
 * A `.part` file that grows: hashes on the way, remembers the first and last bytes, and reaches the disk whole.
 * `begin` or `resume` starts it, `finish`, `keep` or `drop` ends it.
 */
export class PartFile {
  readonly path: string
  #handle: FileHandle | undefined
  #hash: Hash | undefined
  #pending: Buffer[] = []
  #pendingBytes = 0
  #writtenBytes = 0
  #head: Buffer = Buffer.alloc(0)
  /** The last pieces as they came: joined only when somebody asks. */
  #tail: Buffer[] = []
  #tailBytes = 0
  #sizeBytes = 0

  constructor(path: string) {
    this.path = path
  }

  /** Bytes taken so far, those of an earlier try included. */
  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** The first bytes, up to 4 KiB. */
  get head(): Buffer {
    return this.#head
  }

  /** The last bytes: 64 KiB or somewhat more, or all. */
  get tail(): Buffer {
    return Buffer.concat(this.#tail)
  }

  get headIsFull(): boolean {
    return this.#head.length >= headBytes
  }

  /** Creates the file, before its bytes are asked for: what refuses it is to cost no download. */
  async begin(): Promise<void> {
    this.#handle = await this.#create()
  }

  /** Goes on after the first `bytes` bytes of an earlier try; rejects when they are not there. */
  async resume(bytes: number): Promise<void> {
    // Never through a link that stands under the name: what it leads to is not ours.
    this.#handle = await open(this.path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0))
    await this.#handle.truncate(bytes)
    this.#hash = createHash('sha256')
    for await (const chunk of createReadStream(this.path, { end: bytes - 1, highWaterMark: writeBytes })) {
      this.#account(chunk as Buffer)
      this.#hash.update(chunk as Buffer)
    }
    this.#writtenBytes = this.#sizeBytes
    if (this.#sizeBytes !== bytes) throw new Error('The unfinished file is shorter than recorded')
  }

  async write(chunk: Buffer): Promise<void> {
    this.#account(chunk)
    this.#pending.push(chunk)
    this.#pendingBytes += chunk.length
    if (this.#pendingBytes >= writeBytes) await this.#flush()
  }

  /** Everything taken is on the disk when this resolves. Answers the SHA-256 of all of it, in hex. */
  async finish(): Promise<string> {
    const small = this.#hash === undefined ? Buffer.concat(this.#pending) : undefined
    await this.#flush()
    // Written at once, its length is what the write told; in pieces, or resumed, the disk is asked.
    const size = small === undefined ? (await this.#handle?.stat())?.size : this.#writtenBytes
    if (size !== this.#sizeBytes) throw new Error(`The file has ${size} bytes on the disk, not ${this.#sizeBytes}`)
    await this.#close(true)
    return small === undefined ? (this.#hash as Hash).digest('hex') : hash('sha256', small, 'hex')
  }

  /** Keeps what was taken so far for a later try: on the disk when this resolves. */
  async keep(): Promise<void> {
    await this.#flush()
    await this.#close(true)
  }

  /** Deletes the file, if it came to be. */
  async drop(): Promise<void> {
    this.#pending = []
    await this.#close(false)
    await rm(this.path, { force: true })
  }

  #account(chunk: Buffer): void {
    this.#sizeBytes += chunk.length
    const lacking = headBytes - this.#head.length
    if (lacking > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, lacking)])
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
    if (this.#handle === undefined) throw new Error('A part was written to that had not begun')
    if (this.#pendingBytes >= writeBytes) this.#hash ??= createHash('sha256')
    const pieces = this.#pending
    this.#pending = []
    this.#pendingBytes = 0
    if (pieces.length === 0) return
    const bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
    this.#hash?.update(bytes)
    for (let offset = 0; offset < bytes.length;) {
      const left = bytes.length - offset
      const { bytesWritten } = await this.#handle.write(bytes, offset, left, this.#writtenBytes)
      offset += bytesWritten
      this.#writtenBytes += bytesWritten
    }
  }

  /** Exclusive, for the same reason; what a former process left there goes. */
  async #create(): Promise<FileHandle> {
    try {
      return await open(this.path, 'wx')
    } catch (error) {
      if (errnoCode(error) !== 'EEXIST') throw error
      await rm(this.path)
      return open(this.path, 'wx')
    }
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
