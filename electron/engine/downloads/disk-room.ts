import { AppError } from '../../../shared/errors.ts'
import { type FreeSpace, freeSpaceOf, reservedFreeBytes, nearlyFull } from '../lib/fs/free-space.ts'

/**
 * Reserves room for a file of so many bytes and resolves with a function that releases it. Waits while the file would
 * fit if the files in flight had ended. Throws `file-too-large` if it does not fit at all, `disk-full` if too little is
 * left to begin any file, and the signal's reason.
 */
export type RoomFor = (bytes: number, signal: AbortSignal) => Promise<() => void>

/** A disk with less room than this is full, whatever its size. */
const smallBytes = 2 ** 20

/** Maximum age of a measurement: a call to the disk for each small file costs more than writing it. */
const freshMs = 1000

/**
 * Reserves room on a folder's disk by the free space at that moment. Reservations of files in flight count in full
 * until they end, although part of them is on the disk already: that costs a wait at most.
 */
export function createDiskRoom(folder: string): RoomFor {
  let reservedBytes = 0
  let ending = Promise.withResolvers<void>()
  let last: Measured | undefined

  function reserve(bytes: number): () => void {
    reservedBytes += bytes
    if (last !== undefined) last.takenBytes += bytes
    return () => {
      reservedBytes -= bytes
      ending.resolve()
      ending = Promise.withResolvers()
    }
  }

  /** Measures again after a second, and once a file may not fit. */
  async function measure(bytes: number): Promise<FreeSpace | undefined> {
    const nowMs = performance.now()
    if (last !== undefined && nowMs - last.atMs < freshMs) {
      const { freeBytes, diskBytes } = last.space
      if (bytes + last.takenBytes + 2 * reservedFreeBytes(diskBytes) <= freeBytes) return last.space
    }
    const space = await freeSpaceOf(folder)
    last = space === undefined ? undefined : { space, atMs: nowMs, takenBytes: reservedBytes }
    return space
  }

  return async (bytes, signal) => {
    for (;;) {
      const nextEnd = ending.promise
      const space = await measure(bytes)
      signal.throwIfAborted()
      if (space === undefined) return reserve(bytes)
      const keptBytes = reservedFreeBytes(space.diskBytes)
      if (space.freeBytes < keptBytes) throw nearlyFull(folder, space.freeBytes)
      // A small file may use the space that is kept free; the next one then finds the disk full. Otherwise a disk that
      // fills up would be reported as thousands of files that are too large.
      const isSmall = bytes <= Math.max(keptBytes, smallBytes)
      const usableBytes = isSmall ? space.freeBytes : space.freeBytes - keptBytes
      if (bytes > usableBytes) {
        throw isSmall ? nearlyFull(folder, space.freeBytes) : doesNotFit(folder, bytes, usableBytes)
      }
      if (bytes + reservedBytes <= usableBytes) return reserve(bytes)
      await orAborted(nextEnd, signal)
    }
  }
}

/** Free space at one moment, and the bytes that were reserved then or later. */
interface Measured {
  readonly space: FreeSpace
  readonly atMs: number
  takenBytes: number
}

function doesNotFit(folder: string, neededBytes: number, usableBytes: number): AppError {
  const neededMegabytes = Math.ceil(neededBytes / 2 ** 20)
  const usableMegabytes = Math.floor(usableBytes / 2 ** 20)
  return new AppError(
    'file-too-large',
    `This file needs ${neededMegabytes} MB, and the disk of ${folder} has ${usableMegabytes} MB for it, so it was not ` +
      `downloaded. Everything that fits is archived. Free at least ${neededMegabytes - usableMegabytes} MB more; the ` +
      'download is retried automatically.',
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
