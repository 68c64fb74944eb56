import { hash } from 'node:crypto'

/** A double holds integers of up to 53 bits; 6 bytes are the most that a Buffer reads at once. */
const fingerprintBytes = 6

/**
 * A set of many paths in eight bytes each, so that an archive of millions of files can be verified in little memory.
 * Holds fingerprints: of a million paths, one in 280 million others is taken for one of them.
 */
export class PathSet {
  #fingerprints = new Float64Array(1024)
  #size = 0
  #sorted = true

  add(path: string): void {
    if (this.#size === this.#fingerprints.length) {
      const larger = new Float64Array(2 * this.#size)
      larger.set(this.#fingerprints)
      this.#fingerprints = larger
    }
    this.#fingerprints[this.#size] = fingerprint(path)
    this.#size += 1
    this.#sorted = false
  }

  has(path: string): boolean {
    const filled = this.#fingerprints.subarray(0, this.#size)
    if (!this.#sorted) filled.sort()
    this.#sorted = true
    const wanted = fingerprint(path)
    let low = 0
    let high = filled.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((filled[middle] as number) < wanted) low = middle + 1
      else high = middle
    }
    return filled[low] === wanted
  }
}

function fingerprint(path: string): number {
  return hash('sha256', path, 'buffer').readUIntBE(0, fingerprintBytes)
}
