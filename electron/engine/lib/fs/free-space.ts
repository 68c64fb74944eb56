import { statfs } from 'node:fs/promises'
import { AppError } from '../../../../shared/errors.ts'

/** Maximum space left free for everything else on the disk: the database, the log, the user's own files. */
const maxReservedBytes = 256 * 2 ** 20

/** Share of a small disk that is left free. */
const reservedShare = 0.02

/** Returns how many bytes stay free on a disk of the given size. */
export function reservedFreeBytes(diskBytes: number): number {
  return Math.min(maxReservedBytes, diskBytes * reservedShare)
}

export interface FreeSpace {
  readonly freeBytes: number
  /** The size of the whole disk. */
  readonly diskBytes: number
}

/** Returns undefined if the file system reports no sizes (some network shares) or cannot be queried. */
export async function freeSpaceOf(folder: string): Promise<FreeSpace | undefined> {
  const found = await statfs(folder).catch(() => undefined)
  if (found === undefined || found.blocks === 0) return undefined
  return { freeBytes: found.bavail * found.bsize, diskBytes: found.blocks * found.bsize }
}

/**
 * Throws `disk-full` if the folder's disk has less free space than must stay free. A disk that reports no sizes passes:
 * the write itself fails if it is full.
 */
export async function requireFreeSpace(folder: string): Promise<void> {
  requireSpareBytes(folder, await freeSpaceOf(folder))
}

/** Like `requireFreeSpace`, by what is known about the folder's disk. */
export function requireSpareBytes(folder: string, space: FreeSpace | undefined): void {
  if (space === undefined || space.freeBytes >= reservedFreeBytes(space.diskBytes)) return
  throw nearlyFull(folder, space.freeBytes)
}

/** Returns the error for a disk with too little space for any file. */
export function nearlyFull(folder: string, freeBytes: number): AppError {
  return new AppError(
    'disk-full',
    `The disk of ${folder} is nearly full (${Math.floor(freeBytes / 2 ** 20)} MB left), ` +
      'so nothing more is downloaded. ' +
      'Archived files are unchanged. Free some space; Solarchive resumes from here.',
    { details: { freeBytes } },
  )
}
