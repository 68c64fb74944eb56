import type { Clock } from './ports.ts'

/** Longest delay of Node's timers (2^31 - 1 ms, about 25 days); longer ones fire at once. */
const maxTimerMs = 2_147_483_647

/** The system's clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  async sleep(delayMs, signal) {
    for (let leftMs = delayMs; ; leftMs -= maxTimerMs) {
      await wait(Math.min(Math.max(leftMs, 0), maxTimerMs), signal)
      if (leftMs <= maxTimerMs) return
    }
  },
}

function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      // The port promises the signal's own reason, whatever its type.
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, delayMs)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
