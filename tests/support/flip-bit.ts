import { readFileSync, writeFileSync } from 'node:fs'

/** Damages a file as a failing disk does: flips one bit in its middle, without changing its size. */
export function flipBit(path: string): void {
  const bytes = readFileSync(path)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  writeFileSync(path, bytes)
}
