import { AppError } from '../../../shared/errors.ts'
import { type FreeSpace, freeSpaceOf, reservedFreeBytes, nearlyFull } from '../lib/fs/free-space.ts'

/**
 * Reserves room for a file of so many bytes and resolves with a function that releases it. Waits if the file will fit
 * once the files in flight have ended. Throws `file-too-large` if it does not fit at all, `disk-full` if too little is
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
  /** Set while a file waits for another one's end. */
  let ending: PromiseWithResolvers<void> | undefined
  let last: Measured | undefined

  function reserve(bytes: number): () => void {
    reservedBytes += bytes
    if (last !== undefined) last.takenBytes += bytes
    return () => {
      reservedBytes -= bytes
      ending?.resolve()
      ending = undefined
    }
  }

  /** Returns whether a file fits by a measurement that is not too old. */
  function surelyFits(bytes: number): boolean {
    if (last === undefined || performance.now() - last.atMs >= freshMs) return false
    const { freeBytes, diskBytes } = last.space
    return bytes + last.takenBytes + 2 * reservedFreeBytes(diskBytes) <= freeBytes
  }

  async function measureAgain(): Promise<FreeSpace | undefined> {
    const atMs = performance.now()
    const space = await freeSpaceOf(folder)
    last = space === undefined ? undefined : { space, atMs, takenBytes: reservedBytes }
    return space
  }

  return async (bytes, signal) => {
    signal.throwIfAborted()
    if (surelyFits(bytes)) return reserve(bytes)
    for (;;) {
      ending ??= Promise.withResolvers()
      const nextEnd = ending.promise
      const space = await measureAgain()
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
