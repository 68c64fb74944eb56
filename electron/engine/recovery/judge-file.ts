import { lstat } from 'node:fs/promises'
import { errnoCode, nothingThere } from '../lib/fs/disk-error.ts'
import { hashFile, type FileHash } from '../lib/fs/hash-file.ts'
import { assertNoSymlinkEscape, insideOrUndefined } from '../archive/inside-archive.ts'

/** What is on the disk under a recorded path. */
export type Judgement =
  /** The bytes that were archived. */
  | { readonly kind: 'good'; readonly hash: FileHash }
  | { readonly kind: 'missing' }
  /** Other bytes than were archived. */
  | { readonly kind: 'changed'; readonly hash: FileHash }
  /** Put in the place of what was archived, which is among the versions, by a pass that ended before it was recorded. */
  | { readonly kind: 'newer' }
  /** Nothing tells what the bytes should be, or they cannot be read: neither good nor anybody's work. */
  | { readonly kind: 'unproven' }

/**
 * Compares a file with the hashes that speak for it: any one of them does, since each can be older than the file. Reads
 * nothing outside the archive and follows no link. Rejects with the signal's reason.
 */
export async function judgeFile(
  root: string,
  path: string,
  witnesses: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Judgement> {
  const absolute = insideOrUndefined(root, path)
  if (absolute === undefined) return { kind: 'unproven' }
  try {
    await assertNoSymlinkEscape(root, path)
    if (!(await lstat(absolute)).isFile()) return { kind: 'unproven' }
    const hash = await hashFile(absolute, { signal })
    if (witnesses.has(hash.sha256)) return { kind: 'good', hash }
    return witnesses.size === 0 ? { kind: 'unproven' } : { kind: 'changed', hash }
  } catch (error) {
    signal.throwIfAborted()
    return nothingThere.has(errnoCode(error) ?? '') ? { kind: 'missing' } : { kind: 'unproven' }
  }
}
