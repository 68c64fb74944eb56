import type { EventValue } from './contract/events.ts'

type SyncProgress = EventValue<'sync-progress'>

/** What the newest progress events say together: how fast it goes and how long it may still take. */
export interface Meter {
  readonly bytesPerSecond: number
  /** Null while too little is known. */
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

/** Below this, a rate is chance. */
const minimumMs = 2_000

/** Fewer finished files than this say nothing about how long the others take. */
const minimumFiles = 3

export const idleMeter: Meter = { bytesPerSecond: 0, leftMs: null, samples: [] }

/** The meter after one more progress event. Time that went back tells that another pass has begun. */
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
