import type { Clock } from '../../electron/engine/lib/ports.ts'
import { systemClock } from '../../electron/engine/lib/system-clock.ts'

/** The longest that anybody really sleeps. */
const maxSleepMs = 5

/** Real time, but of a long sleep the most is skipped, and has passed then: a pause of a minute is over after it. */
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
