import { AppError } from '../../../shared/errors.ts'
import { type FreeSpace, freeSpaceOf, nearlyFull, requireSpareBytes, reservedFreeBytes } from '../lib/fs/free-space.ts'
import type { Clock } from '../lib/ports.ts'

/** Free space of a disk, shared by the files in flight. */
export interface DiskRoom {
  /** Throws `disk-full` if too little is left to begin any file, by a measurement of the last second. */
  requireAny(): Promise<void>
  /**
   * Reserves room for a file of so many bytes and resolves with a function that releases it. Waits if the file will fit
   * once the files in flight have ended. Throws `file-too-large` if it does not fit at all, `disk-full` if too little
   * is left to begin any file, and the signal's reason.
   */
  reserve(bytes: number, signal: AbortSignal): Promise<() => void>
}

/** A disk with less room than this is full, whatever its size. */
const smallBytes = 2 ** 20

/** Maximum age of a measurement: a call to the disk for each small file costs more than writing it. */
const freshMs = 1000

/**
 * Reserves room on a folder's disk by the free space at that moment. Reservations of files in flight count in full
 * until they end, although part of them is on the disk already: that costs a wait at most.
 */
export function createDiskRoom(folder: string, clock: Pick<Clock, 'monotonicMs'>): DiskRoom {
  let reservedBytes = 0
  /** Set while a file waits for another one's end. */
  let ending: PromiseWithResolvers<void> | undefined
  let last: Measured | undefined

  function take(bytes: number): () => void {
    reservedBytes += bytes
    if (last !== undefined) last.takenBytes += bytes
    return () => {
      reservedBytes -= bytes
      ending?.resolve()
      ending = undefined
    }
  }

  function recent(): Measured | undefined {
    return last !== undefined && clock.monotonicMs() - last.atMs < freshMs ? last : undefined
  }

  async function measure(): Promise<Measured> {
    const atMs = clock.monotonicMs()
    const space = await freeSpaceOf(folder)
    return (last = { space, atMs, takenBytes: reservedBytes })
  }

  return {
    async requireAny() {
      const { space } = recent() ?? (await measure())
      requireSpareBytes(folder, space)
    },
    async reserve(bytes, signal) {
      signal.throwIfAborted()
      if (surelyFits(bytes, recent())) return take(bytes)
      for (;;) {
        ending ??= Promise.withResolvers()
        const nextEnd = ending.promise
        const { space } = await measure()
        signal.throwIfAborted()
        if (space === undefined) return take(bytes)
        requireSpareBytes(folder, space)
        const keptBytes = reservedFreeBytes(space.diskBytes)
        // A small file may use the space that is kept free; the next one then finds the disk full. Otherwise a disk
        // that fills up would be reported as thousands of files that are too large.
        const isSmall = bytes <= Math.max(keptBytes, smallBytes)
        const usableBytes = isSmall ? space.freeBytes : space.freeBytes - keptBytes
        if (bytes > usableBytes) {
          throw isSmall ? nearlyFull(folder, space.freeBytes) : doesNotFit(folder, bytes, usableBytes)
        }
        if (bytes + reservedBytes <= usableBytes) return take(bytes)
        await orAborted(nextEnd, signal)
      }
    },
  }
}

function surelyFits(bytes: number, measured: Measured | undefined): boolean {
  if (measured?.space === undefined) return false
  const { freeBytes, diskBytes } = measured.space
  return bytes + measured.takenBytes + 2 * reservedFreeBytes(diskBytes) <= freeBytes
}

/** Free space at one moment, and the bytes that were reserved then or later. */
interface Measured {
  readonly space: FreeSpace | undefined
  readonly atMs: number
  takenBytes: number
}

function doesNotFit(folder: string, neededBytes: number, usableBytes: number): AppError {
  const neededMegabytes = Math.ceil(neededBytes / 2 ** 20)
  const usableMegabytes = Math.floor(usableBytes / 2 ** 20)
  return new AppError(
    'file-too-large',
    `This file needs ${neededMegabytes} MB, and the disk of ${folder} has ${usableMegabytes} MB for it, so it was ` +
      `not downloaded. Everything that fits is archived. Free at least ${neededMegabytes - usableMegabytes} MB more; ` +
      'the download is retried automatically.',
    { details: { neededBytes, usableBytes } },
  )
}

function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true })
    void promise.then(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    })
  })
}
