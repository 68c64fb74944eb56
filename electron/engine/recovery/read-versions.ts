import { stat } from 'node:fs/promises'
import { hashFile } from '../lib/fs/hash-file.ts'
import { insideOrUndefined } from '../archive/inside-archive.ts'
import { pathBelow } from '../archive/layout.ts'
import { scanFolder } from '../integrity/scan-folder.ts'
import type { RecordedVersion } from './recorded-checklist.ts'
import { versionOf } from './recorded-path.ts'

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
    const version = versionOf(file)
    const path = `${checklistFolder}/${file}`
    if (version === undefined || insideOrUndefined(root, path) === undefined) continue
    const replaced = `${checklistFolder}/${version.file}`
    versions.set(path, { path, replaced, replacedAt: version.replacedAt, sha256, sizeBytes })
  }
  for await (const entry of scanFolder(root, `${checklistFolder}/.versions`, signal)) {
    if (entry.kind !== 'file' || versions.has(entry.path)) continue
    const version = versionOf(pathBelow(checklistFolder, entry.path))
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
