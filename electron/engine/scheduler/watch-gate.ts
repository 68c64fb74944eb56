import type { AppError } from '../../../shared/errors.ts'
import type { ObstacleKind, PauseLength, QuietHours, WatchState } from '../../../shared/watch.ts'
import type { Clock } from '../lib/ports.ts'
import type { NewActivity } from '../store/activity-store.ts'
import type { Store } from '../store/create-store.ts'
import { probeDelayMs, type Obstacle } from './blocker.ts'
import { pauseNow, pauseSchema, quietUntilMs, startPause, type Pause } from './working-time.ts'

/** Looks whether an obstacle of each kind is gone; none of them costs an API call. Never rejects. */
export type Probes = Readonly<Record<ObstacleKind, (signal: AbortSignal) => Promise<boolean>>>

const pauseKey = 'pause'

/** A disk that fails again within this time had not been mended: longer than the longest pause between two looks at it. */
const soonMs = 30 * 60_000

/** Whatever keeps the watch from working: a person's pause, the quiet hours, the battery, an obstacle. */
export class HoldUps {
  readonly #store: Store
  readonly #clock: Clock
  readonly #quietHours: QuietHours | null
  #pause: Pause | null
  #obstacle: Obstacle | undefined
  #probeAtMs = 0
  #isNudged = false
  #isSparing = false
  /** Times in a row that the service was in trouble. */
  #serviceBlocks = 0
  #diskRepeats = 0
  #diskGoneMs = -Infinity

  constructor(store: Store, clock: Clock, quietHours: QuietHours | null) {
    this.#store = store
    this.#clock = clock
    this.#quietHours = quietHours
    this.#pause = readPause(store)
  }

  /** A pause is kept over a restart. */
  pause(length: PauseLength): void {
    const pause = startPause(length, this.#clock.nowMs())
    this.#keepPause(pause, { kind: 'paused', facts: { until: pause.untilMs === null ? null : toIso(pause.untilMs) } })
  }

  resume(): void {
    if (this.#pause !== null) this.#keepPause(null, { kind: 'resumed', facts: { by: 'person' } })
  }

  /** Whether to rest because the machine runs on its battery: not a person's pause, and not kept over a restart. */
  spareBattery(isSparing: boolean): void {
    this.#isSparing = isSparing
  }

  /** The state to rest in, or null when there is nothing in the way of work. */
  state(): WatchState | null {
    const nowMs = this.#clock.nowMs()
    const pause = this.#pause === null ? null : pauseNow(this.#pause, nowMs)
    const isOver = pause === null
    if (pause !== this.#pause) this.#keepPause(pause, isOver ? { kind: 'resumed', facts: { by: 'time' } } : null)
    if (pause !== null) return { kind: 'paused', until: pause.untilMs === null ? null : toIso(pause.untilMs) }
    const quietMs = this.#quietHours === null ? null : quietUntilMs(this.#quietHours, nowMs)
    if (quietMs !== null) return { kind: 'quiet', until: toIso(quietMs) }
    if (this.#isSparing) return { kind: 'battery' }
    if (this.#obstacle === undefined) return null
    const { kind, error, sinceMs } = this.#obstacle
    return { kind: 'blocked', obstacle: kind, code: error.code, message: error.message, since: toIso(sinceMs) }
  }

  get obstacle(): Obstacle | undefined {
    return this.#obstacle
  }

  /** The first obstacle stays until it is gone: what fails meanwhile mostly fails because of it. `sinceMs`: when it began. */
  block(kind: ObstacleKind, error: AppError, sinceMs = this.#clock.nowMs()): boolean {
    if (this.#obstacle !== undefined) return false
    const probes = kind === 'service' ? this.#serviceBlocks++ : 0
    const repeats = kind === 'disk' ? this.#countDiskRepeats() : 0
    this.#obstacle = { kind, error, sinceMs, probes, repeats }
    this.#probeAtMs = this.#clock.monotonicMs() + probeDelayMs(this.#obstacle)
    return true
  }

  /** The service answered as it should; answers whether it had been in trouble before. */
  allWell(): boolean {
    const wasInTrouble = this.#serviceBlocks > 0
    this.#serviceBlocks = 0
    return wasInTrouble
  }

  /** Milliseconds until it is to be looked whether the obstacle is gone; null when there is none. */
  probeInMs(): number | null {
    return this.#obstacle === undefined ? null : Math.max(0, this.#probeAtMs - this.#clock.monotonicMs())
  }

  /** Somebody has reason to think that the obstacle is gone. The service itself is then asked, whatever the probe says. */
  probeSoon(): void {
    this.#probeAtMs = this.#clock.monotonicMs()
    this.#isNudged = true
  }

  /** Looks whether the obstacle is gone, and if so answers what it was. */
  async probe(probes: Probes, signal: AbortSignal): Promise<Obstacle | undefined> {
    const obstacle = this.#obstacle
    if (obstacle === undefined) return undefined
    const mayAsk = this.#isNudged && (obstacle.kind === 'token' || obstacle.kind === 'service')
    this.#isNudged = false
    if (mayAsk || (await probes[obstacle.kind](signal))) {
      this.#obstacle = undefined
      if (obstacle.kind === 'disk') this.#diskGoneMs = this.#clock.monotonicMs()
      return obstacle
    }
    this.#obstacle = { ...obstacle, probes: obstacle.probes + 1 }
    this.#probeAtMs = this.#clock.monotonicMs() + probeDelayMs(this.#obstacle)
    return undefined
  }

  #countDiskRepeats(): number {
    const isSoon = this.#clock.monotonicMs() - this.#diskGoneMs < soonMs
    this.#diskRepeats = isSoon ? this.#diskRepeats + 1 : 0
    return this.#diskRepeats
  }

  #keepPause(
    pause: Pause | null,
    told: Pick<NewActivity<'paused'>, 'kind' | 'facts'> | Pick<NewActivity<'resumed'>, 'kind' | 'facts'> | null,
  ): void {
    this.#pause = pause
    this.#store.transaction(() => {
      this.#store.meta.set(pauseKey, JSON.stringify(pause))
      if (told !== null) this.#store.activity.note({ at: toIso(this.#clock.nowMs()), ...told })
    })
  }
}

function readPause(store: Store): Pause | null {
  try {
    return pauseSchema
      .nullable()
      .catch(null)
      .parse(JSON.parse(store.meta.get(pauseKey) ?? 'null'))
  } catch {
    return null
  }
}

const toIso = (ms: number) => new Date(ms).toISOString()
