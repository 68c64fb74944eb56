import type { SyncFailure } from '../../../shared/domain.ts'
import type { AppError } from '../../../shared/errors.ts'
import type { JobOutcome } from '../downloads/download-manager.ts'
import type { EngineEvents, SyncProgress } from '../lib/events.ts'
import type { Clock } from '../lib/ports.ts'
import type { RateBudget } from '../service/rate-budget.ts'
import type { ProjectSyncResult } from '../sync/sync-project.ts'
import { fileFailure, projectFailure, SyncStats } from '../sync/sync-stats.ts'
import { throttle } from '../lib/throttle.ts'

/** Progress is sent at most five times a second: a public promise (docs/json.md, "Events"). */
const progressIntervalMs = 200

/** Tells what the watch does: progress while files come, what each project brought, what failed. */
export class WorkTeller {
  readonly #events: EngineEvents
  readonly #clock: Clock
  readonly #tell: (progress: Omit<SyncProgress, 'budgetWaitMs'>) => void
  /** Projects with files on the way. */
  readonly #busy = new Map<string, { downloaded: number; failed: number }>()
  #stats = new SyncStats()
  #startMs = 0

  constructor(events: EngineEvents, budget: RateBudget, clock: Clock) {
    this.#events = events
    this.#clock = clock
    this.#tell = throttle(progressIntervalMs, clock, (progress: Omit<SyncProgress, 'budgetWaitMs'>) => {
      events.emit('sync-progress', { ...progress, budgetWaitMs: budget.waitMs() })
    })
  }

  get busyProjects(): number {
    return this.#busy.size
  }

  /** So many files of a project wait or are under way. */
  planned(projectId: string, openFiles: number): void {
    if (openFiles === 0 && !this.#busy.has(projectId)) return
    if (this.#busy.size === 0) {
      this.#stats = new SyncStats()
      this.#startMs = this.#clock.monotonicMs()
    }
    if (!this.#busy.has(projectId)) {
      this.#busy.set(projectId, { downloaded: 0, failed: 0 })
      this.#stats.projects += 1
    }
    this.#stats.plan(projectId, openFiles)
    this.#progress()
  }

  file(projectId: string, outcome: JobOutcome): void {
    // It still waits; what it waits for is told of the project, once.
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
    this.#events.emit('sync-failure', failure)
  }

  projectFailed(projectId: string, error: AppError): void {
    this.failed(projectFailure(projectId, error))
  }

  /** A poll ended. One that found nothing new is not told of. */
  synced(projectId: string, { checklists, changed }: ProjectSyncResult): void {
    const { downloaded, failed } = this.#busy.get(projectId) ?? { downloaded: 0, failed: 0 }
    if (!changed && downloaded + failed === 0) return
    this.#events.emit('project-synced', { projectId, checklists, filesDownloaded: downloaded, filesFailed: failed })
  }

  ended(projectId: string): void {
    if (!this.#busy.delete(projectId)) return
    this.#stats.projectsDone += 1
    if (this.#busy.size > 0) this.#progress()
    // The last word is not thinned out.
    else this.#events.emit('sync-progress', { ...this.#progressNow(), budgetWaitMs: 0 })
  }

  #progress(): void {
    this.#tell(this.#progressNow())
  }

  #progressNow(): Omit<SyncProgress, 'budgetWaitMs'> {
    return this.#stats.progress(Math.round(this.#clock.monotonicMs() - this.#startMs))
  }
}
