import type { DownloadCounts, SyncFailure, SyncReport } from '../../../shared/domain.ts'
import { stopsPass, isTokenError } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import type { RenamedFolder } from '../checklists/find-misplaced.ts'
import type { JobOutcome } from '../downloads/job-runner.ts'
import type { SyncResult } from '../engine.ts'
import { explainError, errorFacts } from '../lib/engine-error.ts'
import { shuffled } from '../lib/jitter.ts'
import type { HostGates } from '../lib/host-gates.ts'
import { HostDownError } from '../lib/outage.ts'
import type { SyncProgress } from '../lib/events.ts'
import type { AssetToDownload } from '../store/assets-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import type { ProjectLocks } from '../lib/project-locks.ts'
import type { PassWork, ProjectCalls, ProjectProgress, TimeLeftMeter } from './time-left.ts'
import { syncProject, type ProjectSyncOptions, type ProjectSyncDeps } from './sync-project.ts'

export interface SyncPassDeps extends ProjectSyncDeps {
  readonly locks: ProjectLocks
  /** Creates the gates of a pass. */
  readonly openGates: () => HostGates
  /** Creates the estimate of the time that a pass takes. */
  readonly createTimeLeftMeter: () => TimeLeftMeter
}

export interface SyncPassOptions {
  /** True if the user named the projects: they are synced in that order. */
  readonly isOrdered: boolean
  readonly signal: AbortSignal
  /** Called at every change; the caller throttles. */
  readonly onProgress: (progress: Omit<SyncProgress, 'budgetWaitMs'>) => void
  /** Returns whether a project is due to be read in full, including what looks unchanged. */
  readonly isFullPassDue: (lastFullPassMs: number | null, nowMs: number) => boolean
}

/** Interval of progress reports while nothing ends. */
const tickMs = 1000

/** Maximum of concurrent projects: files of one download while calls for the next wait for the rate budget. */
const maxProjectsAtOnce = 3

/**
 * Runs one pass over the projects. Failures of projects, checklists, and files are in the report. Those that concern
 * all (the token, the disk) end the pass early and are in the report as well, as does a service that is down: then only
 * the files that have a link are still downloaded. Rejects with `cancelled` if the signal aborts, and with internal
 * errors.
 */
export async function syncPass(
  deps: SyncPassDeps,
  projects: readonly ProjectRow[],
  options: SyncPassOptions,
): Promise<SyncResult> {
  return new SyncPass(deps, projects, options).run()
}

class SyncPass {
  readonly #deps: SyncPassDeps
  #projects: readonly ProjectRow[]
  readonly #options: SyncPassOptions
  readonly #startMs: number
  readonly #callsBefore: number
  readonly #stop = new AbortController()
  readonly #combinedSignal: AbortSignal
  readonly #stats = new SyncStats()
  readonly #gates: HostGates
  readonly #meter: TimeLeftMeter
  readonly #synced = new Set<string>()
  /** Reason of each project that failed, and of the end of the pass for those that it did not reach. */
  readonly #reasons = new Map<string, AppError>()
  #endedBy: AppError | undefined
  #isServiceDown = false

  constructor(deps: SyncPassDeps, projects: readonly ProjectRow[], options: SyncPassOptions) {
    this.#deps = deps
    this.#projects = projects
    this.#options = options
    this.#startMs = deps.ports.clock.monotonicMs()
    this.#callsBefore = deps.client.callCount
    this.#combinedSignal = AbortSignal.any([options.signal, this.#stop.signal])
    this.#stats.projects = projects.length
    this.#gates = deps.openGates()
    this.#meter = deps.createTimeLeftMeter()
  }

