import { z } from 'zod'
import { isOfProject, type LastSync, lastSyncSchema, type SyncFailure } from '../../../shared/domain.ts'
import { stopsPass } from '../../../shared/error-policy.ts'
import { toAppError } from '../../../shared/errors.ts'
import type { SyncResult } from '../engine.ts'
import type { Clock } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'

const key = 'sync-last'

/** Returns the last pass that a user started, or `null` if there was none in this data folder yet. */
export function readLastSync(store: Store): LastSync | null {
  const stored: unknown = store.parseJson(store.meta.get(key) ?? 'null')
  return z.nullable(lastSyncSchema).catch(null).parse(stored)
}

/** Passes that users started. Two commands may run one each at the same time, in the process that owns the database. */
export class SyncPasses {
  readonly #store: Store
  readonly #clock: Clock
  #running = 0

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  get isRunning(): boolean {
    return this.#running > 0
  }

  /** Runs a pass and stores when it started, when it ended, and how. Of passes that overlap, the last to end counts. */
  async run(pass: () => Promise<SyncResult>): Promise<SyncResult> {
    const startedAt = this.#nowIso()
    this.#record({ startedAt })
    this.#running += 1
    const run = pass().finally(() => {
      this.#running -= 1
    })
    try {
      const result = await run
      const { projects, notSynced, filesDownloaded, filesFailed, failures, outages } = result
      const outcome = failures.length === 0 ? 'done' : 'failures'
      const reason = outages[0] ?? failures.find(endedPass) ?? null
      const error = reason && reasonOf(reason)
      const counts = { projects, notSynced, filesDownloaded, filesFailed }
      this.#record({ startedAt, endedAt: this.#nowIso(), outcome, ...counts, error })
      return result
    } catch (thrown) {
      const error = toAppError(thrown)
      const outcome = error.code === 'cancelled' ? 'stopped' : 'failed'
      try {
        this.#record({ startedAt, endedAt: this.#nowIso(), outcome, error: reasonOf(error) })
      } catch {
        // If the database accepts no writes, the error of the pass says so.
      }
      throw thrown
    }
  }

  /** Does nothing while another pass runs: that sync is still running. */
  #record(last: Partial<LastSync> & Pick<LastSync, 'startedAt'>): void {
    if (!this.isRunning) this.#store.meta.set(key, JSON.stringify({ ...notEnded, ...last } satisfies LastSync))
  }

  #nowIso(): string {
    return new Date(this.#clock.nowMs()).toISOString()
  }
}

const endedPass = (failure: SyncFailure) => isOfProject(failure) && stopsPass(failure.code)

const reasonOf = ({ code, message }: { readonly code: string; readonly message: string }) => ({ code, message })

const notEnded = {
  endedAt: null,
  outcome: null,
  projects: 0,
  notSynced: 0,
  filesDownloaded: 0,
  filesFailed: 0,
  error: null,
} as const
