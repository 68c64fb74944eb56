import type { SyncFailure, SyncReport } from '../../../shared/domain.ts'
import { AppError } from '../../../shared/errors.ts'
import type { JobOutcome } from '../downloads/download-manager.ts'
import { toEngineError } from '../engine-error.ts'
import type { SyncProgress } from '../events.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import { syncProject, type ProjectSyncParts } from './sync-project.ts'

export interface SyncPassOptions {
  readonly signal: AbortSignal
  /** Called with every change; the caller thins them out. */
  readonly onProgress: (progress: Omit<SyncProgress, 'budgetWaitMs'>) => void
}

/** How often progress is told while nothing ends. */
const tickMs = 1000

/** Projects read ahead, so that files of one download while the calls of the next wait for the rate budget. */
const projectsAtATime = 3

/**
 * One pass over the projects. Failures of projects, checklists and files are in the report. What makes going on
 * senseless (the token, the network, the disk) ends the pass early and is in the report as well. Rejects with
 * `cancelled` when the signal aborts, and with errors that are Solarchive's own.
 */
export async function syncPass(
  parts: ProjectSyncParts,
  projects: readonly ProjectRow[],
  { signal, onProgress }: SyncPassOptions,
): Promise<SyncReport> {
  const startMs = parts.ports.clock.monotonicMs()
  const callsBefore = parts.client.callCount
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const tally = new Tally(projects.length)
  const elapsedMs = () => Math.round(parts.ports.clock.monotonicMs() - startMs)
  const tell = () => onProgress(tally.progress(elapsedMs()))

  async function syncOne(project: ProjectRow): Promise<void> {
    try {
      const checklists = await syncProject(parts, project, {
        signal: either,
        onPlanned: (files) => {
          tally.filesTotal += files
          tell()
        },
        onFile: (outcome) => {
          tally.count(project.id, outcome)
          tell()
        },
        onFailure: (failure) => {
          tally.failures.push(failure)
        },
      })
      tally.checklists += checklists
    } catch (thrown) {
      const error = toEngineError(thrown, 'archive a project')
      // Once the pass is to end, the first reason is the one to tell.
      if (either.aborted) return
      parts.ports.logger.error('A project could not be synced', {
        project: project.id,
        code: error.code,
        cause: error.cause instanceof Error ? error.cause.stack : undefined,
      })
      parts.store.projects.setError(project.id, error)
      tally.failures.push(failureOf(project.id, error))
      if (endsPass(error)) stop.abort()
    }
    tally.projectsDone += 1
    tell()
  }

  const waiting = [...projects]
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined && !either.aborted; next = waiting.shift()) await syncOne(next)
  }
  // A pass that waits for the rate budget is told of too.
  const ticker = setInterval(tell, tickMs)
  tell()
  try {
    await Promise.all(Array.from({ length: projectsAtATime }, work))
  } finally {
    clearInterval(ticker)
  }
  if (signal.aborted) {
    throw new AppError(
      'cancelled',
      'The sync was stopped. What was downloaded is kept; the next sync goes on from here.',
    )
  }
  const archived = projects.reduce((sum, { id }) => sum + parts.store.assets.countArchived(id), 0)
  return tally.report(parts.client.callCount - callsBefore, archived, elapsedMs())
}

/** After these nothing else would succeed: the token, the network, or the disk has to be mended first. */
function endsPass(error: AppError): boolean {
  return [
    'token-refused',
    'rate-limited',
    'unreachable-dns',
    'unreachable-refused',
    'unreachable-tls',
    'disk-full',
    'database-damaged',
    'archive-read-only',
    'archive-unavailable',
  ].includes(error.code)
}

function failureOf(projectId: string, { code, message }: AppError): SyncFailure {
  return { projectId, checklistId: null, path: null, code, message }
}

/** What a pass has done so far. */
class Tally {
  readonly projects: number
  readonly failures: SyncFailure[] = []
  projectsDone = 0
  checklists = 0
  filesTotal = 0
  #downloaded = 0
  #checked = 0
  #failed = 0
  #bytes = 0

  constructor(projects: number) {
    this.projects = projects
  }

  count(projectId: string, outcome: JobOutcome): void {
    if (outcome.kind === 'downloaded') {
      this.#downloaded += 1
      this.#bytes += outcome.sizeBytes
    } else if (outcome.kind === 'unchanged') {
      this.#checked += 1
    } else if (outcome.kind === 'failed') {
      const { code, message } = outcome.error
      this.#failed += 1
      this.failures.push({ projectId, checklistId: outcome.checklistId, path: outcome.asset.path, code, message })
    }
  }

  progress(elapsedMs: number): Omit<SyncProgress, 'budgetWaitMs'> {
    return {
      projectsDone: this.projectsDone,
      projectsTotal: this.projects,
      filesDone: this.#downloaded + this.#checked,
      filesFailed: this.#failed,
      filesTotal: this.filesTotal,
      bytesDownloaded: this.#bytes,
      elapsedMs,
    }
  }

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
