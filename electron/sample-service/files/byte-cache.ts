/** Keeps what was made last, up to a number of bytes, and makes each thing once however many ask at the same time. */
export class ByteCache {
  readonly #limitBytes: number
  readonly #kept = new Map<string, Buffer>()
  readonly #beingMade = new Map<string, Promise<Buffer>>()
  #sizeBytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  async get(key: string, make: () => Buffer | Promise<Buffer>): Promise<Buffer> {
    const kept = this.#kept.get(key)
    if (kept) {
      // The map's order is the order of use: the first entry is the next to go.
      this.#kept.delete(key)
      this.#kept.set(key, kept)
      return kept
    }
    const waiting = this.#beingMade.get(key)
    if (waiting) return waiting
    const made = Promise.resolve().then(make)
    this.#beingMade.set(key, made)
    try {
      const bytes = await made
      this.#keep(key, bytes)
      return bytes
    } finally {
      this.#beingMade.delete(key)
    }
  }

  #keep(key: string, bytes: Buffer): void {
    if (bytes.length > this.#limitBytes) return
    this.#kept.set(key, bytes)
    this.#sizeBytes += bytes.length
    for (const [oldKey, old] of this.#kept) {
      if (this.#sizeBytes <= this.#limitBytes) break
      this.#kept.delete(oldKey)
      this.#sizeBytes -= old.length
    }
  }
}
