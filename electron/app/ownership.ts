import { isDeepStrictEqual } from 'node:util'
import type { OwnerFacts } from '../../shared/contract/owner-facts.ts'
import { AppError, toAppError } from '../../shared/errors.ts'
import type { OwnerState } from '../../shared/settings.ts'
import type { WatchState } from '../../shared/watch.ts'
import type { Clock } from '../engine/lib/ports.ts'
import { type DataFolderLock, lockDataFolder } from '../engine/store/data-folder-lock.ts'
import { findLiveOwner, type LiveOwner, namingOwner } from './api/live-owner.ts'
import { askOwner } from './api/owner-client.ts'

/**
 * Time that the other process has to end once it agreed to: two minutes for the answer to an order in flight, and some
 * seconds to close.
 */
const endingMs = 135_000

const pollMs = 200

/** Owner of the data folder: this process, or another one beside which it only reads. */
export class Ownership {
  readonly #homeFolder: string
  #lock: DataFolderLock | undefined
  /** The other process, as it was found last. */
  #other: OwnerState | null = null
  /** The same process as long as it lives. */
  #live: LiveOwner | undefined
  #facts: OwnerFacts | undefined
  /** Why this process does not own the data folder. */
  #refusal: AppError | undefined
  /** The process that this one took the data folder over from. */
  #former: OwnerState | null = null

  /**
   * Takes the data folder if nobody has it. If another process does and `mayRead` is true, stays beside it; else throws
   * `data-folder-locked`.
   */
  constructor(homeFolder: string, { mayRead }: { readonly mayRead: boolean }) {
    this.#homeFolder = homeFolder
    try {
      this.#lock = lockDataFolder(homeFolder)
    } catch (thrown) {
      const error = toAppError(thrown)
      if (!mayRead || error.code !== 'data-folder-locked') throw namingOwner(thrown, homeFolder)
      this.check()
      if (this.#other === null) throw thrown
      this.#refusal = error
    }
  }

  /** Throws `data-folder-locked` with the owner's process unless this process owns the data folder. */
  requireLock(): void {
    if (this.#lock === undefined && this.#refusal !== undefined) throw this.#refusal
  }

  /** The lock, if this process owns the data folder. */
  get lock(): DataFolderLock | undefined {
    return this.#lock
  }

  /** The owner, if it is another process. */
  get other(): OwnerState | null {
    return this.#other
  }

  /** The facts that the other process last published about itself, also after its end. */
  get facts(): OwnerFacts | undefined {
    return this.#facts
  }

  /** Throws `data-folder-locked` unless this process owns the data folder. */
  requireOwn(): void {
    if (this.#other === null) return
    throw new AppError(
      'data-folder-locked',
      this.#other.hasEnded
        ? 'This window only shows the archive. Choose "Continue here" to change something.'
        : `Another Solarchive (process ${this.#other.pid}) works in this data folder, so this window only shows its ` +
            'archive. Take over to change something here.',
      { details: { pid: this.#other.pid } },
    )
  }

  /** Checks whether the other process still owns the data folder. Returns true if that has changed. */
  check(): boolean {
    if (this.#lock !== undefined) return false
    const before = this.#other
    this.#live = findLiveOwner(this.#homeFolder)
    this.#facts = this.#live?.facts ?? this.#facts
    if (this.#live !== undefined) {
      const pid = this.#live.pid ?? before?.pid
      if (pid !== undefined) this.#other = { pid, command: this.#live.facts?.command ?? null, hasEnded: false }
    } else if (before !== null) this.#other = { ...before, hasEnded: true }
    return !isDeepStrictEqual(before, this.#other)
  }

  /** Returns the state of the other process's watch; `stopped` if it has none, or does not answer. */
  async watchState(): Promise<WatchState> {
    const stopped: WatchState = { kind: 'stopped' }
    return this.#live === undefined ? stopped : askOwner(this.#live, 'owner.state', {}).catch(() => stopped)
  }

  /**
   * Ends the other process and becomes the owner. Throws `wrong-usage` if this process is the owner, and
   * `data-folder-locked` if the other one does not end.
   */
  async takeOver(clock: Clock, signal: AbortSignal): Promise<void> {
    if (this.#lock !== undefined) throw new AppError('wrong-usage', 'This Solarchive owns its data folder already.')
    const owner = findLiveOwner(this.#homeFolder)
    if (owner !== undefined) await askOwner(owner, 'owner.stop', {})
    const untilMs = clock.monotonicMs() + endingMs
    for (;;) {
      try {
        this.#lock = lockDataFolder(this.#homeFolder)
        this.#former = this.#other
        this.#other = null
        return
      } catch (thrown) {
        const isHeld = toAppError(thrown).code === 'data-folder-locked'
        if (!isHeld || clock.monotonicMs() >= untilMs) throw thrown
      }
      await clock.sleep(pollMs, signal)
    }
  }

  /** Releases the data folder after a take-over that failed, so that the user can try again. */
  giveUp(): void {
    this.release()
    if (this.#former !== null) this.#other = { ...this.#former, hasEnded: true }
  }

  release(): void {
    this.#lock?.release()
    this.#lock = undefined
  }
}
