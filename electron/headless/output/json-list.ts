import { deflateRawSync, inflateRawSync } from 'node:zlib'

/**
 * Text that is compressed together: large enough to compress well, and small enough that what was printed is collected
 * with other short-lived objects. With 256 KB, the status of a million files takes 20 MB more.
 */
const blockLength = 32 * 1024

/**
 * A list of JSON values as text, compressed in memory: some megabytes for the status of a million files, whose text is
 * ten to twenty times as long. Printed only when it is complete, because an error would leave half a document.
 */
export class JsonList {
  #blocks: Uint8Array[] = []
  #open = ''
  #length = 0

  get length(): number {
    return this.#length
  }

  add(json: string): void {
    this.#open += this.#length === 0 ? json : `,${json}`
    this.#length += 1
    if (this.#open.length < blockLength) return
    // A copy, because the result keeps a larger buffer in memory.
    this.#blocks.push(new Uint8Array(deflateRawSync(this.#open, { level: 1 })))
    this.#open = ''
  }

  clear(): void {
    this.#blocks = []
    this.#open = ''
    this.#length = 0
  }

  /** Returns the values, separated by commas, in pieces. */
  *texts(): Generator<string> {
    for (const block of this.#blocks) yield inflateRawSync(block, { chunkSize: blockLength }).toString()
    yield this.#open
  }
}
