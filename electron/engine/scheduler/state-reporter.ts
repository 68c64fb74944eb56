import type { WatchState } from '../../../shared/watch.ts'
import type { EngineEvents } from '../lib/events.ts'
import type { Clock, Logger } from '../lib/ports.ts'

/** Holds the watch's state. One setter: every change is told and logged with what was before and for how long. */
export class StateTeller {
  readonly #events: EngineEvents
  readonly #clock: Clock
  readonly #logger: Logger
  #current: WatchState = { kind: 'stopped' }
  #identity = JSON.stringify(this.#current)
  #sinceMs: number
  #revision = 0

  constructor(events: EngineEvents, clock: Clock, logger: Logger) {
    this.#events = events
    this.#clock = clock
    this.#logger = logger
    this.#sinceMs = clock.monotonicMs()
  }

  get current(): WatchState {
    return this.#current
  }

  set(state: WatchState): void {
    const before = this.#current
    this.#current = state
    const identityNow = identity(state, this.#clock.nowMs())
    if (this.#identity === identityNow) return
    this.#identity = identityNow
    const nowMs = this.#clock.monotonicMs()
    if (before.kind !== state.kind) {
      const fields = { from: before.kind, to: state.kind, afterMs: Math.round(nowMs - this.#sinceMs) }
      this.#logger.info('The watch changed its state', fields)
      this.#sinceMs = nowMs
    }
    this.#revision += 1
    this.#events.emit('watch-state', { ...state, revision: this.#revision })
  }
}

const minuteMs = 60_000

/** The next poll's time moves with every poll: alone it is news only where it is far off, and by another minute. */
function identity(state: WatchState, nowMs: number): string {
  if (state.kind !== 'idle' || state.nextPollAt === null) return JSON.stringify(state)
  const nextMs = Date.parse(state.nextPollAt)
  return JSON.stringify({ ...state, nextPollAt: nextMs - nowMs < minuteMs ? 'soon' : Math.floor(nextMs / minuteMs) })
}
