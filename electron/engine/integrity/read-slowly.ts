import type { Clock } from '../lib/ports.ts'

/** Shorter pauses than this are gathered: timers are not that exact. */
const shortestPauseMs = 20

/** A pace for `hashFile` by which reading takes at most so many bytes a second. Rejects with the signal's reason. */
export function readSlowly(
  bytesPerSecond: number,
  clock: Clock,
  signal: AbortSignal,
): (bytes: number) => Promise<void> {
  const startMs = clock.monotonicMs()
  let readBytes = 0
  return async (bytes) => {
    readBytes += bytes
    const aheadMs = (readBytes / bytesPerSecond) * 1000 - (clock.monotonicMs() - startMs)
    if (aheadMs >= shortestPauseMs) await clock.sleep(aheadMs, signal)
  }
}
