import { AppError } from '../../../shared/errors.ts'
import { freeSpaceOf, reservedFreeBytes, nearlyFull } from '../lib/fs/free-space.ts'

/**
 * Reserves room for a file of so many bytes and resolves with a function that releases it. Waits while the file would
 * fit if the files in flight had ended. Throws `file-too-large` if it does not fit at all, `disk-full` if too little is
 * left to begin any file, and the signal's reason.
 */
export type RoomFor = (bytes: number, signal: AbortSignal) => Promise<() => void>

/** A disk with less room than this is full, whatever its size. */
const smallBytes = 2 ** 20

/**
 * Reserves room on a folder's disk by the free space at that moment. Reservations of files in flight count in full
 * until they end, although part of them is on the disk already: that costs a wait at most.
 */
export function createDiskRoom(folder: string): RoomFor {
  let reservedBytes = 0
  let ending = Promise.withResolvers<void>()

  function reserve(bytes: number): () => void {
    reservedBytes += bytes
    return () => {
      reservedBytes -= bytes
      ending.resolve()
      ending = Promise.withResolvers()
    }
  }

  return async (bytes, signal) => {
    for (;;) {
      const nextEnd = ending.promise
      const space = await freeSpaceOf(folder)
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

function doesNotFit(folder: string, neededBytes: number, usableBytes: number): AppError {
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MB`
  return new AppError(
    'file-too-large',
    `This file needs ${megabytes(neededBytes)}, and the disk of ${folder} has ` +
      `${Math.floor(usableBytes / 2 ** 20)} MB for it, so it was not downloaded. Everything that fits is archived. ` +
      `Free at least ${megabytes(neededBytes - usableBytes)} more; the download is retried automatically.`,
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
