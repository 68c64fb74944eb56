import { errorPolicy } from '../../../shared/error-policy.ts'
import PQueue from 'p-queue'
import { AppError } from '../../../shared/errors.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import type { RoomFor } from './disk-room.ts'
import { resolveInside } from '../archive/inside-archive.ts'
import { explainError, toEngineError } from '../lib/engine-error.ts'
import { errorFacts } from '../lib/error-facts.ts'
import type { DownloadInFlight } from '../lib/events.ts'
import type { Ports } from '../lib/ports.ts'
import type { AssetRow } from '../store/assets-store.ts'
import type { Store } from '../store/create-store.ts'
import type { JobRow } from '../store/jobs-store.ts'
import { LinkAsker, type LinkSource } from './ask-for-link.ts'
import { backoffMs } from './backoff.ts'
import { defaultDownloadLimits, type DownloadLimits } from './download-file.ts'
import { fetchFile, type Fetched, type FetchWork } from './fetch-file.ts'
import type { LinkPolicy } from './link-policy.ts'
import { partPath, projectFolderOf } from './part-path.ts'
import { createPublisher } from './publisher.ts'
import { InFlightDownloads } from './in-flight.ts'

/** How one job ended. */
export type JobOutcome =
  | { readonly kind: 'downloaded'; readonly asset: AssetRow; readonly sizeBytes: number }
  | { readonly kind: 'unchanged'; readonly asset: AssetRow }
  | { readonly kind: 'failed'; readonly asset: AssetRow; readonly checklistId: string; readonly error: AppError }
  /** To be done as before once the service can be asked for its link: nothing is wrong with the file itself. */
  | { readonly kind: 'deferred'; readonly asset: AssetRow; readonly checklistId: string; readonly error: AppError }
  /** Back in the queue: stopped, or the disk fails. */
  | { readonly kind: 'released'; readonly asset: AssetRow; readonly error: AppError }

export interface DownloadManager {
  /** Begins to work off a project's queue. Whoever begins has to end with `finish`. */
  start(projectId: string, signal: AbortSignal, report: (outcome: JobOutcome) => void): ProjectDownloads
  /** Works off a project's queue as it is: `start` and `finish` in one. */
  processQueue(projectId: string, signal: AbortSignal, report: (outcome: JobOutcome) => void): Promise<void>
}

/** A project's queue while it is worked off and may still grow. */
export interface ProjectDownloads {
  /** Tells that there may be new jobs. */
  wake(): void
  /**
   * Resolves when so few files wait that more may be asked for: what is read ahead, links above all, stays bounded.
   * Rejects like `finish` with what has stopped everything.
   */
  room(): Promise<void>
  /**
   * No more jobs come. Resolves when nothing of the project is queued or under way. Rejects with what stops everything: a
   * disk error, `cancelled`; and, after whatever had a link, with why the service could not be asked for the others'
   * (`token-refused`, `token-missing`, `rate-limited`, unreachable). What was not done is queued again as it was.
   */
  finish(): Promise<void>
}

export interface DownloadManagerOptions {
  readonly folders: ArchiveFolders
  readonly store: Store
  readonly links: LinkSource
  readonly policy: LinkPolicy
  readonly ports: Ports
  /** Files at the same time. */
  readonly concurrency: number
  readonly limits?: DownloadLimits
  /** Throws `disk-full` when there is too little space left to begin another file. */
  readonly requireSpace: () => Promise<void>
  /** Sets room aside for a file whose length is known; without it the disk itself tells when it is full. */
  readonly roomFor?: RoomFor
  /** See `DownloadRequest`. */
  readonly containsSecret?: (text: string) => boolean
  /** Told of the files under way; see the engine's event `downloads`. */
  readonly onInFlight?: (files: readonly DownloadInFlight[]) => void
}

