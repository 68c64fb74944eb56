import { statfs } from 'node:fs/promises'
import { AppError } from '../../../../shared/errors.ts'
import type { Clock } from '../ports.ts'

/** Left free for everything else on the disk: the database, the log, the person's own work. */
const maxReservedBytes = 256 * 2 ** 20

/** Of a small disk a part of it is left. */
const reservedShare = 0.02

/** How much of a disk is to stay free, by its size in bytes. */
export function reservedFreeBytes(diskBytes: number): number {
  return Math.min(maxReservedBytes, diskBytes * reservedShare)
}

export interface FreeSpace {
  readonly freeBytes: number
  /** The size of the whole disk. */
  readonly diskBytes: number
}

/** Undefined for a file system that tells no sizes (some network shares), or that cannot be asked. */
export async function freeSpaceOf(folder: string): Promise<FreeSpace | undefined> {
  const found = await statfs(folder).catch(() => undefined)
  if (found === undefined || found.blocks === 0) return undefined
  return { freeBytes: found.bavail * found.bsize, diskBytes: found.blocks * found.bsize }
}

/**
 * Throws `disk-full` when less is left on the folder's disk than has to stay free. A disk that tells no sizes passes: the
 * write itself will tell.
 */
export async function requireFreeSpace(folder: string): Promise<void> {
  const space = await freeSpaceOf(folder)
  if (space === undefined || space.freeBytes >= reservedFreeBytes(space.diskBytes)) return
  throw nearlyFull(folder, space.freeBytes)
}

/** Too little is left for any file. */
export function nearlyFull(folder: string, freeBytes: number): AppError {
  return new AppError(
    'disk-full',
    `The disk of ${folder} is nearly full (${Math.floor(freeBytes / 2 ** 20)} MB left), so nothing more is downloaded. ` +
      'What is archived stays as it is. Free some space; Solarchive goes on from here.',
    { details: { freeBytes } },
  )
}

/** A second of downloads changes little on a disk. */
const freshMs = 1000

/** `requireFreeSpace` for every file of a pass: asks the disk at most once a second. */
export function createSpaceGuard(folder: string, clock: Pick<Clock, 'monotonicMs'>): () => Promise<void> {
  let last: Promise<void> | undefined
  let lastMs = -Infinity
  return () => {
    const nowMs = clock.monotonicMs()
    if (last === undefined || nowMs - lastMs >= freshMs) {
      last = requireFreeSpace(folder)
      lastMs = nowMs
    }
    return last
  }
}
