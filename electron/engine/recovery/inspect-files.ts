import { lstat } from 'node:fs/promises'
import { atPath, isInside, lstatInside } from '../archive/inside-archive.ts'
import { pathBelow } from '../archive/layout.ts'
import { scanFolder } from '../integrity/verify-archive.ts'
import { errnoCode, notFoundCodes, undefinedIfUnreadable } from '../lib/fs/disk-error.ts'
import { type FileHash, hashFile } from '../lib/fs/hash-file.ts'
import { type RecordedVersion, parseVersionPath } from './recorded-checklist.ts'

/** Result of comparing the file at a recorded path with its known hashes. */
export type Inspection =
  /** The bytes that were archived. */
  | { readonly kind: 'good'; readonly hash: FileHash }
  | { readonly kind: 'missing' }
  /** Other bytes than were archived. */
  | { readonly kind: 'changed'; readonly hash: FileHash }
  /** Published by a pass that ended before recording it; the archived file is among the versions. */
  | { readonly kind: 'newer' }
  /** It cannot be read, or is not a regular file. */
  | { readonly kind: 'unproven' }

/**
 * Compares a file with its known hashes: any one may match, since each can be older than the file. Reads nothing
 * outside the archive and follows no link. Rejects with the signal's reason, and if too many files are open.
 */
export async function inspectFile(
  root: string,
  path: string,
  hashes: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Inspection> {
  try {
    const found = await lstatInside(root, path)
    if (found === undefined) return { kind: 'missing' }
    if (!found.isFile()) return { kind: 'unproven' }
    const hash = await atPath(root, path, (absolute) => hashFile(absolute, { signal }))
    return { kind: hashes.has(hash.sha256) ? 'good' : 'changed', hash }
  } catch (error) {
    signal.throwIfAborted()
    undefinedIfUnreadable(error)
    return notFoundCodes.has(errnoCode(error) ?? '') ? { kind: 'missing' } : { kind: 'unproven' }
  }
}

/** A replaced file under `.versions/`. */
export interface FoundVersion {
  /** Relative to the archive root. */
  readonly path: string
  /** Original path, relative to the archive root. */
  readonly replaced: string
  readonly replacedAt: string
  readonly sha256: string
  readonly sizeBytes: number
}

/** Length of an ISO 8601 time up to its seconds. */
const secondsEnd = 'yyyy-mm-ddThh:mm:ss'.length

/**
 * Returns the replaced files of a checklist: those on the disk, with their recorded or else their actual hash, and
 * those that are recorded and missing. Recorded hashes are compared by `verify`, not here.
 */
export async function readVersions(
  root: string,
  checklistFolder: string,
  recorded: readonly RecordedVersion[],
  checksums: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<FoundVersion[]> {
  const versions = new Map<string, FoundVersion>()
  for (const { file, sha256, sizeBytes, replacedAt: exactly = '' } of recorded) {
    const version = parseVersionPath(file)
    const path = `${checklistFolder}/${file}`
    if (version === undefined || !isInside(path)) continue
    const replaced = `${checklistFolder}/${version.file}`
    // The path has whole seconds.
    const isExact = exactly.slice(0, secondsEnd) === version.replacedAt.slice(0, secondsEnd)
    versions.set(path, { path, replaced, replacedAt: isExact ? exactly : version.replacedAt, sha256, sizeBytes })
  }
  for await (const entry of scanFolder(root, `${checklistFolder}/.versions`, signal)) {
    if (entry.kind !== 'file' || versions.has(entry.path)) continue
    const version = parseVersionPath(pathBelow(checklistFolder, entry.path))
    if (version === undefined || !isInside(entry.path)) continue
    const found = await readHash(root, entry.path, checksums.get(entry.path), signal)
    if (found === undefined) continue
    const replaced = `${checklistFolder}/${version.file}`
    versions.set(entry.path, { path: entry.path, replaced, replacedAt: version.replacedAt, ...found })
  }
  return [...versions.values()]
}

async function readHash(root: string, path: string, recorded: string | undefined, signal: AbortSignal) {
  try {
    if (recorded === undefined) return await atPath(root, path, (absolute) => hashFile(absolute, { signal }))
    return { sha256: recorded, sizeBytes: await atPath(root, path, async (absolute) => (await lstat(absolute)).size) }
  } catch (error) {
    signal.throwIfAborted()
    return undefinedIfUnreadable(error)
  }
}