export function createDownloadManager(options: DownloadManagerOptions): DownloadManager {
  const { folders, store, links, policy, ports, concurrency, requireSpace, roomFor, containsSecret } = options
  const limits = options.limits ?? defaultDownloadLimits
  const publisher = createPublisher(folders, store, ports.clock)
  const slots = new PQueue({ concurrency })
  const underWayNow = new InFlightDownloads(options.onInFlight ?? (() => undefined))

  /** One job up to its `.part`; what happens then needs no slot. */
  async function download(work: Omit<FetchWork, 'onBytes'>, signal: AbortSignal): Promise<[Fetched, string]> {
    const part = resolveInside(
      folders.root,
      partPath(projectFolderOf(work.asset.path), work.asset.id, folders.installation),
    )
    await requireSpace()
    const { job, asset } = work
    const file = underWayNow.begin(asset, { id: job.projectId, name: store.projects.get(job.projectId)?.name ?? null })
    const fetching = fetchFile(
      { store, policy, limits, roomFor, containsSecret, clock: ports.clock },
      { ...work, onBytes: file.has },
      part,
      signal,
    )
    const fetched = await fetching.finally(file.end)
    if (fetched.kind !== 'failed') return [fetched, part]
    return [{ ...fetched, error: await folders.explain(fetched.error, writing) }, part]
  }

  async function perform(job: JobRow, asker: LinkAsker, signal: AbortSignal): Promise<JobOutcome | undefined> {
    const asset = store.assets.get(job.assetId)
    if (asset === undefined) return undefined
    try {
      const [outcome, part] = await slots.add(() => download({ job, asset, asker }, signal))
      // Asking for its link may have told that the service does not have it any more.
      if (outcome.kind === 'failed' && !store.jobs.isOpen(asset.id)) return undefined
      if (outcome.kind === 'failed') return settleFailure(job, asset, outcome.error)
      if (outcome.kind === 'deferred') {
        return { kind: 'deferred', asset, checklistId: checklistIdOf(asset), error: outcome.error }
      }
      if (outcome.kind === 'unchanged') {
        store.transaction(() => {
          store.assets.confirm(asset.id, outcome.urlIdentity)
          store.jobs.finish(asset.id)
        })
        links.forget(asset.id)
        return { kind: 'unchanged', asset }
      }
      const { sizeBytes } = outcome
      links.forget(asset.id)
      const published = await publisher.publish({ ...outcome, asset, projectId: job.projectId, partPath: part })
      return published === 'unchanged' ? { kind: 'unchanged', asset } : { kind: 'downloaded', asset, sizeBytes }
    } catch (error) {
      return settleFailure(job, asset, signal.aborted ? cancelled() : await explainError(folders, error, writing))
    }
  }

  /** A failure of the file is kept with its next try; one that is not the file's puts the job back. */
  function settleFailure(job: JobRow, asset: AssetRow, error: AppError): JobOutcome {
    if (stopsEverything(error)) {
      store.jobs.release(asset.id)
      return { kind: 'released', asset, error }
    }
    if (errorPolicy[error.code].suspectsLink) links.suspect(asset.id)
    const nextTryMs = ports.clock.nowMs() + backoffMs(job.attempts + 1, Math.random())
    const nextTryAt = new Date(nextTryMs).toISOString()
    store.transaction(() => {
      store.jobs.fail({ assetId: asset.id, code: error.code, message: error.message, nextTryAt })
      if (job.errorCode === error.code) return
      const of = { projectId: job.projectId, checklistKey: asset.checklistKey, assetId: asset.id }
      const at = new Date(ports.clock.nowMs()).toISOString()
      store.activity.count({ ...of, at, kind: 'files-failed', facts: { count: 1, code: error.code } })
    })
    const checklistId = checklistIdOf(asset)
    ports.logger.warn('A file could not be archived', {
      project: job.projectId,
      checklist: checklistId,
      asset: asset.id,
      kind: asset.kind,
      ...errorFacts(error),
    })
    return { kind: 'failed', asset, checklistId, error }
  }

  const checklistIdOf = (asset: AssetRow) => store.checklists.get(asset.checklistKey)?.id ?? ''

  function start(projectId: string, signal: AbortSignal, report: (outcome: JobOutcome) => void): ProjectDownloads {
    const stop = new AbortController()
    const either = AbortSignal.any([signal, stop.signal])
    const underWay = new Set<Promise<void>>()
    const asker = new LinkAsker(links)
    /** Not queued before the end, or they would be claimed at once. */
    const heldUp: number[] = []
    let fatal: AppError | undefined
    let isGrowing = true
    // Opened and replaced at every change: who takes it before looking misses nothing that happens afterwards.
    let change = Promise.withResolvers<void>()
    const tellChange = () => {
      change.resolve()
      change = Promise.withResolvers()
    }
    either.addEventListener('abort', tellChange, { once: true })

    function stopFor(error: AppError): void {
      if (fatal === undefined || fatal.code === 'cancelled') fatal = error
      stop.abort()
    }

    async function settle(job: JobRow): Promise<void> {
      try {
        const outcome = await perform(job, asker, either)
        if (outcome?.kind === 'released') stopFor(outcome.error)
        if (outcome?.kind === 'deferred') heldUp.push(job.assetId)
        if (outcome !== undefined) report(outcome)
      } catch (error) {
        // Not even the failure could be recorded.
        stopFor(toEngineError(error, 'record what was downloaded'))
      }
    }

    async function workOff(): Promise<void> {
      const folder = store.projects.get(projectId)?.folder
      if (folder != null) await folders.ensureFolder(folder)
      while (!either.aborted) {
        const nextChange = change.promise
        const jobs = store.jobs.claim(projectId, aheadPerSlot * concurrency)
        if (jobs.length === 0 && !isGrowing && underWay.size === 0) return
        if (jobs.length === 0) await nextChange
        for (const job of jobs) {
          while (underWay.size >= aheadPerSlot * concurrency) await Promise.race(underWay)
          const settled = settle(job).finally(() => {
            underWay.delete(settled)
            tellChange()
          })
          underWay.add(settled)
        }
      }
      await Promise.all(underWay)
    }

    function releaseHeldUp(): void {
      if (asker.deferredBy === undefined) return
      const facts = { project: projectId, files: heldUp.length, ...errorFacts(asker.deferredBy) }
      ports.logger.warn('Files wait until the service can be asked for their links', facts)
      store.transaction(() => {
        for (const assetId of heldUp) store.jobs.release(assetId)
      })
    }

    const working = workOff()
      .catch(async (error: unknown) => {
        stopFor(await explainError(folders, error, 'work off the downloads'))
        await Promise.all(underWay)
      })
      .then(releaseHeldUp)
      .catch((error: unknown) => stopFor(toEngineError(error, 'record what was downloaded')))

    return {
      wake: tellChange,
      async room() {
        for (let nextChange = change.promise; fatal === undefined; nextChange = change.promise) {
          if (either.aborted || store.jobs.countQueued(projectId) < readAhead) return
          await nextChange
        }
        throw fatal
      },
      async finish() {
        isGrowing = false
        tellChange()
        await working
        either.removeEventListener('abort', tellChange)
        if (signal.aborted) throw cancelled()
        const error = fatal ?? asker.deferredBy
        if (error !== undefined) throw error
      },
    }
  }

  return { start, processQueue: (projectId, signal, report) => start(projectId, signal, report).finish() }
}

/** Completes "Solarchive could not ...". */
const writing = 'write a file into the archive'

/** Files that wait while more are asked for: some seconds of downloads, some hundred kilobytes of links and rows. */
const readAhead = 500

/** Jobs that are claimed or being published for each download slot: enough to share commits, little to hold. */
const aheadPerSlot = 8

function stopsEverything(error: AppError): boolean {
  return ['disk', 'cancelled'].includes(errorPolicy[error.code].retry)
}

function cancelled(): AppError {
  return new AppError('cancelled', 'The download was stopped. It goes on with the next sync.')
}
