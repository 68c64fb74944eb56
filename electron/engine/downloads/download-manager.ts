import type { AppError } from '../../../shared/errors.ts'
import { explainError, toEngineError, errorFacts } from '../lib/engine-error.ts'
import type { HostGates } from '../lib/host-gates.ts'
import { LinkAsker } from './ask-for-link.ts'
import { downloadsStopped, JobRunner, type DownloadOptions, type DownloadWork, type JobOutcome } from './job-runner.ts'

export interface DownloadManager {
  /** Begins to process a project's queue. Every `start` needs a `finish`. */
  start(projectId: string, options: QueueOptions): ProjectDownloads
  /** Processes what is in a project's queue: `start` and `finish` in one. */
  processQueue(projectId: string, options: QueueOptions): Promise<void>
  /** To be called once no queue is processed any more. */
  close(): Promise<void>
}

export interface QueueOptions {
  readonly signal: AbortSignal
  readonly onOutcome: (outcome: JobOutcome) => void
  /** The gates of the pass. Without them, every file is tried. */
  readonly gates?: HostGates | undefined
  /** Called when the service has answered with a link. */
  readonly onAnswered?: (() => void) | undefined
}

/** A project's queue that is being processed and may still grow. */
export interface ProjectDownloads {
  /** To be called when there may be new jobs. */
  wake(): void
  /**
   * Resolves once the queue has room for more files. This limits what is read ahead, links above all. Rejects like
   * `finish` with errors that stop everything.
   */
  room(): Promise<void>
  /**
   * Declares that no more jobs come. Resolves once nothing of the project is queued or in flight. Rejects with what
   * stops everything: a disk error or `cancelled`; and, after everything that had a link, with the reason why the
   * service could not be asked for the other links (`token-refused`, `token-missing`, `rate-limited`, unreachable).
   * Jobs that were not done are queued again unchanged, as are those of a file host that was given up, which is no
   * error.
   */
  finish(): Promise<void>
}

/**
 * Maximum number of queued files before more are asked for: seconds of downloads, a few hundred kilobytes of links and
 * rows.
 */
const maxQueued = 500

/** Maximum number of jobs claimed or being published per download slot: enough to share commits, little to hold. */
const maxClaimedPerSlot = 16

export function createDownloadManager(options: DownloadOptions): DownloadManager {
  const runner = new JobRunner(options)
  const start: DownloadManager['start'] = (projectId, queue) => new ProjectQueue(options, runner, projectId, queue)
  return {
    start,
    processQueue: (projectId, queue) => start(projectId, queue).finish(),
    close: () => runner.close(),
  }
}

class ProjectQueue implements ProjectDownloads {
  readonly #options: DownloadOptions
  readonly #runner: JobRunner
  readonly #projectId: string
  readonly #signal: AbortSignal
  readonly #onOutcome: (outcome: JobOutcome) => void
  readonly #gates: HostGates | undefined
  readonly #asker: LinkAsker
  /** See `HostGates.beginQueue`. */
  readonly #lastIsQueued: () => void
  readonly #stop = new AbortController()
  readonly #combinedSignal: AbortSignal
  readonly #inFlight = new Set<Promise<void>>()
  /**
   * Assets without a link, or whose host is down. Released at the end: released earlier, they would be claimed again at
   * once.
   */
  readonly #deferred: number[] = []
  #deferredBy: AppError | undefined
  readonly #processing: Promise<void>
  readonly #onAbort = () => this.wake()
  #fatal: AppError | undefined
  #isGrowing = true
  /** Number of jobs that have ended. */
  #ended = 0
  /** Resolved and replaced at every change. Read it before checking the state, so that no change is missed. */
  #change = Promise.withResolvers<void>()

