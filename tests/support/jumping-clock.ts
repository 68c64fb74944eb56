import type { Clock } from '../../electron/engine/lib/ports.ts'
import { systemClock } from '../../electron/engine/lib/system-clock.ts'

/** Real time, `speed` times as fast, whose wall clock can be set like a computer's. */
export class JumpingClock implements Clock {
  #speed: number
  readonly #startMs = systemClock.nowMs()
  readonly #startMonotonicMs = systemClock.monotonicMs()
  /** Time that had passed when the speed was set, which was at that time of the system's clock. */
  #passed = { ms: 0, atMs: this.#startMonotonicMs }
  #offsetMs = 0

  constructor(speed = 1) {
    this.#speed = speed
  }

  /** Sets the wall clock forward, or back if negative; the monotonic clock is unaffected. */
  jump(ms: number): void {
    this.#offsetMs += ms
  }

  /** Changes the speed from now on. Pauses that have begun end as they would have before. */
  setSpeed(speed: number): void {
    this.#passed = { ms: this.#elapsedMs(), atMs: systemClock.monotonicMs() }
    this.#speed = speed
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
    return this.#passed.ms + (systemClock.monotonicMs() - this.#passed.atMs) * this.#speed
  }
}
