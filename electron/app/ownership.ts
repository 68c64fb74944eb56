import { AppError, toAppError } from '../../shared/errors.ts'
import type { OwnerState } from '../../shared/settings.ts'
import type { WatchState } from '../../shared/watch.ts'
import type { Clock } from '../engine/lib/ports.ts'
import { askOwner, findOwnerFacts } from './api/owner-client.ts'
import { type DataFolderLock, findOwner, lockDataFolder } from '../engine/store/data-folder-lock.ts'

/** Connection to the process that owns a data folder. */
export interface OwnerLink {
  /** Command or host that it runs, such as `watch`; null if it does not tell. */
  command(): string | null
  /** Returns the state of its watch; `stopped` if it has none, or does not answer. */
  watchState(): Promise<WatchState>
  /** Asks it to end as by SIGTERM. Throws `data-folder-locked` if it cannot be reached, or refuses. */
  stop(): Promise<void>
}

/** Time that the other process has to end once it agreed to. An order in flight may need a minute. */
const endingMs = 75_000

const pollMs = 200

/** Who owns the data folder: this process, or another one beside which it only reads. */
export class Ownership {
  readonly #homeFolder: string
  readonly #link: OwnerLink
  #lock: DataFolderLock | undefined
  /** The other process, as it was found last. */
  #other: OwnerState | null = null
  /** Why this process does not own the data folder. */
  #refusal: AppError | undefined

  /**
   * Takes the data folder if nobody has it. If another process does and `mayRead` is true, stays beside it; else throws
   * `data-folder-locked`.
   */
  constructor(homeFolder: string, link: OwnerLink, { mayRead }: { readonly mayRead: boolean }) {
    this.#homeFolder = homeFolder
    this.#link = link
    try {
      this.#lock = lockDataFolder(homeFolder)
    } catch (thrown) {
      const error = toAppError(thrown)
      if (!mayRead || error.code !== 'data-folder-locked') throw thrown
      this.look()
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

  /** Looks whether the other process still owns the data folder. Returns true if that has changed. */
  look(): boolean {
    if (this.#lock !== undefined) return false
    const before = this.#other
    const found = findOwner(this.#homeFolder)
    if (found !== undefined) {
      const pid = found.pid ?? before?.pid
      if (pid !== undefined) this.#other = { pid, command: this.#link.command(), hasEnded: false }
    } else if (before !== null) this.#other = { ...before, hasEnded: true }
    return JSON.stringify(before) !== JSON.stringify(this.#other)
  }

  /**
   * Ends the other process and becomes the owner. Throws `wrong-usage` if this process is the owner, and
   * `data-folder-locked` if the other one does not end.
   */
  async takeOver(clock: Clock, signal: AbortSignal): Promise<void> {
    if (this.#lock !== undefined) throw new AppError('wrong-usage', 'This Solarchive owns its data folder already.')
    if (findOwner(this.#homeFolder) !== undefined) await this.#link.stop()
    const untilMs = clock.monotonicMs() + endingMs
    for (;;) {
      try {
        this.#lock = lockDataFolder(this.#homeFolder)
        this.#other = null
        return
      } catch (thrown) {
        const isHeld = toAppError(thrown).code === 'data-folder-locked'
        if (!isHeld || clock.monotonicMs() >= untilMs) throw thrown
      }
      await clock.sleep(pollMs, signal)
    }
  }

  release(): void {
    this.#lock?.release()
    this.#lock = undefined
  }
}

/** Reaches the owner over its socket. */
export function createOwnerLink(homeFolder: string): OwnerLink {
  return {
    command: () => findOwnerFacts(homeFolder)?.command ?? null,
    watchState: () => askOwner(homeFolder, 'owner.state', {}).catch((): WatchState => ({ kind: 'stopped' })),
    async stop() {
      await askOwner(homeFolder, 'owner.stop', {})
    },
  }
}
