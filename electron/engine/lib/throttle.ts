import type { Clock } from './ports.ts'

/**
 * Passes the first value on at once and then the newest at most every `intervalMs` milliseconds. A value that comes
 * within the interval and is followed by none is dropped: whoever needs the end has the result.
 */
export function throttle<T>(intervalMs: number, clock: Clock, pass: (value: T) => void): (value: T) => void {
  let lastMs = -Infinity
  return (value) => {
    const nowMs = clock.monotonicMs()
    if (nowMs - lastMs < intervalMs) return
    lastMs = nowMs
    pass(value)
  }
}
