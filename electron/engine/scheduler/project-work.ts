import type { AppError } from '../../../shared/errors.ts'
import type { SyncSchedule } from '../../../shared/settings.ts'
import { backoffMs, maxDelayMs } from '../downloads/backoff.ts'
import { toEngineError } from '../lib/engine-error.ts'
import type { EngineEvents } from '../lib/events.ts'
import type { RateBudget } from '../service/rate-budget.ts'
import { PollQueue } from './poll-queue.ts'
import type { PollLane } from './poll-schedule.ts'
import { readStanding, readStandings } from './poll-states.ts'
import type { ProjectLocks } from '../lib/project-locks.ts'
import { retryProject, syncProject, type ProjectSyncOptions, type ProjectSyncDeps } from '../sync/sync-project.ts'
import { WorkTeller } from './progress-reporter.ts'

export interface ProjectWorkParts extends ProjectSyncDeps {
  readonly events: EngineEvents
  readonly budget: RateBudget
  readonly locks: ProjectLocks
  /** Of the rate budget; 0: no limit. */
  readonly callsPerMinute: number
  readonly schedule: SyncSchedule
}

/** What whoever gives the work is told. */
export interface ProjectWorkHooks {
  /** A project's work ended with this; `signal` tells whether it was interrupted. */
  readonly onFailed: (projectId: string, thrown: unknown, signal: AbortSignal) => Promise<void>
  /** The service answered all that a project's poll asked. */
  readonly onSynced: () => void
  readonly onFileFailed: (error: AppError) => void
  /** Not even a failure could be recorded. */
  readonly onFatal: (error: AppError) => void
  /** There may be something to begin now. */
  readonly onChange: () => void
}

/** Projects of a lane whose service calls go on at the same time; their downloads may go on longer. */
const readersPerLane = 2

/** Projects whose waiting files are worked off at the same time: each holds some hundred links and rows at most. */
const mostActive = 24

/** Beyond these, polls wait for downloads to end: a poll that finds files goes on until they are there. */
const mostPolled = 200

/** The longest rest: a clock that jumped, or what no event tells of, is noticed after this at the latest. */
export const heartbeatMs = 5_000

/** What is overdue and cannot begin yet is looked at again after this, not at once. */
const shortestWaitMs = 1_000

/** The projects that the watch has under way, and whom it begins with next. */
export class ProjectWork {
  readonly teller: WorkTeller
  readonly #parts: ProjectWorkParts
  readonly #hooks: ProjectWorkHooks
  readonly #queue: PollQueue
  readonly #active = new Map<string, { readonly ended: Promise<void>; readonly interrupt: () => void }>()
  /** Of projects whose last work failed: how often in a row, and when it may begin again by the monotonic clock. */
  readonly #failed = new Map<string, { readonly times: number; readonly notBeforeMs: number }>()
  readonly #reading: Record<PollLane, number> = { hot: 0, idle: 0 }

  constructor(parts: ProjectWorkParts, hooks: ProjectWorkHooks) {
    this.#parts = parts
    this.#hooks = hooks
    this.#queue = new PollQueue(parts.callsPerMinute, parts.schedule)
    this.teller = new WorkTeller(parts.events, parts.budget, parts.ports.clock)
  }

  /** There is no project to ask about. */
  get isIdle(): boolean {
    return this.#queue.size + this.#active.size === 0
  }

  /** When the first project that waits is due; null: none waits. */
  get firstPollMs(): number | null {
    const firstMs = this.#queue.firstDueMs(this.#parts.ports.clock.nowMs())
    return Number.isFinite(firstMs) ? firstMs : null
  }