  async run(): Promise<SyncResult> {
    const waiting = this.#options.isOrdered ? [...this.#projects] : readingOrder(this.#projects)
    const isEnding = () => this.#combinedSignal.aborted || this.#isServiceDown
    const unrecorded: unknown[] = []
    const work = async () => {
      try {
        for (let next = waiting.shift(); next !== undefined && !isEnding(); next = waiting.shift())
          await this.#syncOne(next)
      } catch (thrown) {
        // Not even a failure can be recorded. The other projects end first: nothing may work once the pass has ended.
        unrecorded.push(thrown)
        this.#stop.abort()
      }
    }
    // A pass that waits for the rate budget reports progress, too.
    const ticker = setInterval(() => this.#notify(), tickMs)
    this.#notify()
    await Promise.all(Array.from({ length: maxProjectsAtOnce }, work))
    clearInterval(ticker)
    this.#gates.end()
    if (unrecorded.length > 0) throw unrecorded[0]
    if (this.#options.signal.aborted) {
      throw new AppError(
        'cancelled',
        'The sync was stopped. What was downloaded is kept; the next sync continues from here.',
      )
    }
    return this.#result()
  }

  async #syncOne(project: ProjectRow): Promise<void> {
    const { locks, store } = this.#deps
    try {
      const options = this.#optionsFor(project.id)
      const sync = async () => {
        // Since the pass began, a user may have removed it, and the watch may have created its folder.
        const row = store.projects.isActive(project.id) ? store.projects.get(project.id) : undefined
        return row && syncProject(this.#deps, row, options)
      }
      const synced = await locks.run(project.id, sync, this.#combinedSignal)
      if (synced === undefined) {
        this.#leaveOut(project)
        return
      }
      this.#stats.checklists += synced.checklists
      this.#synced.add(project.id)
    } catch (thrown) {
      const error = await explainError(this.#deps.folders, thrown, 'archive a project')
      if (!this.#combinedSignal.aborted) this.#reasons.set(project.id, error)
      // Once the pass is stopping, only the first reason is reported.
      if (this.#combinedSignal.aborted || (this.#isServiceDown && error instanceof HostDownError)) return
      this.#recordFailure(project.id, error)
    }
    this.#stats.setRead(project.id)
    this.#stats.projectsDone += 1
    this.#notify()
  }

  #leaveOut(project: ProjectRow): void {
    this.#projects = this.#projects.filter((other) => other !== project)
    this.#stats.projects = this.#projects.length
    this.#notify()
  }

  #optionsFor(projectId: string): ProjectSyncOptions {
    const stats = this.#stats
    const notifying =
      <Args extends unknown[]>(count: (...args: Args) => void) =>
      (...args: Args) => {
        count(...args)
        this.#notify()
      }
    return {
      priority: 'user',
      isFullPass: this.#isFullPass(projectId),
      isUserInitiated: true,
      signal: this.#combinedSignal,
      gates: this.#gates,
      onCall: notifying((calls) => stats.setCalls(projectId, calls)),
      onRead: notifying(() => stats.setRead(projectId)),
      onPlanned: notifying((openFiles) => stats.plan(projectId, openFiles)),
      onFile: notifying((outcome) => {
        stats.count(projectId, outcome)
        if (outcome.kind === 'failed' || outcome.kind === 'deferred') {
          stats.failures.push(fileFailure(projectId, outcome))
        }
      }),
      onFailure: (failure) => void stats.failures.push(failure),
      onRenamed: (folder) => void stats.renamed.push(folder),
    }
  }

  #isFullPass(projectId: string): boolean {
    const at = this.#deps.store.projects.pollFactsOf(projectId)?.reconciledAt ?? null
    return this.#options.isFullPassDue(at === null ? null : Date.parse(at), this.#deps.ports.clock.nowMs())
  }

  /** Records why a project could not be synced, and ends the pass if that concerns all of them. */
  #recordFailure(projectId: string, error: AppError): void {
    const { store, ports } = this.#deps
    ports.logger.error('A project could not be synced', {
      project: projectId,
      ...errorFacts(error),
      cause: error.cause,
    })
    if (error instanceof HostDownError) {
      this.#isServiceDown = true
      this.#stats.recordOutage(error)
    } else if (stopsPass(error.code)) this.#stop.abort()
    if (this.#isServiceDown || this.#stop.signal.aborted) this.#endedBy ??= error
    this.#stats.failures.push(projectFailure(projectId, error))
    // A token error concerns all projects and is shown once, not with this one.
    if (!isTokenError(error.code))
      store.projects.setError(projectId, error, new Date(ports.clock.nowMs()).toISOString())
  }

  #notify(): void {
    const hostWait = this.#gates.wait
    const timeLeft = this.#meter.advance(this.#elapsedMs(), () => this.#stats.work())
    const progress = { ...this.#stats.progress(this.#elapsedMs()), timeLeft }
    // Nobody knows when a host comes back.
    this.#options.onProgress(hostWait === undefined ? progress : { ...progress, timeLeft: null, hostWait })
  }

  #elapsedMs(): number {
    return Math.round(this.#deps.ports.clock.monotonicMs() - this.#startMs)
  }

  #result(): SyncResult {
    const { store, client } = this.#deps
    const projects = this.#projects
    const archived = projects.reduce((sum, { id }) => sum + store.assets.countArchived(id), 0)
    const report = this.#stats.report(client.callCount - this.#callsBefore, archived, this.#elapsedMs())
    const filesWaiting = projects.reduce((sum, { id }) => sum + store.jobs.countOpen(id), 0)
    const failedProjects = projects.flatMap(({ id, name }) => {
      const error = this.#reasons.get(id) ?? this.#endedBy
      if (this.#synced.has(id) || error === undefined) return []
      return [{ id, name: name ?? id, code: error.code, message: error.message }]
    })
    const notSynced = projects.length - this.#synced.size
    return { ...report, failedProjects, notSynced, filesWaiting, ...this.#stats.forPeople }
  }
}

/** Returns the projects with those that were never synced shuffled among their places. */
export function readingOrder<Row extends Pick<ProjectRow, 'id' | 'lastSyncedAt'>>(projects: readonly Row[]): Row[] {
  const isNew = ({ lastSyncedAt }: Row) => lastSyncedAt === null
  const news = shuffled(projects.filter(isNew), ({ id }) => id).values()
  return projects.map((project) => (isNew(project) ? (news.next().value ?? project) : project))
}

/** Counts of a pass, or of a busy period of the watch. */
export class SyncStats {
  /** Failures of a pass. The watch adds none: while a host is down, it may be busy for weeks. */
  readonly failures: SyncFailure[] = []
  readonly renamed: RenamedFolder[] = []
  projects = 0
  projectsDone = 0
  checklists = 0
  /** Calls of each project that was begun, and its files. */
  readonly #begun = new Map<string, ProjectProgress>()
  readonly #read = new Set<string>()
  #files = 0
  #downloaded = 0
  #checked = 0
  #failed = 0
  #deferred = 0
  #bytes = 0
  readonly #downloads = { newFiles: 0, replacedFiles: 0, previews: 0 }
  readonly #outages = new Map<string, AppError>()

  /** Sets the number of a project's files that are queued or in flight. */
  plan(projectId: string, openFiles: number): void {
    const { files, filesEnded } = this.#workOf(projectId)
    const now = openFiles + filesEnded
    this.#files += now - files
    this.#update(projectId, { files: now })
  }

  setCalls(projectId: string, calls: ProjectCalls): void {
    this.#update(projectId, calls)
  }

  /** Records that nothing more of a project is to be read. */
  setRead(projectId: string): void {
    this.#read.add(projectId)
    const { categories } = this.#workOf(projectId)
    const total = categories?.read ?? 0
    this.#update(projectId, { callsLeft: 0, categories: { read: total, total } })
  }

  /** Returns the work of the pass, as far as it is known. */
  work(): PassWork {
    return { projects: this.projects, begun: [...this.#begun.values()] }
  }

  #workOf(projectId: string): ProjectProgress {
    return this.#begun.get(projectId) ?? { callsDone: 0, callsLeft: 0, categories: null, files: 0, filesEnded: 0 }
  }

  #update(projectId: string, change: Partial<ProjectProgress>): void {
    this.#begun.set(projectId, { ...this.#workOf(projectId), ...change })
  }

  count(projectId: string, outcome: JobOutcome): void {
    this.#update(projectId, { filesEnded: this.#workOf(projectId).filesEnded + 1 })
    if (outcome.kind === 'downloaded') {
      this.#downloaded += 1
      this.#downloads[downloadOf(outcome.asset)] += 1
      this.#bytes += outcome.sizeBytes
    } else if (outcome.kind === 'unchanged') {
      this.#checked += 1
    } else if (outcome.kind === 'not-uploaded') {
      // It is none of the files of this pass.
      this.#files -= 1
    } else if (outcome.kind === 'failed' || outcome.kind === 'deferred') {
      this.#failed += 1
      if (outcome.kind === 'deferred') this.#deferred += 1
      if (outcome.error instanceof HostDownError) this.recordOutage(outcome.error)
    }
  }

  recordOutage(error: AppError): void {
    this.#outages.set(error.message, error)
  }

  /** Downloads, and the hosts that are down, each once. */
  get forPeople(): Pick<SyncResult, 'downloads' | 'outages'> {
    const outages = [...this.#outages.values()].map(({ code, message }) => ({ code, message }))
    return { downloads: { ...this.#downloads }, outages }
  }

  progress(elapsedMs: number): Omit<SyncProgress, 'budgetWaitMs' | 'timeLeft'> {
    return {
      projectsDone: this.projectsDone,
      projectsRead: this.#read.size,
      projectsTotal: this.projects,
      filesDone: this.#downloaded + this.#checked,
      // Files that wait may still arrive.
      filesFailed: this.#failed - this.#deferred,
      filesTotal: this.#files,
      bytesDownloaded: this.#bytes,
      elapsedMs,
    }
  }

  /** `archived`: number of files of these projects in the archive. */
  report(apiCalls: number, archived: number, durationMs: number): Omit<SyncReport, 'failedProjects'> {
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
      renamed: this.renamed,
    }
  }
}

/** Returns how a downloaded file counts; `asset` is its row from before the download. */
function downloadOf({ kind, sha256, damage }: AssetToDownload): keyof DownloadCounts {
  if (kind === 'thumbnail') return 'previews'
  return sha256 === null && damage === null ? 'newFiles' : 'replacedFiles'
}

export function projectFailure(projectId: string, { code, message }: AppError): SyncFailure {
  return { projectId, checklistId: null, checklistTitle: null, path: null, code, message }
}

export function fileFailure(
  projectId: string,
  outcome: Extract<JobOutcome, { kind: 'failed' | 'deferred' }>,
): SyncFailure {
  const { code, message } = outcome.error
  const { checklistId, checklistTitle, asset } = outcome
  return { projectId, checklistId, checklistTitle, path: asset.path, code, message }
}
