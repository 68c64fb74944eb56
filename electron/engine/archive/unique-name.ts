import { cutToBytes, maxNameBytes, splitExtension } from './safe-name.ts'

/**
 * Two names (or paths) with one key may be the same file on a disk that ignores case or Unicode form. Stricter than any
 * single file system: `ß`, `ẞ` and `SS` have one key, and so have `ſ` and `S`.
 */
export function caseKey(name: string): string {
  // Upper case last: it depends on no neighbour, as the lower case of the Greek sigma does.
  return name.normalize('NFC').toLowerCase().toUpperCase().normalize('NFC')
}

/**
 * The name itself, or with ` (2)`, ` (3)`... before its extension, until `isTaken` says no. `isTaken` compares
 * `caseKey(candidate)` with the keys of what is there. Expects a safe name; the answer is one too.
 */
export function uniqueName(name: string, isTaken: (candidate: string) => boolean): string {
  const [stem, extension] = splitExtension(name)
  for (let number = 2, candidate = name; ; number += 1) {
    if (!isTaken(candidate)) return candidate
    const ending = ` (${number})${extension}`
    candidate = cutToBytes(stem, maxNameBytes - Buffer.byteLength(ending)) + ending
  }
}
