import type { Clock } from '../../../electron/engine/lib/ports.ts'

interface Sleeper {
  readonly dueMs: number
  wake(): void
}

/**
 * A clock for months in seconds: goes from one sleeper's time straight to the next one's. Whatever a sleeper sets off
 * runs to its next sleep before the clock moves.
 */
export class SimClock implements Clock {
  #elapsedMs = 0
  #wallMs: number
  /** The next one to wake stands last. Never more than a few dozen. */
  readonly #sleepers: Sleeper[] = []

  /** `wallMs`: the wall clock's time at the start. */
  constructor(wallMs: number) {
    this.#wallMs = wallMs
  }

  nowMs(): number {
    return this.#wallMs + this.#elapsedMs
  }

  monotonicMs(): number {
    return this.#elapsedMs
  }

  /** Sets the wall clock forward, or back. */
  jump(ms: number): void {
    this.#wallMs += ms
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#sleepers.splice(this.#sleepers.indexOf(sleeper), 1)
        reject(new Error('Aborted'))
      }
      const sleeper: Sleeper = {
        dueMs: this.#elapsedMs + Math.max(0, delayMs),
        wake: () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        },
      }
      signal?.addEventListener('abort', abort, { once: true })
      const index = this.#sleepers.findLastIndex(({ dueMs }) => dueMs > sleeper.dueMs)
      this.#sleepers.splice(index + 1, 0, sleeper)
    })
  }

  /** Runs until `elapsedMs` after the start. */
  async runUntil(elapsedMs: number): Promise<void> {
    await everythingRan()
    for (
      let next = this.#sleepers.at(-1);
      next !== undefined && next.dueMs <= elapsedMs;
      next = this.#sleepers.at(-1)
    ) {
      this.#sleepers.pop()
      this.#elapsedMs = next.dueMs
      next.wake()
      await everythingRan()
    }
    this.#elapsedMs = elapsedMs
  }
}

/** An immediate runs after all promises that can resolve. */
const everythingRan = () => new Promise((resolve) => setImmediate(resolve))
