import type { Clock } from '../../electron/engine/lib/ports.ts'

interface Sleeper {
  readonly dueMs: number
  wake(): void
}

/** Enough rounds for a chain of awaits between a woken sleeper and its next sleep. */
const settleRounds = 20

/**
 * A clock that advances only when moved. Sleepers wake in the order of their due times, and the work of one runs before
 * the next one wakes.
 */
export class FakeClock implements Clock {
  #elapsedMs = 0
  #startMs: number
  readonly #settle: () => Promise<void>
  #sleepers: Sleeper[] = []

  /** `startMs` is the initial wall-clock time. `settle` runs what a woken sleeper sets off, to its next sleep. */
  constructor(startMs = Date.UTC(2026, 0, 1), settle = settleAwaits) {
    this.#startMs = startMs
    this.#settle = settle
  }

  nowMs(): number {
    return this.#startMs + this.#elapsedMs
  }

  monotonicMs(): number {
    return this.#elapsedMs
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(asError(signal.reason))
        return
      }
      const leave = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
        signal?.removeEventListener('abort', abort)
      }
      const abort = () => {
        leave()
        reject(asError(signal?.reason))
      }
      const sleeper: Sleeper = {
        dueMs: this.#elapsedMs + Math.max(0, delayMs),
        wake: () => {
          leave()
          resolve()
        },
      }
      signal?.addEventListener('abort', abort)
      this.#sleepers.push(sleeper)
    })
  }

  /** Number of current sleepers. */
  get sleeping(): number {
    return this.#sleepers.length
  }

  /** Milliseconds until the next sleeper is due, or undefined without sleepers. */
  get nextDueMs(): number | undefined {
    const next = this.#next()
    return next === undefined ? undefined : next.dueMs - this.#elapsedMs
  }

  /** Sets the wall clock forward, or back. */
  jump(ms: number): void {
    this.#startMs += ms
  }

  /** Moves by `ms` and wakes every due sleeper, including those that start to sleep meanwhile. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsedMs + ms
    await this.#settle()
    for (let next = this.#next(); next !== undefined && next.dueMs <= end; next = this.#next()) {
      this.#elapsedMs = next.dueMs
      next.wake()
      await this.#settle()
    }
    this.#elapsedMs = end
  }

  #next(): Sleeper | undefined {
    return this.#sleepers.reduce<Sleeper | undefined>(
      (first, sleeper) => (first === undefined || sleeper.dueMs < first.dueMs ? sleeper : first),
      undefined,
    )
  }
}

async function settleAwaits(): Promise<void> {
  for (let round = 0; round < settleRounds; round++) await Promise.resolve()
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('Aborted')
}
