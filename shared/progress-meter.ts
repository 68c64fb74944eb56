import type { EventValue } from './contract/events.ts'

type SyncProgress = EventValue<'sync-progress'>

/** Rate and remaining time, computed from the latest progress events. */
export interface Meter {
  readonly bytesPerSecond: number
  /** Null until enough files are done. */
  readonly leftMs: number | null
  readonly samples: readonly Sample[]
}

interface Sample {
  readonly elapsedMs: number
  readonly bytes: number
  readonly filesDone: number
}

/** Long enough to smooth over one large file, short enough to follow a change of network. */
const windowMs = 15_000

/** Minimum time span of a meaningful rate. */
const minimumMs = 2_000

/** Minimum number of finished files for an estimate of the remaining time. */
const minimumFiles = 3

export const idleMeter: Meter = { bytesPerSecond: 0, leftMs: null, samples: [] }

/** Returns the meter after one more progress event. An earlier elapsed time starts a new pass. */
export function advanceMeter(before: Meter, progress: SyncProgress): Meter {
  const isSamePass = (before.samples.at(-1)?.elapsedMs ?? 0) <= progress.elapsedMs
  const meter = isSamePass ? before : idleMeter
  const { elapsedMs, bytesDownloaded, filesDone, filesTotal, filesFailed } = progress
  const now: Sample = { elapsedMs, bytes: bytesDownloaded, filesDone: filesDone + filesFailed }
  const recent = meter.samples.filter((sample) => elapsedMs - sample.elapsedMs <= windowMs)
  const first = recent[0] ?? now
  const spanMs = elapsedMs - first.elapsedMs
  const samples = [...recent, now]
  if (spanMs < minimumMs) return { bytesPerSecond: meter.bytesPerSecond, leftMs: meter.leftMs, samples }

  const finished = now.filesDone - first.filesDone
  const filesLeft = Math.max(0, filesTotal - now.filesDone)
  return {
    bytesPerSecond: ((now.bytes - first.bytes) * 1000) / spanMs,
    leftMs: finished >= minimumFiles ? (filesLeft * spanMs) / finished : null,
    samples,
  }
}
