import { lstat, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { hashFile } from '../../engine/lib/fs/hash-file.ts'
import type { TreeEntry } from './walk-tree.ts'

/** What was found of a file when both of its places were read and were the same. */
export interface Proof {
  readonly sha256: string
  readonly sizeBytes: number
  /** Of the file in the old place and in the new one. */
  readonly modifiedMs: readonly [number, number]
}

/** Proofs by relative path. Those of a process that ended are gone: then files are read again. */
export type Proofs = Map<string, Proof>

/**
 * Whether what stands in the first folder stands in the second as well: a link as the same link, a file with the same
 * bytes, read in both places unless a proof says that they were read and neither was touched since.
 */
export async function isProven(
  entry: TreeEntry,
  [here, there]: readonly [string, string],
  proofs: Proofs,
  signal: AbortSignal,
): Promise<boolean> {
  const other = await lstat(join(there, entry.path)).catch(() => undefined)
  if (other === undefined) return false
  if (entry.kind === 'link') {
    if (!other.isSymbolicLink()) return false
    const [mine, others] = await Promise.all([readlink(join(here, entry.path)), readlink(join(there, entry.path))])
    return mine === others
  }
  if (entry.kind !== 'file' || !other.isFile() || other.size !== entry.sizeBytes) return false
  const proof = proofs.get(entry.path)
  const isUntouched =
    proof?.sizeBytes === entry.sizeBytes &&
    proof.modifiedMs[0] === entry.modifiedMs &&
    proof.modifiedMs[1] === other.mtimeMs
  if (isUntouched) return true
  const mine = await hashFile(join(here, entry.path), { signal })
  const others = await hashFile(join(there, entry.path), { signal })
  return mine.sha256 === others.sha256
}
