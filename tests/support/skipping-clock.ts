import type { Clock } from '../../electron/engine/lib/ports.ts'
import { systemClock } from '../../electron/engine/lib/system-clock.ts'

/** Upper limit of a real sleep. */
const maxSleepMs = 5

/** Real time that skips most of a long sleep: afterwards the clock has advanced by the whole pause. */
export function createSkippingClock(): Clock {
  let skippedMs = 0
  return {
    nowMs: () => systemClock.nowMs() + skippedMs,
    monotonicMs: () => systemClock.monotonicMs() + skippedMs,
    async sleep(delayMs, signal) {
      await systemClock.sleep(Math.min(delayMs, maxSleepMs), signal)
      skippedMs += Math.max(0, delayMs - maxSleepMs)
    },
  }
}
