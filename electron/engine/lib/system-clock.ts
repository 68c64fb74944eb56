import type { Clock } from './ports.ts'

/** Node's timers fire at once for anything longer (2^31 - 1 ms, about 25 days). */
const longestTimerMs = 2_147_483_647

/** The machine's own clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  async sleep(delayMs, signal) {
    for (let leftMs = delayMs; ; leftMs -= longestTimerMs) {
      await wait(Math.min(Math.max(leftMs, 0), longestTimerMs), signal)
      if (leftMs <= longestTimerMs) return
    }
  },
}

function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = () => {
      clearTimeout(timer)
      // The port promises the signal's own reason, whatever it is.
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', give)
      resolve()
    }, delayMs)
    if (signal?.aborted) give()
    else signal?.addEventListener('abort', give, { once: true })
  })
}
