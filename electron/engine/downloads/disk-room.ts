import { AppError } from '../../../shared/errors.ts'
import { freeSpaceOf, reservedFreeBytes, nearlyFull } from '../lib/fs/free-space.ts'

/**
 * Sets room aside for a file of so many bytes, until what it answers is called. Waits while the file would fit but for
 * the others that are under way. Throws `file-too-large` when it does not fit at all, `disk-full` when too little is
 * left to begin any file, and the signal's reason.
 */
export type RoomFor = (bytes: number, signal: AbortSignal) => Promise<() => void>

/** A disk that has no room for as much is full, whatever its size. */
const smallBytes = 2 ** 20

/**
 * Room on a folder's disk, as the disk tells it at that moment. What others have announced counts whole until they end:
 * too much rather than too little, which costs a wait at most.
 */
export function createDiskRoom(folder: string): RoomFor {
  let announcedBytes = 0
  let ending = Promise.withResolvers<void>()

  function setAside(bytes: number): () => void {
    announcedBytes += bytes
    return () => {
      announcedBytes -= bytes
      ending.resolve()
      ending = Promise.withResolvers()
    }
  }

  return async (bytes, signal) => {
    for (;;) {
      const nextEnd = ending.promise
      const space = await freeSpaceOf(folder)
      signal.throwIfAborted()
      if (space === undefined) return setAside(bytes)
      const keptBytes = reservedFreeBytes(space.diskBytes)
      if (space.freeBytes < keptBytes) throw nearlyFull(folder, space.freeBytes)
      // A small file may take of the reserve, and the next one finds the disk full. Where that kept such files back one by
      // one, a disk that fills up would be told as thousands of files that are too large.
      const isSmall = bytes <= Math.max(keptBytes, smallBytes)
      const usableBytes = isSmall ? space.freeBytes : space.freeBytes - keptBytes
      if (bytes > usableBytes) {
        throw isSmall ? nearlyFull(folder, space.freeBytes) : doesNotFit(folder, bytes, usableBytes)
      }
      if (bytes + announcedBytes <= usableBytes) return setAside(bytes)
      await orAborted(nextEnd, signal)
    }
  }
}

function doesNotFit(folder: string, neededBytes: number, usableBytes: number): AppError {
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MB`
  return new AppError(
    'file-too-large',
    `This file needs ${megabytes(neededBytes)}, and the disk of ${folder} has ${Math.floor(usableBytes / 2 ** 20)} MB for it, ` +
      'so it was not downloaded. Everything that fits is archived as ever. ' +
      `Free at least ${megabytes(neededBytes - usableBytes)} more; it is tried again by itself.`,
    { details: { neededBytes, usableBytes } },
  )
}

function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason as Error)
    signal.addEventListener('abort', giveUp, { once: true })
    void promise.then(() => {
      signal.removeEventListener('abort', giveUp)
      resolve()
    })
  })
}
