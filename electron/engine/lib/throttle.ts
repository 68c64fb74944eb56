import type { Clock } from './ports.ts'

/**
 * Calls `pass` with the first value at once and then at most once every `intervalMs` milliseconds; values in between
 * are dropped.
 */
export function throttle<T>(
  intervalMs: number,
  clock: Pick<Clock, 'monotonicMs'>,
  pass: (value: T) => void,
): (value: T) => void {
  let lastMs = -Infinity
  return (value) => {
    const nowMs = clock.monotonicMs()
    if (nowMs - lastMs < intervalMs) return
    lastMs = nowMs
    pass(value)
  }
}
