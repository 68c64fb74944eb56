import { z } from 'zod'
import { AppError } from '../../../shared/errors.ts'
import { toEngineError } from '../lib/engine-error.ts'
import { parseJson } from '../lib/parse-json.ts'
import type { Clock } from '../lib/ports.ts'
import { maxPauseMs } from './retry-rules.ts'
import { callPriorities, type CallPriority } from './service-types.ts'
import type { Store } from '../store/create-store.ts'

/** The documented limit of the service: 60 requests a minute per IP address, then `429`. */
export const defaultCallsPerMinute = 60

/** The minute of the documented limit. */
const windowMs = 60_000

/** Time in which a call reaches the service. Processes share the times of calls before they are sent. */
const sendMs = 1_000

/**
 * Reports that the call is over. The service counted it at some time during the call, so it counts for 60 seconds from
 * its end: that keeps the limit as the service measures it, however slow the network. Calling it twice has no effect.
 */
type CallEnded = () => void

/** Remembers calls from one process to the next, because the service counts them together. */
export interface CallMemory {
  /** Returns the ages of the calls that the service may have counted in the last 60 seconds, in ms, oldest first. */
  recentAgesMs(): readonly number[]
  /** Records a call that is made now. */
  record(): void
  /** Returns the rest of a pause that the service asked for, in milliseconds. */
  pauseLeftMs?(): number
  /** Records a pause of `ms` milliseconds from now. */
  recordPause?(ms: number): void
}

export interface RateBudgetOptions {
  readonly clock: Clock
  /** Calls in any 60 seconds; 0 removes the limit, but not the pauses. */
  readonly callsPerMinute?: number
  readonly memory?: CallMemory
}

/**
 * Grants API calls so that no 60 seconds contain more than a fixed number of them. Waiting callers are served by
 * priority, then in order of arrival.
 */
export class RateBudget {
  readonly #clock: Clock
  /** Calls in any 60 seconds; 0 without a limit. */
  readonly callsPerMinute: number
  readonly #memory: CallMemory | undefined
  readonly #queues = new Map<CallPriority, Set<() => void>>(callPriorities.map((priority) => [priority, new Set()]))
  /** Ends of the calls in the window, on the monotonic clock. */
  readonly #endedAtMs: number[]
  #callsInFlight = 0
  #pausedUntilMs: number
  #timer: AbortController | undefined

  constructor({ clock, callsPerMinute = defaultCallsPerMinute, memory }: RateBudgetOptions) {
    this.#clock = clock
    this.callsPerMinute = callsPerMinute
    this.#memory = memory
    this.#endedAtMs = (memory?.recentAgesMs() ?? []).map((ageMs) => clock.monotonicMs() - ageMs)
    this.#pausedUntilMs = clock.monotonicMs() + (memory?.pauseLeftMs?.() ?? 0)
  }

  /**
   * Resolves when the call may be sent; the caller then reports its end by calling the returned function. Rejects with
   * `cancelled` as soon as the signal aborts, and with errors of the database, such as `disk-full`.
   */
  take(priority: CallPriority, signal?: AbortSignal): Promise<CallEnded> {
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(priority)
      if (queue === undefined || signal?.aborted === true) {
        reject(cancelled())
        return
      }
      const leave = () => {
        queue.delete(grant)
        reject(cancelled())
        if (!this.#isAnyWaiting()) this.#stopTimer()
      }
      const grant = () => {
        signal?.removeEventListener('abort', leave)
        try {
          resolve(this.#start())
        } catch (error) {
          reject(toEngineError(error, 'record a call'))
        }
      }
      signal?.addEventListener('abort', leave, { once: true })
      queue.add(grant)
      this.#serve()
    })
  }

