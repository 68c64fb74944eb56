import type { Clock } from '../../electron/engine/lib/ports.ts'
import { systemClock } from '../../electron/engine/lib/system-clock.ts'

/** Real time, `speed` times as fast, whose wall clock can be set like a computer's. */
export class JumpingClock implements Clock {
  readonly #speed: number
  readonly #startMs = systemClock.nowMs()
  readonly #startMonotonicMs = systemClock.monotonicMs()
  #offsetMs = 0

  constructor(speed = 1) {
    this.#speed = speed
  }

  /** Sets the wall clock forward, or back if negative; the monotonic clock is unaffected. */
  jump(ms: number): void {
    this.#offsetMs += ms
  }

  nowMs(): number {
    return this.#startMs + this.#elapsedMs() + this.#offsetMs
  }

  monotonicMs(): number {
    return this.#startMonotonicMs + this.#elapsedMs()
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(delayMs / this.#speed, signal)
  }

  #elapsedMs(): number {
    return (systemClock.monotonicMs() - this.#startMonotonicMs) * this.#speed
  }
}
