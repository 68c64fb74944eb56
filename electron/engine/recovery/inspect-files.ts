import { lstat, stat } from 'node:fs/promises'
import { assertNoSymlinkEscape, insideOrUndefined } from '../archive/inside-archive.ts'
import { pathBelow } from '../archive/layout.ts'
import { scanFolder } from '../integrity/verify-archive.ts'
import { errnoCode, notFoundCodes } from '../lib/fs/disk-error.ts'
import { type FileHash, hashFile } from '../lib/fs/hash-file.ts'
import { type RecordedVersion, parseVersionPath } from './recorded-checklist.ts'

/** What is on the disk under a recorded path. */
export type Inspection =
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
export async function inspectFile(
  root: string,
  path: string,
  witnesses: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Inspection> {
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
    return notFoundCodes.has(errnoCode(error) ?? '') ? { kind: 'missing' } : { kind: 'unproven' }
  }
}

/** A replaced file under `.versions/`. */
export interface FoundVersion {
  /** Relative to the archive root. */
  readonly path: string
  /** The path, relative to the archive root, of the file that it was. */
  readonly replaced: string
  readonly replacedAt: string
  readonly sha256: string
  readonly sizeBytes: number
}

/**
 * The replaced files of a checklist: those on the disk, with the hash that is recorded or else the one they have, and
 * those that are recorded and missing. A recorded hash is not compared here: `verify` does and tells.
 */
export async function readVersions(
  root: string,
  checklistFolder: string,
  recorded: readonly RecordedVersion[],
  checksums: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<FoundVersion[]> {
  const versions = new Map<string, FoundVersion>()
  for (const { file, sha256, sizeBytes } of recorded) {
    const version = parseVersionPath(file)
    const path = `${checklistFolder}/${file}`
    if (version === undefined || insideOrUndefined(root, path) === undefined) continue
    const replaced = `${checklistFolder}/${version.file}`
    versions.set(path, { path, replaced, replacedAt: version.replacedAt, sha256, sizeBytes })
  }
  for await (const entry of scanFolder(root, `${checklistFolder}/.versions`, signal)) {
    if (entry.kind !== 'file' || versions.has(entry.path)) continue
    const version = parseVersionPath(pathBelow(checklistFolder, entry.path))
    const absolute = insideOrUndefined(root, entry.path)
    if (version === undefined || absolute === undefined) continue
    const found = await readHash(absolute, checksums.get(entry.path), signal)
    if (found === undefined) continue
    const replaced = `${checklistFolder}/${version.file}`
    versions.set(entry.path, { path: entry.path, replaced, replacedAt: version.replacedAt, ...found })
  }
  return [...versions.values()]
}

async function readHash(path: string, recorded: string | undefined, signal: AbortSignal) {
  try {
    return recorded === undefined
      ? await hashFile(path, { signal })
      : { sha256: recorded, sizeBytes: (await stat(path)).size }
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}