  /** Grants nothing for `ms` milliseconds from now. A longer pause that has already begun is kept. */
  pauseFor(ms: number): void {
    const untilMs = this.#clock.monotonicMs() + ms
    if (untilMs <= this.#pausedUntilMs) return
    this.#pausedUntilMs = untilMs
    this.#memory?.recordPause?.(ms)
  }

  /** Milliseconds that are left of a pause that the service asked for. */
  pauseLeftMs(): number {
    return Math.max(0, this.#pausedUntilMs - this.#clock.monotonicMs())
  }

  /** Milliseconds until the next waiting call may be sent; 0 if none is waiting. */
  waitMs(): number {
    return this.#isAnyWaiting() ? (this.#delayMs() ?? windowMs) : 0
  }

  /** Milliseconds until the last of `calls` calls may be sent, if there are no others. */
  callsTakeMs(calls: number): number {
    if (calls <= 0) return 0
    const nowMs = this.#clock.monotonicMs()
    const pauseMs = this.pauseLeftMs()
    if (this.callsPerMinute === 0) return pauseMs
    this.#windowOpensAtMs(nowMs)
    const windows = Math.ceil(calls / this.callsPerMinute) - 1
    const position = calls - windows * this.callsPerMinute
    const free = this.callsPerMinute - this.#callsInFlight - this.#endedAtMs.length
    // A call in flight, whose end is unknown, ends about now.
    const leavesAtMs = position <= free ? nowMs : (this.#endedAtMs[position - free - 1] ?? nowMs) + windowMs + 1
    return Math.max(pauseMs, leavesAtMs - nowMs) + windows * (windowMs + 1)
  }

  /** Number of calls that could be sent at once besides those waiting; Infinity without a limit. */
  freeCalls(): number {
    const ms = this.#delayMs()
    if (ms === undefined || ms > 0 || this.#isAnyWaiting()) return 0
    return this.callsPerMinute === 0 ? Infinity : this.callsPerMinute - this.#callsInFlight - this.#endedAtMs.length
  }

  #isAnyWaiting(): boolean {
    return [...this.#queues.values()].some((queue) => queue.size > 0)
  }

  /** Returns the milliseconds until the next grant, or `undefined` if the end of a call in flight decides it. */
  #delayMs(): number | undefined {
    const nowMs = this.#clock.monotonicMs()
    const opensAtMs = this.#windowOpensAtMs(nowMs)
    const pauseMs = Math.max(0, this.#pausedUntilMs - nowMs)
    return opensAtMs === undefined ? undefined : Math.max(pauseMs, opensAtMs - nowMs)
  }

  /** Returns when the window allows the next call, or `undefined` if calls in flight, whose end is unknown, fill it. */
  #windowOpensAtMs(nowMs: number): number | undefined {
    const ended = this.#endedAtMs
    // A call leaves the window only after its 60,000th millisecond: both ends belong to the minute.
    while (ended[0] !== undefined && nowMs - ended[0] > windowMs) ended.shift()
    if (this.callsPerMinute === 0 || this.#callsInFlight + ended.length < this.callsPerMinute) return nowMs
    return ended[0] === undefined ? undefined : ended[0] + windowMs + 1
  }

  #serve(): void {
    while (this.#isAnyWaiting()) {
      const ms = this.#delayMs()
      // The end of a call in flight calls this again.
      if (ms === undefined) return
      if (ms > 0) {
        this.#startTimer(ms)
        return
      }
      this.#nextGrant()?.()
    }
    this.#stopTimer()
  }

  #nextGrant(): (() => void) | undefined {
    for (const queue of this.#queues.values()) {
      for (const grant of queue) {
        queue.delete(grant)
        return grant
      }
    }
    return undefined
  }

  #start(): CallEnded {
    // Throws if the disk is full: the call takes no slot then.
    if (this.callsPerMinute > 0) this.#memory?.record()
    this.#callsInFlight++
    let ended = false
    return () => {
      if (ended) return
      ended = true
      this.#callsInFlight--
      if (this.callsPerMinute > 0) this.#endedAtMs.push(this.#clock.monotonicMs())
      this.#serve()
    }
  }

  /** Starts the timer of the next grant. That time only ever gets later, so a running timer is early enough. */
  #startTimer(ms: number): void {
    if (this.#timer !== undefined) return
    const timer = new AbortController()
    this.#timer = timer
    const serve = () => {
      if (this.#timer !== timer) return
      this.#timer = undefined
      this.#serve()
    }
    this.#clock.sleep(ms, timer.signal).then(serve, () => undefined)
  }

  #stopTimer(): void {
    this.#timer?.abort()
    this.#timer = undefined
  }
}

function cancelled(): AppError {
  return new AppError('cancelled', 'The call was stopped before it was sent. Nothing changed in the archive.')
}

const callTimesKey = 'recent-api-calls'
const timesSchema = z.array(z.number())
const pauseKey = 'api-pause'
/** Wall-clock milliseconds of the answer that asked for the pause, and of the pause's end. */
const pauseSchema = z.object({ service: z.string(), askedAtMs: z.number(), untilMs: z.number() })

interface CallMemoryOptions {
  /** Origin of the service's address: another service did not ask for the pause. */
  readonly service: string
  /** Calls that were made before the database was open. */
  readonly callsMadeAtMs?: readonly number[]
}

/**
 * Stores the times of the last minute's calls in the database, so that consecutive passes together stay within the
 * service's limit, and the pause that the service asked for. They are wall-clock times, the only ones that processes
 * share: calls in the future are dropped, and a pause never lasts longer than it was meant to, whatever the clock says.
 */
export function createCallMemory(
  store: Store,
  clock: Clock,
  { service, callsMadeAtMs = [] }: CallMemoryOptions,
): CallMemory {
  const storedTimes = timesSchema.safeParse(parseJson(store.meta.get(callTimesKey))).data ?? []
  let times = [...storedTimes, ...callsMadeAtMs].sort((a, b) => a - b)

  const recent = (nowMs: number) => times.filter((atMs) => atMs <= nowMs && nowMs - atMs <= windowMs + sendMs)

  return {
    recentAgesMs: () => recent(clock.nowMs()).map((atMs) => Math.max(0, clock.nowMs() - atMs - sendMs)),
    record() {
      const nowMs = clock.nowMs()
      const next = [...recent(nowMs), nowMs]
      store.meta.set(callTimesKey, JSON.stringify(next))
      times = next
    },
    pauseLeftMs() {
      const pause = pauseSchema.safeParse(parseJson(store.meta.get(pauseKey))).data
      if (pause === undefined || pause.service !== service) return 0
      const { askedAtMs, untilMs } = pause
      const leftMs = Math.min(untilMs - clock.nowMs(), untilMs - askedAtMs, maxPauseMs)
      return Number.isFinite(leftMs) ? Math.max(0, leftMs) : 0
    },
    recordPause(ms) {
      const askedAtMs = clock.nowMs()
      store.meta.set(pauseKey, JSON.stringify({ service, askedAtMs, untilMs: askedAtMs + ms }))
    },
  }
}
