import { AppError } from '../../../shared/errors.ts'
import type { Clock } from '../lib/ports.ts'
import { callPriorities, type CallPriority } from './service-types.ts'

/** The service's documentation: 60 requests a minute and IP address, then `429`. */
export const defaultCallsPerMinute = 60

/** The documented minute. */
const WINDOW_MS = 60_000

/**
 * Grants API calls so that no more than a number of them fall into any 60 seconds. Whoever waits is served by priority,
 * then in order of arrival.
 */
export interface RateBudget {
  /**
   * Resolves when the call may go; the caller then reports its end by calling what it got. Rejects with `cancelled` as
   * soon as the signal aborts.
   */
  take(priority: CallPriority, signal?: AbortSignal): Promise<CallEnded>
  /** Grants nothing for `ms` milliseconds from now; a longer pause already under way stays. */
  pauseFor(ms: number): void
  /** Milliseconds until the next of those who wait may go; 0 when nobody waits. */
  waitMs(): number
  /** How many calls could go at once beside those that wait; Infinity without a limit. */
  freeCalls(): number
}

/**
 * Tells the budget that the call is over. The service counted it at some moment in between, so it counts for 60 seconds
 * from now: that holds the limit as the service measures it, however slow the way there was. Twice is as good as once.
 */
type CallEnded = () => void

interface Waiter {
  grant(): void
}

/** Remembers calls from one process to the next: the service counts them together. */
export interface CallMemory {
  /** How long ago each call of the last 60 seconds was made, in milliseconds, the oldest first. */
  recentAgesMs(): readonly number[]
  /** A call is made now. */
  record(): void
}

/** `callsPerMinute`: calls in any 60 seconds; 0 lifts the limit (pauses still hold). */
export function createRateBudget(options: { clock: Clock; callsPerMinute?: number; memory?: CallMemory }): RateBudget {
  const { clock, callsPerMinute = defaultCallsPerMinute, memory } = options
  const queues = new Map<CallPriority, Set<Waiter>>(callPriorities.map((priority) => [priority, new Set()]))
  const endedAtMs = (memory?.recentAgesMs() ?? []).map((ageMs) => clock.monotonicMs() - ageMs)
  let callsUnderWay = 0
  let pausedUntilMs = 0
  let alarm: AbortController | undefined

  const waiting = () => [...queues.values()].some((queue) => queue.size > 0)

  /** When the next call may go by the window alone. While calls are under way their slots have no end yet. */
  const windowOpensAtMs = (nowMs: number) => {
    // A call leaves the window only after its 60,000th millisecond: both ends belong to the minute.
    while (endedAtMs[0] !== undefined && nowMs - endedAtMs[0] > WINDOW_MS) endedAtMs.shift()
    if (callsPerMinute === 0 || callsUnderWay + endedAtMs.length < callsPerMinute) return nowMs
    const oldest = endedAtMs[0]
    return oldest === undefined ? undefined : oldest + WINDOW_MS + 1
  }

  const delayMs = () => {
    const nowMs = clock.monotonicMs()
    const opensAtMs = windowOpensAtMs(nowMs)
    const pauseMs = Math.max(0, pausedUntilMs - nowMs)
    return opensAtMs === undefined ? undefined : Math.max(pauseMs, opensAtMs - nowMs)
  }

  const stopAlarm = () => {
    alarm?.abort()
    alarm = undefined
  }

  /** The moment of the next grant only ever moves back, so an alarm that is set already rings early enough. */
  const setAlarm = (ms: number) => {
    if (alarm !== undefined) return
    const mine = new AbortController()
    alarm = mine
    const ring = () => {
      if (alarm !== mine) return
      alarm = undefined
      serve()
    }
    clock.sleep(ms, mine.signal).then(ring, () => undefined)
  }

  const nextWaiter = () => {
    for (const queue of queues.values()) {
      for (const waiter of queue) {
        queue.delete(waiter)
        return waiter
      }
    }
    return undefined
  }

  const serve = () => {
    while (waiting()) {
      const ms = delayMs()
      // Without a known end, the end of a call under way brings us back here.
      if (ms === undefined) return
      if (ms > 0) {
        setAlarm(ms)
        return
      }
      nextWaiter()?.grant()
    }
    stopAlarm()
  }

  const start = (): CallEnded => {
    callsUnderWay++
    if (callsPerMinute > 0) memory?.record()
    let ended = false
    return () => {
      if (ended) return
      ended = true
      callsUnderWay--
      if (callsPerMinute > 0) endedAtMs.push(clock.monotonicMs())
      serve()
    }
  }

  return {
    take(priority, signal) {
      return new Promise((resolve, reject) => {
        const queue = queues.get(priority)
        if (queue === undefined || signal?.aborted === true) {
          reject(cancelled())
          return
        }
        const leave = () => {
          queue.delete(waiter)
          reject(cancelled())
          if (!waiting()) stopAlarm()
        }
        const waiter: Waiter = {
          grant() {
            signal?.removeEventListener('abort', leave)
            resolve(start())
          },
        }
        signal?.addEventListener('abort', leave, { once: true })
        queue.add(waiter)
        serve()
      })
    },
    pauseFor(ms) {
      pausedUntilMs = Math.max(pausedUntilMs, clock.monotonicMs() + ms)
    },
    waitMs() {
      return waiting() ? (delayMs() ?? WINDOW_MS) : 0
    },
    freeCalls() {
      const ms = delayMs()
      if (ms === undefined || ms > 0 || waiting()) return 0
      return callsPerMinute === 0 ? Infinity : callsPerMinute - callsUnderWay - endedAtMs.length
    },
  }
}

function cancelled(): AppError {
  return new AppError('cancelled', 'The call was stopped before it was sent. Nothing changed in the archive.')
}
