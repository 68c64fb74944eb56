import type { SyncFailure, SyncReport } from '../../../shared/domain.ts'
import type { AppError } from '../../../shared/errors.ts'
import type { JobOutcome } from '../downloads/download-manager.ts'
import type { SyncProgress } from '../lib/events.ts'

/** What a pass, or a busy stretch of the watch, has done so far. */
export class SyncStats {
  readonly failures: SyncFailure[] = []
  projects = 0
  projectsDone = 0
  checklists = 0
  /** The most files that were known of each project, those that ended included. */
  readonly #planned = new Map<string, number>()
  readonly #ended = new Map<string, number>()
  #downloaded = 0
  #checked = 0
  #failed = 0
  #bytes = 0

  /** So many files of a project wait or are under way. */
  plan(projectId: string, openFiles: number): void {
    this.#planned.set(projectId, openFiles + (this.#ended.get(projectId) ?? 0))
  }

  count(projectId: string, outcome: JobOutcome): void {
    this.#ended.set(projectId, (this.#ended.get(projectId) ?? 0) + 1)
    if (outcome.kind === 'downloaded') {
      this.#downloaded += 1
      this.#bytes += outcome.sizeBytes
    } else if (outcome.kind === 'unchanged') {
      this.#checked += 1
    } else if (outcome.kind === 'failed' || outcome.kind === 'deferred') {
      this.#failed += 1
      this.failures.push(fileFailure(projectId, outcome))
    }
  }

  progress(elapsedMs: number): Omit<SyncProgress, 'budgetWaitMs'> {
    return {
      projectsDone: this.projectsDone,
      projectsTotal: this.projects,
      filesDone: this.#downloaded + this.#checked,
      filesFailed: this.#failed,
      filesTotal: [...this.#planned.values()].reduce((sum, files) => sum + files, 0),
      bytesDownloaded: this.#bytes,
      elapsedMs,
    }
  }

  /** `archived`: files of these projects that the archive holds now. */
  report(apiCalls: number, archived: number, durationMs: number): SyncReport {
    return {
      projects: this.projects,
      checklists: this.checklists,
      apiCalls,
      filesDownloaded: this.#downloaded,
      filesUnchanged: Math.max(0, archived - this.#downloaded),
      filesFailed: this.#failed,
      bytesDownloaded: this.#bytes,
      durationMs,
      failures: this.failures,
    }
  }
}

export function projectFailure(projectId: string, { code, message }: AppError): SyncFailure {
  return { projectId, checklistId: null, path: null, code, message }
}

export function fileFailure(
  projectId: string,
  outcome: Extract<JobOutcome, { kind: 'failed' | 'deferred' }>,
): SyncFailure {
  const { code, message } = outcome.error
  return { projectId, checklistId: outcome.checklistId, path: outcome.asset.path, code, message }
}
