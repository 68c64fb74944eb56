import { z } from 'zod'
import { checksumsPath } from '../archive/layout.ts'
import type { Clock } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'
import type { HeldFile } from '../store/held-files-store.ts'
import type { HeldChecksums } from './findings.ts'

/** How far a round through the archive is, and how long ago something of it was read. */
export interface RoundState {
  /** What the whole round costs, in the bytes of `readingCost`. */
  readonly totalBytes: number
  /** What of it was read. */
  readonly doneBytes: number
  /** Since the round began, by the wall clock: it may be negative, or off by days. */
  readonly roundAgeMs: number
  /** Since this was last asked, by a clock that nobody sets; 0 at the first time. */
  readonly sinceLastMs: number
}

/** The whole archive is read again in this time. */
export const roundMs = 30 * 24 * 60 * 60_000

/**
 * A machine that was off, or asleep, catches up at ten times the steady pace: an office computer that runs three hours a
 * day still ends its round in time. Of a terabyte the steady pace is 0.4 MB/s.
 */
const catchUpFactor = 10

/** A longer silence was a sleep of the machine, not a reader who was patient: it is caught up with, not read at once. */
const maxElapsedMs = 15 * 60_000

/**
 * What a file costs besides its bytes: the way to it, which takes a hard disk about as long as reading this much. So a
 * thousand thumbnails are not read in one breath.
 */
const costOfOpeningBytes = 256 * 1024

export function readingCost(files: number, bytes: number): number {
  return bytes + files * costOfOpeningBytes
}

/**
 * How much more is due now, in bytes of `readingCost`: at least the steady share of the time that passed, so that no clock
 * starves the round, and at most ten times that, so that none makes it a storm. In between, what the round is behind.
 */
export function readingDue({ totalBytes, doneBytes, roundAgeMs, sinceLastMs }: RoundState): number {
  const elapsedMs = Math.min(Math.max(sinceLastMs, 0), maxElapsedMs)
  const steady = (totalBytes * elapsedMs) / roundMs
  const dueSoFar = totalBytes * Math.min(Math.max(roundAgeMs / roundMs, 0), 1)
  return Math.max(steady, Math.min(dueSoFar - doneBytes, catchUpFactor * steady))
}

/** The longest that a reader may stay away without losing anything of what is due. */
const maxPauseMs = 10 * 60_000

/** How long to wait until something is due again, at the steady pace, when `creditBytes` are left (negative: owed). */
export function pauseMs(totalBytes: number, creditBytes: number): number {
  if (creditBytes > 0) return 0
  const untilDueMs = totalBytes === 0 ? Infinity : (-creditBytes / totalBytes) * roundMs
  return Math.min(Math.max(untilDueMs, 1_000), maxPauseMs)
}

/**
 * What a round may take of the disk, in bytes a second. Archives lie on NAS behind 100 Mbit/s, which carries 12 MB/s, and
 * on USB disks: a third of the slowest is left to people. That reads 20 TB in 30 days; a larger archive gets twice what
 * it needs.
 */
export function readingSpeed(totalBytes: number): number {
  return Math.max(8_000_000, (2 * totalBytes) / (roundMs / 1000))
}

/** Shorter pauses than this are gathered: timers are not that exact. */
const minPauseMs = 20

/** A pace for `hashFile` by which reading takes at most so many bytes a second. Rejects with the signal's reason. */
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

/** A place on the way through everything that the archive holds: behind the row `after` of a kind. */
export const walkPositionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('assets'), after: z.int() }),
  z.object({ kind: z.literal('documents'), after: z.int() }),
  z.object({ kind: z.literal('versions'), after: z.string() }),
  z.object({ kind: z.literal('checksums'), after: z.string() }),
])
export type WalkPosition = z.infer<typeof walkPositionSchema>

export const walkStart: WalkPosition = { kind: 'assets', after: 0 }

/** A file on the way, and the place behind it. */
export interface WalkStep {
  readonly file: HeldFile | HeldChecksums
  readonly position: WalkPosition
}

/**
 * The next files behind a place, at most `limit`; none at the end. In the order of keys, which no clock can disturb: what
 * is added comes in its turn, what is deleted is passed over, and every file comes once a round.
 */
export function nextSteps(store: Store, place: WalkPosition, limit: number): WalkStep[] {
  const steps = stepsOfKind(store, place, limit)
  const next = steps.length > 0 ? undefined : nextKind(place)
  return next === undefined ? steps : nextSteps(store, next, limit)
}

function stepsOfKind(store: Store, place: WalkPosition, limit: number): WalkStep[] {
  switch (place.kind) {
    case 'assets':
      return store.heldFiles
        .assets(place.after, limit)
        .map((file) => ({ file, position: { kind: 'assets', after: file.id } }))
    case 'documents':
      return store.heldFiles
        .documents(place.after, limit)
        .map((file) => ({ file, position: { kind: 'documents', after: file.checklistKey } }))
    case 'versions':
      return store.heldFiles
        .versions(place.after, limit)
        .map((file) => ({ file, position: { kind: 'versions', after: file.path } }))
    case 'checksums':
      return store.projects
        .listAll()
        .flatMap(({ id, folder }) => (folder === null || id <= place.after ? [] : [{ id, folder }]))
        .slice(0, limit)
        .map(({ id, folder }) => ({
          file: { kind: 'checksums', projectId: id, path: checksumsPath(folder) },
          position: { kind: 'checksums', after: id },
        }))
  }
}

function nextKind({ kind }: WalkPosition): WalkPosition | undefined {
  switch (kind) {
    case 'assets':
      return { kind: 'documents', after: 0 }
    case 'documents':
      return { kind: 'versions', after: '' }
    case 'versions':
      return { kind: 'checksums', after: '' }
    case 'checksums':
      return undefined
  }
}
