import type { SyncFailure } from '../../../shared/domain.ts'
import type { AppError } from '../../../shared/errors.ts'
import type { WatchState } from '../../../shared/watch.ts'
import type { JobOutcome } from '../downloads/job-runner.ts'
import { type EngineEvents, progressIntervalMs, type SyncProgress } from '../lib/events.ts'
import type { Clock, Logger } from '../lib/ports.ts'
import type { RateBudget } from '../service/rate-budget.ts'
import type { ProjectSyncResult } from '../sync/sync-project.ts'
import { fileFailure, projectFailure, type SyncPassDeps, SyncStats } from '../sync/sync-pass.ts'
import type { ProjectCalls, TimeLeftMeter } from '../sync/time-left.ts'
import { throttle } from '../lib/throttle.ts'
import { minuteMs } from '../lib/time.ts'

type Unfinished = Omit<SyncProgress, 'budgetWaitMs' | 'timeLeft'>

export interface ProgressDeps extends Pick<SyncPassDeps, 'createTimeLeftMeter'> {
  readonly events: EngineEvents
  readonly budget: RateBudget
  readonly clock: Clock
  /** Returns the number of active projects, and how many of them were read or could not be read. */
  readonly countRead: () => { readonly projects: number; readonly read: number }
  /** Returns true while a user's pass emits its own progress. */
  readonly isPassRunning: () => boolean
}

/**
 * Emits the progress of the watch: files while they arrive, the result of each project, and failures. A run begins with
 * the first project that has files to download or was never read, and ends when there is none left. A run in which
 * projects are read for the first time counts all projects: what is left is known only once all were read.
 */
export class ProgressReporter {
  readonly #deps: ProgressDeps
  readonly #emitProgress: (progress: () => Unfinished) => void
  /** Projects that are read for the first time, or with files in flight. */
  readonly #busy = new Map<string, { downloaded: number; failed: number; isFirstRead: boolean }>()
  #stats = new SyncStats()
  #meter: TimeLeftMeter
  #startMs = 0
  #joined = 0
  #isRunning = false
  #hasFirstReads = false
  /** Calls of polls that found nothing new. */
  #otherCalls = 0
  /** Set if more projects have waiting files than are worked on at the same time. */
  hasMoreWaiting = false

  constructor(deps: ProgressDeps) {
    this.#deps = deps
    const { events, budget, clock, isPassRunning } = deps
    this.#meter = deps.createTimeLeftMeter()
    this.#emitProgress = throttle(progressIntervalMs, clock, (progressNow: () => Unfinished) => {
      if (isPassRunning()) return
      const progress = progressNow()
      events.emit('sync-progress', { ...progress, timeLeft: this.#timeLeft(progress), budgetWaitMs: budget.waitMs() })
    })
  }

  /**
   * Number of projects that are worked on, and of those that are still to be read for the first time; 0 without a run.
   */
  get projectsLeft(): number {
    return this.#isRunning ? this.#busy.size + this.#unbegun() : 0
  }

  /** Called before a project is read for the first time. */
  firstRead(projectId: string): void {
    this.#join(projectId, true)
    this.#progress()
  }

  /** Adds the number of a project's files that wait or are in flight. */
  planned(projectId: string, openFiles: number): void {
    if (openFiles === 0 && !this.#busy.has(projectId)) return
    this.#join(projectId, false)
    this.#stats.plan(projectId, openFiles)
    this.#progress()
  }

  /** Called after each call for a project. */
  called(projectId: string, calls: ProjectCalls): void {
    if (this.#busy.has(projectId)) {
      this.#stats.setCalls(projectId, calls)
      this.#progress()
    } else if (this.#isRunning) this.#otherCalls += 1
  }

  /** Records that a project was read; its files may still be downloaded. */
  read(projectId: string): void {
    const counts = this.#busy.get(projectId)
    if (counts === undefined) return
    counts.isFirstRead = false
    this.#stats.setRead(projectId)
    this.#progress()
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
    if (this.projectsLeft > 0) this.#progress()
    else this.#end()
  }

  /** Called while the watch rests or waits: shows the time that passes, and ends the run once nothing is left of it. */
  tick(isResting: boolean): void {
    if (!this.#isRunning) return
    if (this.#busy.size === 0 && (isResting || this.projectsLeft === 0)) this.#end()
    else if (!isResting) this.#progress()
  }

  #join(projectId: string, isFirstRead: boolean): void {
    if (!this.#isRunning) {
      this.#isRunning = true
      this.#hasFirstReads = false
      this.#joined = 0
      this.#otherCalls = 0
      this.#stats = new SyncStats()
      this.#meter = this.#deps.createTimeLeftMeter()
      this.#startMs = this.#deps.clock.monotonicMs()
    }
    if (isFirstRead) this.#hasFirstReads = true
    if (this.#busy.has(projectId)) return
    this.#busy.set(projectId, { downloaded: 0, failed: 0, isFirstRead })
    this.#joined += 1
  }

  #end(): void {
    const { events, isPassRunning } = this.#deps
    const progress = this.#progressNow()
    this.#isRunning = false
    // The last progress of a run is not throttled.
    if (!isPassRunning()) events.emit('sync-progress', { ...progress, timeLeft: null, budgetWaitMs: 0 })
  }

  #progress(): void {
    this.#emitProgress(() => this.#progressNow())
  }

  #progressNow(): Unfinished {
    this.#stats.projects = this.#joined + this.#unbegun()
    const progress = this.#stats.progress(Math.round(this.#deps.clock.monotonicMs() - this.#startMs))
    if (!this.#hasFirstReads) return progress
    const { projects, read } = this.#deps.countRead()
    const busyRead = [...this.#busy.values()].filter(({ isFirstRead }) => !isFirstRead).length
    return { ...progress, projectsTotal: projects, projectsRead: read, projectsDone: Math.max(0, read - busyRead) }
  }

  /** Returns the number of projects whose first read is still to begin, if the run includes first reads. */
  #unbegun(): number {
    if (!this.#hasFirstReads) return 0
    const { projects, read } = this.#deps.countRead()
    const begun = [...this.#busy.values()].filter(({ isFirstRead }) => isFirstRead).length
    return Math.max(0, projects - read - begun)
  }

  #timeLeft({ elapsedMs }: Unfinished): SyncProgress['timeLeft'] {
    const work = () => ({ ...this.#stats.work(), otherCalls: this.#otherCalls })
    const timeLeft = this.#meter.advance(elapsedMs, work)
    // How many files the projects have that were not begun is not known.
    return this.hasMoreWaiting ? null : timeLeft
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

/**
 * Returns an identity of a state. The next poll's time alone changes it only by minutes, and not within the last
 * minute, because it moves with every poll.
 */
function identity(state: WatchState, nowMs: number): string {
  if (state.kind !== 'idle' || state.nextPollAt === null) return JSON.stringify(state)
  const nextMs = Date.parse(state.nextPollAt)
  return JSON.stringify({ ...state, nextPollAt: nextMs - nowMs < minuteMs ? 'soon' : Math.floor(nextMs / minuteMs) })
}
