import type { AppError } from '../../../shared/errors.ts'
import type { SyncSchedule } from '../../../shared/settings.ts'
import { backoffMs, maxDelayMs } from '../lib/backoff.ts'
import { toEngineError } from '../lib/engine-error.ts'
import type { EngineEvents } from '../lib/events.ts'
import { shuffled } from '../lib/jitter.ts'
import { toIso, toMs } from '../lib/time.ts'
import type { Store } from '../store/create-store.ts'
import type { PollFacts } from '../store/projects-store.ts'
import type { RateBudget } from '../service/rate-budget.ts'
import { PollQueue } from './poll-queue.ts'
import { type PollLane, type PollState, tierOf } from './poll-schedule.ts'
import type { ProjectLocks } from '../lib/project-locks.ts'
import { retryProject, syncProject, type ProjectSyncOptions, type ProjectSyncDeps } from '../sync/sync-project.ts'
import type { SyncPassDeps } from '../sync/sync-pass.ts'
import { ProgressReporter } from './reporters.ts'

export interface ProjectWorkDeps extends ProjectSyncDeps, Pick<SyncPassDeps, 'createTimeLeftMeter'> {
  readonly events: EngineEvents
  /** See `ProgressDeps`. */
  readonly isPassRunning: () => boolean
  readonly budget: RateBudget
  readonly locks: ProjectLocks
  /** The limit of the rate budget; 0 means no limit. */
  readonly callsPerMinute: number
  readonly schedule: SyncSchedule
}

/** Callbacks of the owner of the work. */
export interface ProjectWorkCallbacks {
  /** Called when the work on a project failed; `signal` is aborted if it was interrupted. */
  readonly onFailed: (projectId: string, thrown: unknown, signal: AbortSignal) => Promise<void>
  /**
   * Called when the service has answered a poll with the project's checklists or, on a manual schedule, which polls
   * nothing, with a link.
   */
  readonly onAnswered: (projectId: string) => void
  /** Called when a file failed, or was deferred because of this error. */
  readonly onFileFailed: (error: AppError) => void
  /** Called when not even a failure could be recorded. */
  readonly onFatal: (error: AppError) => void
  /** Called when there may be something to start now. */
  readonly onChange: () => void
}

/** Projects of a lane that call the service at the same time; their downloads may last longer. */
const readersPerLane = 2

/**
 * Projects whose waiting files are retried at the same time: each has some hundred links and rows in memory at most.
 */
const maxActive = 24

/** Beyond this number of projects, polls wait for downloads: a poll that finds files ends when they are archived. */
const maxPolled = 200

/** Longest wait: jumps of the clock, and changes without an event, are noticed within this time. */
export const heartbeatMs = 5_000

/** Shortest wait before overdue work that cannot start yet is checked again. */
const minWaitMs = 1_000

/** Works on the watch's projects and chooses the next one. */
export class ProjectWork {
  readonly reporter: ProgressReporter
  readonly #deps: ProjectWorkDeps
  readonly #callbacks: ProjectWorkCallbacks
  readonly #queue: PollQueue
  readonly #active = new Map<string, { readonly ended: Promise<void>; readonly interrupt: () => void }>()
  /** Projects whose last work failed: consecutive failures, and the earliest next start on the monotonic clock. */
  readonly #failed = new Map<string, { readonly times: number; readonly notBeforeMs: number }>()
  readonly #reading: Record<PollLane, number> = { hot: 0, idle: 0 }

  constructor(deps: ProjectWorkDeps, callbacks: ProjectWorkCallbacks) {
    this.#deps = deps
    this.#callbacks = callbacks
    this.#queue = new PollQueue(deps.callsPerMinute, deps.schedule)
    const countRead = () => deps.store.projects.countRead()
    this.reporter = new ProgressReporter({ ...deps, clock: deps.ports.clock, countRead })
  }

  /** True if there is no project to poll. */
  get isIdle(): boolean {
    return this.#queue.size + this.#active.size === 0
  }

  /** Time at which the first waiting project is due; `null` if none waits. */
  get firstPollMs(): number | null {
    const firstMs = this.#queue.firstDueMs(this.#deps.ports.clock.nowMs())
    return Number.isFinite(firstMs) ? firstMs : null
  }

