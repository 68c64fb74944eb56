import { stopsPass, isTokenError } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import type { SyncResult } from '../engine.ts'
import { explainError } from '../lib/engine-error.ts'
import { errorFacts } from '../lib/error-facts.ts'
import type { SyncProgress } from '../lib/events.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import { isFullPassDue } from '../scheduler/poll-schedule.ts'
import type { ProjectLocks } from '../lib/project-locks.ts'
import { syncProject, type ProjectSyncOptions, type ProjectSyncDeps } from './sync-project.ts'
import { projectFailure, SyncStats } from './sync-stats.ts'

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
  parts: ProjectSyncDeps & { readonly locks: ProjectLocks },
  projects: readonly ProjectRow[],
  { signal, onProgress }: SyncPassOptions,
): Promise<SyncResult> {
  const startMs = parts.ports.clock.monotonicMs()
  const callsBefore = parts.client.callCount
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const stats = new SyncStats()
  stats.projects = projects.length
  let synced = 0
  const elapsedMs = () => Math.round(parts.ports.clock.monotonicMs() - startMs)
  const tell = () => onProgress(stats.progress(elapsedMs()))

  function isReconcile(projectId: string): boolean {
    const at = parts.store.projects.pollFactsOf(projectId)?.reconciledAt ?? null
    return isFullPassDue(at === null ? null : Date.parse(at), parts.ports.clock.nowMs())
  }

  async function syncOne(project: ProjectRow): Promise<void> {
    try {
      const options: ProjectSyncOptions = {
        priority: 'user',
        isReconcile: isReconcile(project.id),
        isUserInitiated: true,
        signal: either,
        onPlanned: (openFiles) => {
          stats.plan(project.id, openFiles)
          tell()
        },
        onFile: (outcome) => {
          stats.count(project.id, outcome)
          tell()
        },
        onFailure: (failure) => {
          stats.failures.push(failure)
        },
      }
      const { checklists } = await parts.locks.run(project.id, () => syncProject(parts, project, options))
      stats.checklists += checklists
      synced += 1
    } catch (thrown) {
      const error = await explainError(parts.folders, thrown, 'archive a project')
      // Once the pass is to end, the first reason is the one to tell.
      if (either.aborted) return
      parts.ports.logger.error('A project could not be synced', {
        project: project.id,
        ...errorFacts(error),
        cause: error.cause,
      })
      if (stopsPass(error.code)) stop.abort()
      stats.failures.push(projectFailure(project.id, error))
      // What is no fault of this project's would be told of it alone, beside what it means for all.
      if (!isTokenError(error.code))
        parts.store.projects.setError(project.id, error, new Date(parts.ports.clock.nowMs()).toISOString())
    }
    stats.projectsDone += 1
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
  const report = stats.report(parts.client.callCount - callsBefore, archived, elapsedMs())
  return { ...report, notSynced: projects.length - synced }
}
