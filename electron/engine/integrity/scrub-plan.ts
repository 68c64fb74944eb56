import { z } from 'zod'
import { checksumsPath } from '../archive/layout.ts'
import type { Clock } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'
import type { ArchivedFile } from '../store/archived-files-store.ts'
import type { ArchivedChecksums } from './findings.ts'

/** Progress of one round through the archive. */
export interface RoundState {
  /** Cost of the whole round, in the bytes of `readingCost`. */
  readonly totalBytes: number
  /** Cost of what was read so far. */
  readonly doneBytes: number
  /** Age of the round by the wall clock, which a user may set: it may be negative, or off by days. */
  readonly roundAgeMs: number
  /** Time since the previous call, by the monotonic clock; 0 for the first call. */
  readonly sinceLastMs: number
}

/** Time in which the whole archive is read once. */
export const roundMs = 30 * 24 * 60 * 60_000

/**
 * A machine that was off, or asleep, catches up at ten times the steady pace: an office computer that runs three hours
 * a day still ends its round in time. Of a terabyte the steady pace is 0.4 MB/s.
 */
const catchUpFactor = 10

/** A longer gap means that the machine slept: the backlog is spread out instead of read at once. */
const maxElapsedMs = 15 * 60_000

/**
 * Cost of opening a file, in bytes: a hard disk's seek takes about as long as reading this much. It keeps a thousand
 * thumbnails from being read at once.
 */
const costOfOpeningBytes = 256 * 1024

export function readingCost(files: number, bytes: number): number {
  return bytes + files * costOfOpeningBytes
}

/**
 * Returns how much more is due now, in bytes of `readingCost`: the backlog of the round, but at least the steady share
 * of the elapsed time (a clock set back cannot stop the round) and at most ten times that (a clock set forward cannot
 * flood the disk).
 */
export function readingDue({ totalBytes, doneBytes, roundAgeMs, sinceLastMs }: RoundState): number {
  const elapsedMs = Math.min(Math.max(sinceLastMs, 0), maxElapsedMs)
  const steady = (totalBytes * elapsedMs) / roundMs
  const dueSoFar = totalBytes * Math.min(Math.max(roundAgeMs / roundMs, 0), 1)
  return Math.max(steady, Math.min(dueSoFar - doneBytes, catchUpFactor * steady))
}

/** Maximum pause of the reader. It stays below `maxElapsedMs`, so that no due reading is lost. */
const maxPauseMs = 10 * 60_000

/** Returns the time until something is due again at the steady pace. `creditBytes` is negative after a large file. */
export function pauseMs(totalBytes: number, creditBytes: number): number {
  if (creditBytes > 0) return 0
  const untilDueMs = totalBytes === 0 ? Infinity : (-creditBytes / totalBytes) * roundMs
  return Math.min(Math.max(untilDueMs, 1_000), maxPauseMs)
}

/**
 * Returns the maximum reading speed in bytes per second. The slowest archives are on a NAS behind 100 Mbit/s (12 MB/s)
 * or on USB disks: a third of that bandwidth is left to other programs. That reads 20 TB in 30 days; a larger archive
 * gets twice the speed it needs.
 */
export function readingSpeed(totalBytes: number): number {
  return Math.max(8_000_000, (2 * totalBytes) / (roundMs / 1000))
}

/** Shorter pauses are added up: timers are not that precise. */
const minPauseMs = 20

/** Returns a `pace` for `hashFile` that limits the reading speed. It rejects with the signal's reason. */
export function limitReadingSpeed(
  bytesPerSecond: number,
  clock: Clock,
  signal: AbortSignal,
): (bytes: number) => Promise<void> {
  const startMs = clock.monotonicMs()
  let readBytes = 0
  return async (bytes) => {
    readBytes += bytes
    const aheadMs = (readBytes / bytesPerSecond) * 1000 - (clock.monotonicMs() - startMs)
    if (aheadMs >= minPauseMs) await clock.sleep(aheadMs, signal)
  }
}

/** Position in the walk through all archived files: the row `after` of a kind was the last one. */
export const walkPositionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('assets'), after: z.int() }),
  z.object({ kind: z.literal('documents'), after: z.int() }),
  z.object({ kind: z.literal('versions'), after: z.string() }),
  z.object({ kind: z.literal('checksums'), after: z.string() }),
])
export type WalkPosition = z.infer<typeof walkPositionSchema>

export const walkStart: WalkPosition = { kind: 'assets', after: 0 }

/** One file of the walk, and the position after it. */
export interface WalkStep {
  readonly file: ArchivedFile | ArchivedChecksums
  readonly position: WalkPosition
}

/**
 * Returns the next files after a position, at most `limit`; none at the end. They come in the order of their keys,
 * which no clock can disturb: every file comes once per round, added ones in their turn.
 */
export function nextSteps(store: Store, position: WalkPosition, limit: number): WalkStep[] {
  const steps = stepsOfKind(store, position, limit)
  const next = steps.length > 0 ? undefined : nextKind[position.kind]
  return next === undefined ? steps : nextSteps(store, next, limit)
}

function stepsOfKind(store: Store, position: WalkPosition, limit: number): WalkStep[] {
  const { archivedFiles: files } = store
  switch (position.kind) {
    case 'assets':
      return files.assets(position.after, limit).map((file) => ({ file, position: { kind: 'assets', after: file.id } }))
    case 'documents':
      return files
        .documents(position.after, limit)
        .map((file) => ({ file, position: { kind: 'documents', after: file.checklistKey } }))
    case 'versions':
      return files
        .versions(position.after, limit)
        .map((file) => ({ file, position: { kind: 'versions', after: file.path } }))
    case 'checksums':
      return store.projects
        .listAll()
        .flatMap(({ id, folder }) => (folder === null || id <= position.after ? [] : [{ id, folder }]))
        .slice(0, limit)
        .map(({ id, folder }) => ({
          file: { kind: 'checksums', projectId: id, path: checksumsPath(folder) },
          position: { kind: 'checksums', after: id },
        }))
  }
}

const nextKind: Readonly<Record<WalkPosition['kind'], WalkPosition | undefined>> = {
  assets: { kind: 'documents', after: 0 },
  documents: { kind: 'versions', after: '' },
  versions: { kind: 'checksums', after: '' },
  checksums: undefined,
}
