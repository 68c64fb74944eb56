import type { AppError } from '../../../shared/errors.ts'
import type { BlockerKind, PauseLength, QuietHours, WatchState } from '../../../shared/watch.ts'
import { parseJson } from '../lib/parse-json.ts'
import type { Clock } from '../lib/ports.ts'
import { toIso } from '../lib/time.ts'
import type { NewActivity } from '../store/activity-store.ts'
import type { Store } from '../store/create-store.ts'
import { probeDelayMs, type Blocker } from './blocker.ts'
import { pauseNow, pauseSchema, quietUntilMs, startPause, type Pause } from './working-time.ts'

/** For each kind of blocker, a check whether that error is gone. None costs an API call. Never rejects. */
export type Probes = Readonly<Record<BlockerKind, (signal: AbortSignal, error: AppError) => Promise<boolean>>>

const pauseKey = 'pause'

/** A disk that fails again within this time was not fixed. Longer than the longest pause between two checks of it. */
const soonMs = 30 * 60_000

/** Reasons for the watch to rest: a user's pause, quiet hours, the battery, a blocker. */
export class WatchGate {
  readonly #store: Store
  readonly #clock: Clock
  readonly #quietHours: QuietHours | null
  #pause: Pause | null
  #blocker: Blocker | undefined
  #probeAtMs = 0
  #isRecheck = false
  #isOnBattery = false
  /** Number of times in a row that the service was in trouble. */
  #serviceBlocks = 0
  #diskRepeats = 0
  #diskGoneMs = -Infinity

  constructor(store: Store, clock: Clock, quietHours: QuietHours | null) {
    this.#store = store
    this.#clock = clock
    this.#quietHours = quietHours
    this.#pause = readPause(store)
  }

  /** Starts a pause, which survives a restart. */
  pause(length: PauseLength): void {
    const pause = startPause(length, this.#clock.nowMs())
    this.#keepPause(pause, { kind: 'paused', facts: { until: pause.untilMs === null ? null : toIso(pause.untilMs) } })
  }

  resume(): void {
    if (this.#pause !== null) this.#keepPause(null, { kind: 'resumed', facts: { by: 'person' } })
  }

  /** Sets whether the machine runs on battery. Unlike a user's pause, this does not survive a restart. */
  pauseOnBattery(isOnBattery: boolean): void {
    this.#isOnBattery = isOnBattery
  }

  /** Returns the state to rest in, or `null` if nothing keeps the watch from working. */
  state(): WatchState | null {
    const nowMs = this.#clock.nowMs()
    const pause = this.#pause === null ? null : pauseNow(this.#pause, nowMs)
    const isOver = pause === null
    if (pause !== this.#pause) this.#keepPause(pause, isOver ? { kind: 'resumed', facts: { by: 'time' } } : null)
    if (pause !== null) return { kind: 'paused', until: pause.untilMs === null ? null : toIso(pause.untilMs) }
    const quietMs = this.#quietHours === null ? null : quietUntilMs(this.#quietHours, nowMs)
    if (quietMs !== null) return { kind: 'quiet', until: toIso(quietMs) }
    if (this.#isOnBattery) return { kind: 'battery' }
    if (this.#blocker === undefined) return null
    const { kind, error, sinceMs } = this.#blocker
    return { kind: 'blocked', obstacle: kind, code: error.code, message: error.message, since: toIso(sinceMs) }
  }

  get blocker(): Blocker | undefined {
    return this.#blocker
  }

  /**
   * Sets the blocker. Returns `false` if there is one already: most later failures result from the first one. `sinceMs`
   * is its start.
   */
  block(kind: BlockerKind, error: AppError, sinceMs = this.#clock.nowMs()): boolean {
    if (this.#blocker !== undefined) return false
    const repeats = kind === 'service' ? this.#serviceBlocks++ : kind === 'disk' ? this.#countDiskRepeats() : 0
    this.#blocker = { kind, error, sinceMs, repeats }
    this.#probeAtMs = this.#clock.monotonicMs() + probeDelayMs(this.#blocker)
    return true
  }

  /** True from the start of a trouble of the service until it has answered. */
  get isServiceInTrouble(): boolean {
    return this.#serviceBlocks > 0
  }

  /** Called when the service has answered. Returns whether it was in trouble before. */
  resetTrouble(): boolean {
    const wasInTrouble = this.isServiceInTrouble
    this.#serviceBlocks = 0
    return wasInTrouble
  }

  /** Returns the milliseconds until the blocker is checked again, or `null` if there is none. */
  probeInMs(): number | null {
    return this.#blocker === undefined ? null : Math.max(0, this.#probeAtMs - this.#clock.monotonicMs())
  }

  /** Makes the next step check the blocker, because it may be gone. A token is tried even if its probe fails. */
  recheck(): void {
    this.#probeAtMs = this.#clock.monotonicMs()
    this.#isRecheck = true
  }

  /** Checks the blocker. Returns it if it is gone. */
  async probe(probes: Probes, signal: AbortSignal): Promise<Blocker | undefined> {
    const blocker = this.#blocker
    if (blocker === undefined) return undefined
    const mayAsk = this.#isRecheck && blocker.kind === 'token'
    this.#isRecheck = false
    if (mayAsk || (await probes[blocker.kind](signal, blocker.error))) {
      this.#blocker = undefined
      if (blocker.kind === 'disk') this.#diskGoneMs = this.#clock.monotonicMs()
      return blocker
    }
    // A recheck that was asked for meanwhile checks again at once: what it is about may have changed since this check.
    if (!this.#isRecheck) this.#probeAtMs = this.#clock.monotonicMs() + probeDelayMs(blocker)
    return undefined
  }

  #countDiskRepeats(): number {
    const isSoon = this.#clock.monotonicMs() - this.#diskGoneMs < soonMs
    this.#diskRepeats = isSoon ? this.#diskRepeats + 1 : 0
    return this.#diskRepeats
  }

  #keepPause(
    pause: Pause | null,
    activity: Pick<NewActivity<'paused'>, 'kind' | 'facts'> | Pick<NewActivity<'resumed'>, 'kind' | 'facts'> | null,
  ): void {
    this.#pause = pause
    this.#store.transaction(() => {
      this.#store.meta.set(pauseKey, JSON.stringify(pause))
      if (activity !== null) this.#store.activity.record({ at: toIso(this.#clock.nowMs()), ...activity })
    })
  }
}

function readPause(store: Store): Pause | null {
  return pauseSchema.safeParse(parseJson(store.meta.get(pauseKey))).data ?? null
}
