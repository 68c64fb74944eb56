import { lstat } from 'node:fs/promises'
import { errnoCode, isTooManyOpen, notFoundCodes } from '../lib/fs/disk-error.ts'
import { hashFile, type HashOptions } from '../lib/fs/hash-file.ts'
import { atPath, isInside } from './inside-archive.ts'

/** An archived file as recorded. */
export interface ManifestFile {
  /** Relative to the archive root. */
  readonly path: string
  /** In hex, lower case. */
  readonly sha256: string
  readonly sizeBytes: number
}

/**
 * State of a file: `changed` has other bytes or is not a regular file; `errno`, the operating system's code, stands for
 * a file that exists and cannot be read.
 */
export type FileState = 'ok' | 'missing' | 'changed' | { readonly errno: string }

export interface CheckOptions extends HashOptions {
  /** Checks existence and size only. */
  readonly sizeOnly?: boolean
}

/**
 * Compares a file with its record. A path that leads outside the archive, also through a link, counts as missing.
 * Rejects like `hashFile`, and if too many files are open.
 */
export async function checkFile(root: string, file: ManifestFile, options: CheckOptions = {}): Promise<FileState> {
  if (!isInside(file.path)) return 'missing'
  try {
    return await atPath(root, file.path, async (path) => {
      const found = await lstat(path)
      if (!found.isFile() || found.size !== file.sizeBytes) return 'changed'
      if (options.sizeOnly === true) return 'ok'
      const { sha256 } = await hashFile(path, options)
      return sha256 === file.sha256 ? 'ok' : 'changed'
    })
  } catch (error) {
    const errno = errnoCode(error)
    if (errno === undefined || isTooManyOpen(error)) throw error
    return notFoundCodes.has(errno) ? 'missing' : { errno }
  }
}
