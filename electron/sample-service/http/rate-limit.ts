const windowMs = 60_000

/** Allows so many calls in any 60 seconds. Each answer is how long to wait, 0 when the call may go ahead. */
export function createRateLimit(callsPerMinute: number, nowMs: () => number): () => number {
  let calls: number[] = []
  return () => {
    if (callsPerMinute === 0) return 0
    const now = nowMs()
    calls = calls.filter((at) => at > now - windowMs)
    const oldest = calls[0]
    if (calls.length >= callsPerMinute && oldest !== undefined) return oldest + windowMs - now
    calls.push(now)
    return 0
  }
}
