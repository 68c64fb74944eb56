import type { SyncFailure } from '../../../shared/domain.ts'
import type { AppError } from '../../../shared/errors.ts'
import type { WatchState } from '../../../shared/watch.ts'
import type { JobOutcome } from '../downloads/run-job.ts'
import type { EngineEvents, SyncProgress } from '../lib/events.ts'
import type { Clock, Logger } from '../lib/ports.ts'
import type { RateBudget } from '../service/rate-budget.ts'
import type { ProjectSyncResult } from '../sync/sync-project.ts'
import { fileFailure, projectFailure, type SyncPassDeps, SyncStats } from '../sync/sync-pass.ts'
import type { TimeLeftMeter } from '../sync/time-left.ts'
import { throttle } from '../lib/throttle.ts'

/** Progress is sent at most five times a second: a public promise (docs/json.md, "Events"). */
const progressIntervalMs = 200

type Unfinished = Omit<SyncProgress, 'budgetWaitMs' | 'timeLeft'>

export interface ProgressDeps extends Pick<SyncPassDeps, 'createTimeLeftMeter'> {
  readonly events: EngineEvents
  readonly budget: RateBudget
  readonly clock: Clock
  /** Returns true if a project was never read. */
  readonly isAnyUnread: () => boolean
}

/** Emits the progress of the watch: files while they arrive, the result of each project, and failures. */
export class ProgressReporter {
  readonly #deps: ProgressDeps
  readonly #emitProgress: (progress: Unfinished) => void
  /** Projects with files in flight. */
  readonly #busy = new Map<string, { downloaded: number; failed: number }>()
  #stats = new SyncStats()
  #meter: TimeLeftMeter
  #startMs = 0

  constructor(deps: ProgressDeps) {
    this.#deps = deps
    const { events, budget, clock } = deps
    this.#meter = deps.createTimeLeftMeter()
    this.#emitProgress = throttle(progressIntervalMs, clock, (progress: Unfinished) => {
      const timeLeft = this.#timeLeft(progress)
      events.emit('sync-progress', { ...progress, timeLeft, budgetWaitMs: budget.waitMs() })
    })
  }

  get busyProjects(): number {
    return this.#busy.size
  }

  /** Adds the number of a project's files that wait or are in flight. */
  planned(projectId: string, openFiles: number): void {
    if (openFiles === 0 && !this.#busy.has(projectId)) return
    if (this.#busy.size === 0) {
      this.#stats = new SyncStats()
      this.#meter = this.#deps.createTimeLeftMeter()
      this.#startMs = this.#deps.clock.monotonicMs()
    }
    if (!this.#busy.has(projectId)) {
      this.#busy.set(projectId, { downloaded: 0, failed: 0 })
      this.#stats.projects += 1
    }
    this.#stats.plan(projectId, openFiles)
    this.#progress()
  }

  /** Records that a project was read; its files may still be downloaded. */
  read(projectId: string): void {
    if (this.#busy.has(projectId)) this.#stats.setRead(projectId)
  }

  file(projectId: string, outcome: JobOutcome): void {
    // The file is still queued, and the project's error is reported once.
    if (outcome.kind === 'deferred') return
    this.#stats.count(projectId, outcome)
    const counts = this.#busy.get(projectId)
    if (counts !== undefined && outcome.kind === 'downloaded') counts.downloaded += 1
    if (outcome.kind === 'failed') {
      if (counts !== undefined) counts.failed += 1
      this.failed(fileFailure(projectId, outcome))
    }
    this.#progress()
  }

  failed(failure: SyncFailure): void {
    this.#deps.events.emit('sync-failure', failure)
  }

  projectFailed(projectId: string, error: AppError): void {
    this.failed(projectFailure(projectId, error))
  }

  /** Emits the result of a poll, unless it found nothing new. */
  synced(projectId: string, { checklists, changed }: ProjectSyncResult): void {
    const { downloaded, failed } = this.#busy.get(projectId) ?? { downloaded: 0, failed: 0 }
    if (!changed && downloaded + failed === 0) return
    this.#deps.events.emit('project-synced', {
      projectId,
      checklists,
      filesDownloaded: downloaded,
      filesFailed: failed,
    })
  }

  ended(projectId: string): void {
    if (!this.#busy.delete(projectId)) return
    this.#stats.setRead(projectId)
    this.#stats.projectsDone += 1
    if (this.#busy.size > 0) this.#progress()
    // The last progress of a run is not throttled.
    else this.#deps.events.emit('sync-progress', { ...this.#progressNow(), timeLeft: null, budgetWaitMs: 0 })
  }

  #progress(): void {
    this.#emitProgress(this.#progressNow())
  }

  #progressNow(): Unfinished {
    return this.#stats.progress(Math.round(this.#deps.clock.monotonicMs() - this.#startMs))
  }

  #timeLeft({ elapsedMs }: Unfinished): SyncProgress['timeLeft'] {
    const timeLeft = this.#meter.advance(elapsedMs, () => this.#stats.work())
    // How many files projects have that were never read is not known.
    return timeLeft === null || this.#deps.isAnyUnread() ? null : timeLeft
  }
}

/** The state of the watch. Each change is emitted, and logged with the previous state and its duration. */
export class WatchStateReporter {
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

/**
 * Returns an identity of a state. The next poll's time alone changes it only by minutes, and not within the last
 * minute, because it moves with every poll.
 */
function identity(state: WatchState, nowMs: number): string {
  if (state.kind !== 'idle' || state.nextPollAt === null) return JSON.stringify(state)
  const nextMs = Date.parse(state.nextPollAt)
  return JSON.stringify({ ...state, nextPollAt: nextMs - nowMs < minuteMs ? 'soon' : Math.floor(nextMs / minuteMs) })
}
