import { constants, crc32, deflateRawSync } from 'node:zlib'

/** Content of an entry that is stored uncompressed. Its size and checksum are known before its bytes are written. */
export interface StoredEntry {
  /** With `/`, in UTF-8. */
  readonly path: string
  readonly sizeBytes: number
  readonly crc: number
  readonly modifiedAt: Date
}

interface WrittenEntry extends StoredEntry {
  readonly compressedBytes: number
  readonly method: number
  readonly offset: number
}

/** Methods, flags, and versions of PKWARE's APPNOTE 6.3.10, sections 4.4.2 to 4.4.5. */
const [storedMethod, deflatedMethod] = [0, 8]
const utf8Flag = 0x0800
/** Version 2.0; 4.5 for zip64. "Made by" is Unix, so that the mode of the files counts. */
const [plainVersion, zip64Version] = [20, 45]
const unix = 3 << 8
/** A regular file that everyone may read. */
const entryMode = 0o100644
/** Fields of 32 and 16 bits that are full refer to the zip64 field. */
const [full32, full16] = [0xffffffff, 0xffff]

/** Small pieces are written together. */
const flushBytes = 1024 * 1024

/**
 * Writes a zip, entry by entry: photos are stored, texts compressed. Large archives get zip64 records (APPNOTE 4.3.14).
 * Unlike with a library that takes streams, no entry needs a data descriptor, and only the directory stays in memory.
 */
export class ZipWriter {
  readonly #write: (chunks: readonly Buffer[]) => Promise<void>
  readonly #entries: WrittenEntry[] = []
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #offset = 0

  /** `write` resolves once the chunks may be used again. */
  constructor(write: (chunks: readonly Buffer[]) => Promise<void>) {
    this.#write = write
  }

  /** Adds a file whose bytes may be overwritten once the next chunk is asked for. */
  async addStored(entry: StoredEntry, chunks: AsyncIterable<Buffer>): Promise<void> {
    await this.#begin({ ...entry, compressedBytes: entry.sizeBytes, method: storedMethod, offset: this.#offset })
    await this.#flush()
    for await (const chunk of chunks) {
      await this.#append(chunk)
      await this.#flush()
    }
  }

  /** Adds a file that is in memory, and may be overwritten once 1 MiB more was added. */
  async addBytes(path: string, bytes: Buffer, modifiedAt: Date): Promise<void> {
    const { length: sizeBytes } = bytes
    const entry = { path, sizeBytes, crc: crc32(bytes), modifiedAt }
    await this.#begin({ ...entry, compressedBytes: sizeBytes, method: storedMethod, offset: this.#offset })
    await this.#append(bytes)
  }

  /** Adds a text, compressed. */
  async addText(path: string, text: Iterable<string | Buffer>, modifiedAt: Date): Promise<void> {
    const { bytes, ...packed } = compress(text)
    await this.#begin({ path, modifiedAt, ...packed, method: deflatedMethod, offset: this.#offset })
    await this.#append(bytes)
  }

  /** Writes the directory. */
  async end(): Promise<void> {
    const start = this.#offset
    for (const entry of this.#entries) await this.#append(directoryRecord(entry))
    await this.#append(endRecords(this.#entries.length, { start, sizeBytes: this.#offset - start }))
    await this.#flush()
  }

  async #begin(entry: WrittenEntry): Promise<void> {
    this.#entries.push(entry)
    await this.#append(localHeader(entry))
  }

  async #append(bytes: Buffer): Promise<void> {
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    this.#offset += bytes.length
    if (this.#waitingBytes >= flushBytes) await this.#flush()
  }

  async #flush(): Promise<void> {
    const chunks = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    if (chunks.length > 0) await this.#write(chunks)
  }
}

/** Bytes that are compressed at once. */
const pieceBytes = 1024 * 1024

/** Compresses a text piece by piece: only the result is in memory as a whole. */
function compress(text: Iterable<string | Buffer>) {
  const bytes: Buffer[] = []
  let [crc, sizeBytes, waitingBytes] = [0, 0, 0]
  let waiting: Buffer[] = []
  const add = (isLast: boolean) => {
    const piece = Buffer.concat(waiting)
    crc = crc32(piece, crc)
    sizeBytes += piece.length
    // A flushed piece ends at a byte, and the next one does not refer to it.
    bytes.push(deflateRawSync(piece, isLast ? {} : { finishFlush: constants.Z_FULL_FLUSH }))
    waiting = []
    waitingBytes = 0
  }
  for (const chunk of text) {
    const part = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    waiting.push(part)
    waitingBytes += part.length
    if (waitingBytes >= pieceBytes) add(false)
  }
  add(true)
  const all = Buffer.concat(bytes)
  return { bytes: all, crc, sizeBytes, compressedBytes: all.length }
}

