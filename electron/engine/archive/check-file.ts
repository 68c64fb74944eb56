import { lstat } from 'node:fs/promises'
import { errnoCode, notFoundCodes } from '../lib/fs/disk-error.ts'
import { hashFile, type HashOptions } from '../lib/fs/hash-file.ts'
import { insideOrUndefined } from './inside-archive.ts'

/** A file that the archive holds, as it was when it was archived. */
export interface ManifestFile {
  /** Relative to the archive root. */
  readonly path: string
  /** In hex, lower case. */
  readonly sha256: string
  readonly sizeBytes: number
}

/**
 * How a file was found: `changed` has other bytes or is something else than a file; with `errno`, the operating system's
 * code, it is there and cannot be read.
 */
export type FileState = 'ok' | 'missing' | 'changed' | { readonly errno: string }

export interface CheckOptions extends HashOptions {
  /** Looks whether the file is there with its size, and does not read it. */
  readonly sizeOnly?: boolean
}

/** Reads a file of the archive again. A path that leads outside the archive counts as missing. Rejects like `hashFile`. */
export async function checkFile(root: string, file: ManifestFile, options: CheckOptions = {}): Promise<FileState> {
  const path = insideOrUndefined(root, file.path)
  if (path === undefined) return 'missing'
  try {
    const found = await lstat(path)
    if (!found.isFile() || found.size !== file.sizeBytes) return 'changed'
    if (options.sizeOnly === true) return 'ok'
    const { sha256 } = await hashFile(path, options)
    return sha256 === file.sha256 ? 'ok' : 'changed'
  } catch (error) {
    const errno = errnoCode(error)
    if (errno === undefined) throw error
    return notFoundCodes.has(errno) ? 'missing' : { errno }
  }
}