  constructor(
    options: DownloadOptions,
    runner: JobRunner,
    projectId: string,
    { signal, onOutcome, gates, onAnswered }: QueueOptions,
  ) {
    this.#options = options
    this.#runner = runner
    this.#projectId = projectId
    this.#signal = signal
    this.#onOutcome = onOutcome
    this.#gates = gates
    this.#asker = new LinkAsker(options.links, gates?.service, onAnswered)
    this.#lastIsQueued = gates?.beginQueue() ?? (() => undefined)
    this.#combinedSignal = AbortSignal.any([signal, this.#stop.signal])
    this.#combinedSignal.addEventListener('abort', this.#onAbort, { once: true })
    this.#processing = this.#processJobs()
      .catch(async (error: unknown) => {
        this.#stopFor(await explainError(options.folders, error, 'process the downloads'))
        await Promise.all(this.#inFlight)
      })
      .then(() => this.#releaseDeferred())
      .catch((error: unknown) => this.#stopFor(toEngineError(error, 'record what was downloaded')))
  }

  wake(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  async room(): Promise<void> {
    while (this.#fatal === undefined) {
      if (this.#combinedSignal.aborted) return
      const tooMany = this.#options.store.jobs.countQueued(this.#projectId) - maxQueued
      if (tooMany < 0) return
      // Nothing may wait for more files that wait for room.
      this.#lastIsQueued()
      // Counting takes longer than a small file, so count again only once enough files have ended.
      const enough = this.#ended + tooMany + 1
      while (this.#ended < enough && this.#fatal === undefined && !this.#combinedSignal.aborted) {
        await this.#change.promise
      }
    }
    throw this.#fatal
  }

  async finish(): Promise<void> {
    this.#isGrowing = false
    this.#lastIsQueued()
    this.wake()
    await this.#processing
    this.#combinedSignal.removeEventListener('abort', this.#onAbort)
    if (this.#signal.aborted) throw downloadsStopped()
    const error = this.#fatal ?? this.#asker.deferredBy
    if (error !== undefined) throw error
  }

  async #processJobs(): Promise<void> {
    const { folders, store, concurrency } = this.#options
    const maxClaimed = maxClaimedPerSlot * concurrency
    const folder = store.projects.get(this.#projectId)?.folder
    if (folder != null) await folders.ensureFolder(folder)
    while (!this.#combinedSignal.aborted) {
      const nextChange = this.#change.promise
      // Claim half of them at once: a claim for each file that ends would take as long as the file.
      const free = maxClaimed - this.#inFlight.size
      const jobs = free < maxClaimed / 2 ? [] : store.jobs.claim(this.#projectId, free)
      if (jobs.length === 0 && !this.#isGrowing && this.#inFlight.size === 0) return
      if (jobs.length === 0) await nextChange
      const listed = store.assets.listToDownload(jobs.map(({ assetId }) => assetId))
      if (listed.length > 0) this.#runner.expect(listed)
      const assets = new Map(listed.map((asset) => [asset.id, asset]))
      for (const job of jobs) {
        const asset = assets.get(job.assetId)
        if (asset === undefined) continue
        const ended = this.#runJob({ job, asset, asker: this.#asker, gates: this.#gates }).finally(() => {
          this.#inFlight.delete(ended)
          this.#ended += 1
          this.wake()
        })
        this.#inFlight.add(ended)
      }
    }
    await Promise.all(this.#inFlight)
  }

  async #runJob(work: DownloadWork): Promise<void> {
    try {
      const outcome = await this.#runner.run(work, this.#combinedSignal)
      if (outcome?.kind === 'released') this.#stopFor(outcome.error)
      if (outcome?.kind === 'deferred') {
        this.#deferred.push(work.asset.id)
        this.#deferredBy ??= outcome.error
      }
      if (outcome !== undefined) this.#onOutcome(outcome)
    } catch (error) {
      // Not even the failure could be recorded.
      this.#stopFor(toEngineError(error, 'record what was downloaded'))
    }
  }

  #stopFor(error: AppError): void {
    if (this.#fatal === undefined || this.#fatal.code === 'cancelled') this.#fatal = error
    this.#stop.abort()
  }

  #releaseDeferred(): void {
    const { store, ports } = this.#options
    if (this.#deferredBy === undefined) return
    const facts = { project: this.#projectId, files: this.#deferred.length, ...errorFacts(this.#deferredBy) }
    ports.logger.warn('Files wait until their host or the service can be reached', facts)
    store.transaction(() => {
      for (const assetId of this.#deferred) store.jobs.release(assetId)
    })
  }
}