/** Returns date and time of MS-DOS, whose years start in 1980 and end in 2107. */
function dosTime(at: Date): { readonly time: number; readonly date: number } {
  const year = Math.min(2107, Math.max(1980, at.getFullYear()))
  return {
    time: (at.getHours() << 11) | (at.getMinutes() << 5) | (at.getSeconds() >> 1),
    date: ((year - 1980) << 9) | ((at.getMonth() + 1) << 5) | at.getDate(),
  }
}

/** Time in UTC, of Info-ZIP's extended timestamp: the other one is in no known time zone. */
function timeField(at: Date): Buffer {
  const field = Buffer.alloc(9)
  field.writeUInt16LE(0x5455, 0)
  field.writeUInt16LE(5, 2)
  field.writeUInt8(1, 4)
  field.writeInt32LE(Math.max(0, Math.min(0x7fffffff, Math.trunc(at.getTime() / 1000))), 5)
  return field
}

/** Values of 64 bits; empty if there is none (APPNOTE 4.5.3). */
function zip64Field(values: readonly number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0)
  const field = Buffer.alloc(4 + 8 * values.length)
  field.writeUInt16LE(1, 0)
  field.writeUInt16LE(8 * values.length, 2)
  values.forEach((value, index) => field.writeBigUInt64LE(BigInt(value), 4 + 8 * index))
  return field
}

function localHeader(entry: WrittenEntry): Buffer {
  const { path, sizeBytes, compressedBytes, crc, method, modifiedAt } = entry
  const isLarge = sizeBytes >= full32 || compressedBytes >= full32
  const extra = Buffer.concat([zip64Field(isLarge ? [sizeBytes, compressedBytes] : []), timeField(modifiedAt)])
  const name = Buffer.from(path)
  const { time, date } = dosTime(modifiedAt)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(isLarge ? zip64Version : plainVersion, 4)
  header.writeUInt16LE(utf8Flag, 6)
  header.writeUInt16LE(method, 8)
  header.writeUInt16LE(time, 10)
  header.writeUInt16LE(date, 12)
  header.writeUInt32LE(crc, 14)
  header.writeUInt32LE(isLarge ? full32 : compressedBytes, 18)
  header.writeUInt32LE(isLarge ? full32 : sizeBytes, 22)
  header.writeUInt16LE(name.length, 26)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat([header, name, extra])
}

function directoryRecord(entry: WrittenEntry): Buffer {
  const { path, sizeBytes, compressedBytes, crc, method, offset, modifiedAt } = entry
  const large = [sizeBytes, compressedBytes, offset].filter((value) => value >= full32)
  const extra = Buffer.concat([zip64Field(large), timeField(modifiedAt)])
  const name = Buffer.from(path)
  const { time, date } = dosTime(modifiedAt)
  const version = large.length > 0 ? zip64Version : plainVersion
  const record = Buffer.alloc(46)
  record.writeUInt32LE(0x02014b50, 0)
  record.writeUInt16LE(unix | version, 4)
  record.writeUInt16LE(version, 6)
  record.writeUInt16LE(utf8Flag, 8)
  record.writeUInt16LE(method, 10)
  record.writeUInt16LE(time, 12)
  record.writeUInt16LE(date, 14)
  record.writeUInt32LE(crc, 16)
  record.writeUInt32LE(Math.min(compressedBytes, full32), 20)
  record.writeUInt32LE(Math.min(sizeBytes, full32), 24)
  record.writeUInt16LE(name.length, 28)
  record.writeUInt16LE(extra.length, 30)
  record.writeUInt32LE((entryMode << 16) >>> 0, 38)
  record.writeUInt32LE(Math.min(offset, full32), 42)
  return Buffer.concat([record, name, extra])
}

/** The end of the directory, after the zip64 one if any value needs it. */
function endRecords(entries: number, { start, sizeBytes }: { readonly start: number; readonly sizeBytes: number }) {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(entries, full16), 8)
  end.writeUInt16LE(Math.min(entries, full16), 10)
  end.writeUInt32LE(Math.min(sizeBytes, full32), 12)
  end.writeUInt32LE(Math.min(start, full32), 16)
  if (entries < full16 && start < full32 && sizeBytes < full32) return end
  const large = Buffer.alloc(56)
  large.writeUInt32LE(0x06064b50, 0)
  large.writeBigUInt64LE(44n, 4)
  large.writeUInt16LE(unix | zip64Version, 12)
  large.writeUInt16LE(zip64Version, 14)
  large.writeBigUInt64LE(BigInt(entries), 24)
  large.writeBigUInt64LE(BigInt(entries), 32)
  large.writeBigUInt64LE(BigInt(sizeBytes), 40)
  large.writeBigUInt64LE(BigInt(start), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(start + sizeBytes), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([large, locator, end])
}