  /** Resolves when all current work has ended. */
  async settled(): Promise<void> {
    await Promise.all([...this.#active.values()].map(({ ended }) => ended))
  }

  /** Called when the cause of the failures is gone: every project may start again at once. */
  resetBackoff(): void {
    this.#failed.clear()
    this.replan()
  }

  /** Plans the polls of all projects again, from their rows. */
  replan(): void {
    const states = readPollStates(this.#deps.store)
    const known = new Set(states.map(({ projectId }) => projectId))
    for (const projectId of this.#queue.projectIds()) if (!known.has(projectId)) this.#queue.remove(projectId)
    for (const [projectId, { interrupt }] of this.#active) if (!known.has(projectId)) interrupt()
    const nowMs = this.#deps.ports.clock.nowMs()
    for (const state of states) if (!this.#active.has(state.projectId)) this.#queue.put(state, nowMs)
    this.#callbacks.onChange()
  }

  /** Ends the work on a project that was removed; unlike `replan`, it does not read all others. */
  forget(projectId: string): void {
    this.#queue.remove(projectId)
    this.#active.get(projectId)?.interrupt()
    this.#callbacks.onChange()
  }

  /**
   * Starts whatever is due, until the signal aborts; with `onePoll`, one poll at a time. Returns in how many
   * milliseconds something will be due.
   */
  dispatch(signal: AbortSignal, onePoll: boolean): number {
    return Math.min(this.#dispatchPolls(signal, onePoll), this.#dispatchRetries(signal))
  }

  #dispatchPolls(signal: AbortSignal, onePoll: boolean): number {
    const nowMs = this.#deps.ports.clock.nowMs()
    let waitMs = heartbeatMs
    if (this.#deps.schedule === 'manual') return waitMs
    const busy = new Set<string>()
    // A user's pass on it may take long; its turn is left to others.
    const isBusy = (projectId: string) => {
      const isLocked = this.#deps.locks.isBusy(projectId)
      if (isLocked) busy.add(projectId)
      return isLocked
    }
    const mayRead = (lane: PollLane) =>
      onePoll ? this.#reading.hot + this.#reading.idle === 0 : this.#reading[lane] < readersPerLane
    for (const lane of ['hot', 'idle'] as const) {
      while (mayRead(lane) && this.#active.size < maxPolled) {
        const turn = this.#queue.next(lane, nowMs, this.#deps.budget.freeCalls(), isBusy)
        if (turn.kind === 'wait') {
          waitMs = Math.min(waitMs, turn.waitMs)
          break
        }
        const { projectId, priority, isFullPass } = turn
        this.#poll(projectId, lane, { priority, isFullPass }, signal)
      }
    }
    for (const projectId of busy) this.#plan(projectId)
    return waitMs
  }

  #dispatchRetries(signal: AbortSignal): number {
    const { store, locks, ports, schedule } = this.#deps
    const nowMs = ports.clock.nowMs()
    const free = Math.max(0, maxActive - this.#active.size)
    // One more than can start shows whether more wait.
    const waiting = store.jobs.projectsToWork(toIso(nowMs), toIso(nowMs + maxDelayMs), {
      limit: free + 1,
      isWanted: (projectId) => !this.#active.has(projectId) && !locks.isBusy(projectId) && !this.#mustWait(projectId),
    })
    this.reporter.hasMoreWaiting = waiting.length > free
    for (const projectId of waiting.slice(0, free)) {
      this.#queue.remove(projectId)
      const run = async (options: ProjectSyncOptions) => {
        const onPlanned = (openFiles: number) => {
          options.onPlanned(openFiles)
          options.onRead?.()
        }
        const onAnswered = schedule === 'manual' ? () => this.#callbacks.onAnswered(projectId) : undefined
        const result = await retryProject(this.#deps, projectId, { ...options, onPlanned, onAnswered })
        this.reporter.synced(projectId, result)
      }
      this.#begin(projectId, run, () => undefined, signal)
    }
    const dueInMs = Date.parse(store.jobs.nextTryAt(toIso(nowMs)) ?? '') - nowMs
    return Number.isNaN(dueInMs) ? heartbeatMs : Math.max(minWaitMs, dueInMs)
  }

  /** Puts a project into the queue in its current state; a removed one stays out. */
  #plan(projectId: string): void {
    try {
      const state = readPollState(this.#deps.store, projectId)
      if (state !== undefined) this.#queue.put(state, this.#deps.ports.clock.nowMs())
    } catch (error) {
      this.#callbacks.onFatal(toEngineError(error, 'read when a project is due'))
    }
  }

  #recordFailure(projectId: string): void {
    const times = (this.#failed.get(projectId)?.times ?? 0) + 1
    const notBeforeMs = this.#deps.ports.clock.monotonicMs() + backoffMs(times, Math.random())
    this.#failed.set(projectId, { times, notBeforeMs })
  }

  #mustWait(projectId: string): boolean {
    return (this.#failed.get(projectId)?.notBeforeMs ?? 0) > this.#deps.ports.clock.monotonicMs()
  }

  #poll(
    projectId: string,
    lane: PollLane,
    how: Pick<ProjectSyncOptions, 'priority' | 'isFullPass'>,
    signal: AbortSignal,
  ): void {
    const { store } = this.#deps
    this.#reading[lane] += 1
    let isReading = true
    const onRead = () => {
      if (!isReading) return
      isReading = false
      this.#reading[lane] -= 1
      this.#callbacks.onChange()
    }
    const run = async (options: ProjectSyncOptions) => {
      const project = store.projects.get(projectId)
      if (project === undefined || !store.projects.isActive(projectId)) return
      if (store.projects.pollFactsOf(projectId)?.triedAt === null) this.reporter.firstRead(projectId)
      const onListed = () => this.#callbacks.onAnswered(projectId)
      const result = await syncProject(this.#deps, project, { ...options, ...how, onListed })
      this.reporter.synced(projectId, result)
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
    const { reporter } = this
    const { onFailed, onFileFailed, onFatal, onChange } = this.#callbacks
    const own = new AbortController()
    const interrupt = () => own.abort()
    signal.addEventListener('abort', interrupt, { once: true })
    if (signal.aborted) own.abort()
    const options: ProjectSyncOptions = {
      priority: 'idle',
      isFullPass: false,
      isUserInitiated: false,
      signal: own.signal,
      onRead() {
        onRead()
        reporter.read(projectId)
      },
      onCall: (calls) => reporter.called(projectId, calls),
      onPlanned: (openFiles) => reporter.planned(projectId, openFiles),
      onFailure: (failure) => reporter.failed(failure),
      onFile(outcome) {
        reporter.file(projectId, outcome)
        if (outcome.kind === 'failed' || outcome.kind === 'deferred') onFileFailed(outcome.error)
      },
    }
    const ended = this.#deps.locks
      .run(projectId, () => run(options))
      .then(() => void this.#failed.delete(projectId))
      .catch((error: unknown) => {
        if (!own.signal.aborted) this.#recordFailure(projectId)
        return onFailed(projectId, error, own.signal)
      })
      .catch((error: unknown) => onFatal(toEngineError(error, 'record a failure')))
      .finally(() => {
        signal.removeEventListener('abort', interrupt)
        this.#active.delete(projectId)
        onRead()
        reporter.ended(projectId)
        this.#plan(projectId)
        onChange()
      })
    this.#active.set(projectId, { ended, interrupt })
  }
}

/** Returns the poll state of every active project. */
function readPollStates(store: Store): PollState[] {
  const statuses = Map.groupBy(store.checklists.statuses(), ({ projectId }) => projectId)
  // Projects that were never polled are due at once, in this order.
  return shuffled(store.projects.pollFacts(), ({ id }) => id).map((facts) =>
    toPollState(
      facts,
      (statuses.get(facts.id) ?? []).map(({ status }) => status),
    ),
  )
}

/** Returns the poll state of one project, or undefined if it was removed. */
function readPollState(store: Store, projectId: string): PollState | undefined {
  const facts = store.projects.pollFactsOf(projectId)
  return facts === undefined ? undefined : toPollState(facts, store.checklists.statusesOf(projectId))
}

function toPollState(facts: PollFacts, statuses: readonly string[]): PollState {
  const { id, addedAt, polledAt, triedAt, changedAt, reconciledAt, pollFailures } = facts
  return {
    projectId: id,
    tier: tierOf(statuses),
    polledMs: toMs(polledAt),
    triedMs: toMs(triedAt),
    changedMs: toMs(changedAt) ?? toMs(addedAt),
    pollFailures,
    lastFullPassMs: toMs(reconciledAt),
  }
}
