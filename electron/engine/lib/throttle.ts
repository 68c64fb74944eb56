import type { Clock } from './ports.ts'

/** Passes on the first value at once and later ones at most every `intervalMs` milliseconds; those between are dropped. */
export function throttle<T>(intervalMs: number, clock: Clock, pass: (value: T) => void): (value: T) => void {
  let lastMs = -Infinity
  return (value) => {
    const nowMs = clock.monotonicMs()
    if (nowMs - lastMs < intervalMs) return
    lastMs = nowMs
    pass(value)
  }
}
