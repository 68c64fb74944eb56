/** Returns a number in [0, 1) that depends on every character (FNV-1a): jitter that is the same at every call. */
export function jitterOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  // Without this, texts that differ only in their last character get close numbers.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}

/**
 * Returns rows in an order that says nothing about them and is the same at every call. Names and ids often go with age
 * and size, and the time that a sync takes is inferred from the projects that it read first.
 */
export function shuffled<Row>(rows: readonly Row[], idOf: (row: Row) => string): Row[] {
  return rows.toSorted((one, other) => jitterOf(idOf(one)) - jitterOf(idOf(other)))
}
