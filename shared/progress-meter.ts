import type { EventValue } from './contract/events.ts'

type SyncProgress = EventValue<'sync-progress'>

/** Download rate, computed from the latest progress events. */
export interface Meter {
  readonly bytesPerSecond: number
  readonly samples: readonly Sample[]
}

interface Sample {
  readonly elapsedMs: number
  readonly bytes: number
}

/** Long enough to smooth over one large file, short enough to follow a change of network. */
const windowMs = 15_000

/** Minimum time span of a meaningful rate. */
const minimumMs = 2_000

export const idleMeter: Meter = { bytesPerSecond: 0, samples: [] }

/** Returns the meter after one more progress event. An earlier elapsed time starts a new pass. */
export function advanceMeter(before: Meter, { elapsedMs, bytesDownloaded: bytes }: SyncProgress): Meter {
  const isSamePass = (before.samples.at(-1)?.elapsedMs ?? 0) <= elapsedMs
  const meter = isSamePass ? before : idleMeter
  const recent = meter.samples.filter((sample) => elapsedMs - sample.elapsedMs <= windowMs)
  const first = recent[0] ?? { elapsedMs, bytes }
  const spanMs = elapsedMs - first.elapsedMs
  const samples = [...recent, { elapsedMs, bytes }]
  if (spanMs < minimumMs) return { bytesPerSecond: meter.bytesPerSecond, samples }
  return { bytesPerSecond: ((bytes - first.bytes) * 1000) / spanMs, samples }
}