  /** Resolves when nothing of what is under way is under way any more. */
  async settled(): Promise<void> {
    await Promise.all([...this.#active.values()].map(({ ended }) => ended))
  }

  /** What kept projects from their work is gone. */
  forgive(): void {
    this.#failed.clear()
    this.replan()
  }

  /** Reads anew when each project is to be polled. */
  replan(): void {
    const standings = readStandings(this.#parts.store)
    const known = new Set(standings.map(({ projectId }) => projectId))
    for (const projectId of this.#queue.projectIds()) if (!known.has(projectId)) this.#queue.remove(projectId)
    for (const [projectId, { interrupt }] of this.#active) if (!known.has(projectId)) interrupt()
    const nowMs = this.#parts.ports.clock.nowMs()
    for (const standing of standings) if (!this.#active.has(standing.projectId)) this.#queue.put(standing, nowMs)
    this.#hooks.onChange()
  }

  /** Begins whatever is due, until the signal aborts; answers when something will be, in milliseconds. */
  dispatch(signal: AbortSignal): number {
    return Math.min(this.#dispatchPolls(signal), this.#dispatchRetries(signal))
  }

  #dispatchPolls(signal: AbortSignal): number {
    const nowMs = this.#parts.ports.clock.nowMs()
    let waitMs = heartbeatMs
    if (this.#parts.schedule === 'manual') return waitMs
    const busy: string[] = []
    for (const lane of ['hot', 'idle'] as const) {
      while (this.#reading[lane] < readersPerLane && this.#active.size < mostPolled) {
        const turn = this.#queue.next(lane, nowMs, this.#parts.budget.freeCalls())
        if (turn.kind === 'wait') {
          waitMs = Math.min(waitMs, turn.waitMs)
          break
        }
        const { projectId, priority, reconcile: isReconcile } = turn
        // A person's pass on it may take long, and its place here is for others.
        if (this.#parts.locks.isBusy(projectId)) busy.push(projectId)
        else this.#poll(projectId, lane, { priority, isReconcile }, signal)
      }
    }
    for (const projectId of busy) this.#plan(projectId)
    return waitMs
  }

  #dispatchRetries(signal: AbortSignal): number {
    const { store, locks, ports } = this.#parts
    const nowMs = ports.clock.nowMs()
    for (const projectId of store.jobs.projectsToWork(toIso(nowMs), toIso(nowMs + maxDelayMs))) {
      if (this.#active.size >= mostActive) break
      if (this.#active.has(projectId) || locks.isBusy(projectId) || this.#mustWait(projectId)) continue
      this.#queue.remove(projectId)
      const run = async (options: ProjectSyncOptions) => {
        this.teller.synced(projectId, await retryProject(this.#parts, projectId, options))
      }
      this.#begin(projectId, run, () => undefined, signal)
    }
    const dueInMs = Date.parse(store.jobs.nextTryAt(toIso(nowMs)) ?? '') - nowMs
    return Number.isNaN(dueInMs) ? heartbeatMs : Math.max(shortestWaitMs, dueInMs)
  }

  /** Puts a project into the queue as it stands now; one that was removed meanwhile stays out. */
  #plan(projectId: string): void {
    try {
      const standing = readStanding(this.#parts.store, projectId)
      if (standing !== undefined) this.#queue.put(standing, this.#parts.ports.clock.nowMs())
    } catch (error) {
      this.#hooks.onFatal(toEngineError(error, 'read when a project is due'))
    }
  }

  #noteFailure(projectId: string): void {
    const times = (this.#failed.get(projectId)?.times ?? 0) + 1
    const notBeforeMs = this.#parts.ports.clock.monotonicMs() + backoffMs(times, Math.random())
    this.#failed.set(projectId, { times, notBeforeMs })
  }

  #mustWait(projectId: string): boolean {
    return (this.#failed.get(projectId)?.notBeforeMs ?? 0) > this.#parts.ports.clock.monotonicMs()
  }

  #poll(
    projectId: string,
    lane: PollLane,
    how: Pick<ProjectSyncOptions, 'priority' | 'isReconcile'>,
    signal: AbortSignal,
  ): void {
    const { store } = this.#parts
    this.#reading[lane] += 1
    let isReading = true
    const onRead = () => {
      if (!isReading) return
      isReading = false
      this.#reading[lane] -= 1
      this.#hooks.onChange()
    }
    const run = async (options: ProjectSyncOptions) => {
      const project = store.projects.get(projectId)
      if (project === undefined || !store.projects.isActive(projectId)) return
      const result = await syncProject(this.#parts, project, { ...options, ...how })
      this.#hooks.onSynced()
      this.teller.synced(projectId, result)
    }
    this.#begin(projectId, run, onRead, signal)
  }

  /** Runs work on a project until it ends, is interrupted or fails. */
  #begin(
    projectId: string,
    run: (options: ProjectSyncOptions) => Promise<void>,
    onRead: () => void,
    signal: AbortSignal,
  ): void {
    const { teller } = this
    const { onFailed, onFileFailed, onFatal, onChange } = this.#hooks
    const own = new AbortController()
    const interrupt = () => own.abort()
    signal.addEventListener('abort', interrupt, { once: true })
    if (signal.aborted) own.abort()
    const options: ProjectSyncOptions = {
      priority: 'idle',
      isReconcile: false,
      isUserInitiated: false,
      signal: own.signal,
      onRead,
      onPlanned: (openFiles) => teller.planned(projectId, openFiles),
      onFailure: (failure) => teller.failed(failure),
      onFile(outcome) {
        teller.file(projectId, outcome)
        if (outcome.kind === 'failed' || outcome.kind === 'deferred') onFileFailed(outcome.error)
      },
    }
    const ended = this.#parts.locks
      .run(projectId, () => run(options))
      .then(() => void this.#failed.delete(projectId))
      .catch((error: unknown) => {
        if (!own.signal.aborted) this.#noteFailure(projectId)
        return onFailed(projectId, error, own.signal)
      })
      .catch((error: unknown) => onFatal(toEngineError(error, 'record a failure')))
      .finally(() => {
        signal.removeEventListener('abort', interrupt)
        this.#active.delete(projectId)
        onRead()
        teller.ended(projectId)
        this.#plan(projectId)
        onChange()
      })
    this.#active.set(projectId, { ended, interrupt })
  }
}

const toIso = (ms: number) => new Date(ms).toISOString()
