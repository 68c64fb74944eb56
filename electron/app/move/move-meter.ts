import type { EventValue } from '../../../shared/contract/events.ts'
import type { Clock } from '../../engine/lib/ports.ts'
import { throttle } from '../../engine/lib/throttle.ts'

export type MoveProgress = EventValue<'move-progress'>

/** Progress is sent at most five times a second, like that of a sync. */
const intervalMs = 200

/** Counts what a phase of a move has done, and tells it now and then. */
export class MoveMeter {
  readonly #tell: (progress: MoveProgress) => void
  readonly #tellNow: (progress: MoveProgress) => void
  #now: MoveProgress = { phase: 'copying', filesDone: 0, filesTotal: 0, bytesDone: 0, bytesTotal: 0 }

  constructor(clock: Clock, tell: (progress: MoveProgress) => void) {
    this.#tellNow = tell
    this.#tell = throttle(intervalMs, clock, tell)
  }

  begin(phase: MoveProgress['phase'], total: { readonly files: number; readonly bytes: number }): void {
    this.#now = { phase, filesDone: 0, filesTotal: total.files, bytesDone: 0, bytesTotal: total.bytes }
    this.#tellNow(this.#now)
  }

  /** One file more. */
  add(bytes: number): void {
    const { filesDone, bytesDone } = this.#now
    this.#now = { ...this.#now, filesDone: filesDone + 1, bytesDone: bytesDone + bytes }
    this.#tell(this.#now)
  }
}
