import { basename, dirname } from 'node:path/posix'
import { errorPolicy } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { isFolderInside } from '../archive/inside-archive.ts'
import { attentionAt, startsAttention } from '../lib/attention.ts'
import { explainError, errorFacts } from '../lib/engine-error.ts'
import type { DownloadInFlight } from '../lib/events.ts'
import type { HostGate } from '../lib/host-gate.ts'
import type { HostGates } from '../lib/host-gates.ts'
import { HostDownError, suggestsOutage } from '../lib/outage.ts'
import type { Ports } from '../lib/ports.ts'
import type { AssetRow } from '../store/assets-store.ts'
import type { Store } from '../store/create-store.ts'
import type { JobRow } from '../store/jobs-store.ts'
import type { Link, LinkAsker, LinkSource } from './ask-for-link.ts'
import { backoffMs } from './backoff.ts'
import type { RoomFor } from './disk-room.ts'
import { defaultDownloadLimits, type DownloadLimits } from './download-file.ts'
import { FairSlots, type Slot } from './fair-slots.ts'
import { fetchFile, type Fetched, type FetchWork } from './fetch-file.ts'
import type { Outbound } from '../service/outbound.ts'
import type { LinkPolicy } from './link-policy.ts'
import { partPath, projectFolderOf } from './part-file.ts'
import { createPublisher, type Publisher } from './publisher.ts'
import { createGroupWriter, type GroupWriter, type WriteMode } from './group-writer.ts'
import { createTransport, type Transport } from './transport.ts'

interface OfChecklist {
  readonly checklistId: string
  readonly checklistTitle: string
}

/** End of one job. */
export type JobOutcome =
  | { readonly kind: 'downloaded'; readonly asset: AssetRow; readonly sizeBytes: number }
  | { readonly kind: 'unchanged'; readonly asset: AssetRow }
  | ({ readonly kind: 'failed'; readonly asset: AssetRow; readonly error: AppError } & OfChecklist)
  /**
   * Queued again for when its host is back or the service can be asked for its link: nothing is wrong with the file.
   */
  | ({ readonly kind: 'deferred'; readonly asset: AssetRow; readonly error: AppError } & OfChecklist)
  /** Back in the queue: stopped, or the disk fails. */
  | { readonly kind: 'released'; readonly asset: AssetRow; readonly error: AppError }

export interface DownloadOptions {
  readonly folders: ArchiveFolders
  readonly store: Store
  readonly links: LinkSource
  readonly policy: LinkPolicy
  readonly outbound: Outbound
  readonly ports: Ports
  /** Maximum number of files downloaded at the same time. */
  readonly concurrency: number
  readonly limits?: DownloadLimits
  /** Default: a thread. */
  readonly writeMode?: WriteMode | undefined
  /** Throws `disk-full` if too little space is left to begin another file. */
  readonly requireSpace: () => Promise<void>
  /** Reserves room for a file of known length; without it, writing fails once the disk is full. */
  readonly roomFor?: RoomFor
  /** See `DownloadRequest`. */
  readonly containsSecret?: (text: string) => boolean
  /** Called with the files in flight; see the engine's event `downloads`. */
  readonly onInFlight?: (files: readonly DownloadInFlight[]) => void
}

/** Completes "Solarchive could not ...". */
const writing = 'write a file into the archive'

/** Runs download jobs: fetches the file, publishes it under its name, records the outcome. */
export class JobRunner {
  readonly #options: DownloadOptions
  readonly #transport: Transport
  readonly #writer: GroupWriter
  readonly #publisher: Publisher
  readonly #slots: FairSlots
  readonly #inFlight: InFlightDownloads

  constructor(options: DownloadOptions) {
    this.#options = options
    const { connectMs, responseMs } = options.limits ?? defaultDownloadLimits
    const { policy, outbound, concurrency } = options
    const { lookup } = policy
    this.#transport = createTransport({ outbound, lookup, connections: concurrency, connectMs, responseMs })
    this.#writer = createGroupWriter(options.writeMode ?? 'thread')
    this.#publisher = createPublisher(options.folders, options.store, options.ports.clock, this.#writer)
    this.#slots = new FairSlots(options.concurrency)
    const nameOf = (projectId: string) => options.store.projects.get(projectId)?.name ?? null
    this.#inFlight = new InFlightDownloads(nameOf, options.onInFlight ?? (() => undefined))
  }

  /** Closes connections and ends the thread. To be called once nothing runs. */
  async close(): Promise<void> {
    await Promise.all([this.#transport.close(), this.#writer.close()])
  }

  /** Runs one claimed job. Resolves with undefined if its file or the job itself is gone. */
  async run(
    job: JobRow,
    asker: LinkAsker,
    signal: AbortSignal,
    gates: HostGates | undefined,
  ): Promise<JobOutcome | undefined> {
    const { folders, store, links } = this.#options
    const asset = store.assets.get(job.assetId)
    if (asset === undefined) return undefined
    try {
      const gateOf = ({ url }: Link) => gates?.of(url)
      const [outcome, part] = await this.#downloadThroughGate({ job, asset, asker, gateOf }, signal)
      // The answer with its link may have said that the service does not have the file any more.
      if (outcome.kind === 'failed' && !store.jobs.isOpen(asset.id)) return undefined
      if (outcome.kind === 'failed' && !isOfNetwork(outcome.error))
        return this.#recordFailure(job, asset, outcome.error)
      if (outcome.kind === 'deferred' || outcome.kind === 'failed') {
        return { kind: 'deferred', asset, ...this.#checklistOf(asset), error: outcome.error }
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
      const published = await this.#publisher.publish({ ...outcome, asset, projectId: job.projectId, partPath: part })
      return published === 'unchanged' ? { kind: 'unchanged', asset } : { kind: 'downloaded', asset, sizeBytes }
    } catch (error) {
      if (error instanceof HostDownError) {
        // The host may have moved: the next pass asks for a link.
        links.forget(asset.id)
        return { kind: 'deferred', asset, ...this.#checklistOf(asset), error }
      }
      return this.#recordFailure(
        job,
        asset,
        signal.aborted ? downloadsStopped() : await explainError(folders, error, writing),
      )
    }
  }

  /** Downloads one file when its host is up; waiting for that needs no slot. Rejects with HostDownError. */
  async #downloadThroughGate(work: DownloadWork, signal: AbortSignal): Promise<Ended> {
    const { asset, gateOf } = work
    const findGate = (): HostGate | undefined => {
      const link = this.#options.links.cached(asset.id)
      return link == null ? undefined : gateOf(link)
    }
    const outageIn = ([outcome]: Ended) =>
      outcome.kind === 'failed' && suggestsOutage(outcome.error) ? outcome.error : undefined
    const download = async () => {
      const [outcome, part] = await this.#downloadInSlot(work, signal)
      return outcome.kind === 'held' ? undefined : ([outcome, part] as const)
    }
    let gate = findGate()
    let first: Ended | undefined
    if (gate === undefined) {
      // The download asks for the link.
      first = await download()
      gate = first !== undefined && outageIn(first) === undefined ? undefined : findGate()
      // A link that expired meanwhile is asked for again.
      if (gate === undefined) return first ?? (await this.#downloadThroughGate(work, signal))
    }
    return await gate.run({ subject: asset.id, signal, outageIn }, download, first)
  }

  /**
   * Downloads one file into its `.part`; publishing it needs no slot. A file that made room waits for its next slot.
   */
  async #downloadInSlot(work: DownloadWork, signal: AbortSignal): Promise<readonly [Fetched, string]> {
    const { job, asset } = work
    const place = { project: job.projectId, host: hostOf(this.#options.links.cached(asset.id)) }
    for (let next = job; ;) {
      const ended = await this.#slots.use(place, signal, (slot) => this.#download({ ...work, job: next }, slot, signal))
      const [outcome] = ended
      if (outcome.kind !== 'failed' || outcome.error.code !== 'cancelled' || signal.aborted) return ended
      next = { ...job, partBytes: outcome.partial?.bytes ?? null, partEtag: outcome.partial?.etag ?? null }
    }
  }

  async #download(work: DownloadWork, slot: Slot, signal: AbortSignal): Promise<readonly [Fetched, string]> {
    const { folders, store, policy, limits = defaultDownloadLimits, ports, roomFor, containsSecret } = this.#options
    const { job, asset } = work
    // A file that could not be stored is not downloaded for nothing again.
    if (job.errorCode === 'disk-error') isFolderInside(folders.root, dirname(asset.path))
    const part = partPath(projectFolderOf(asset.path), asset.id, folders.installation)
    await this.#options.requireSpace()
    const file = this.#inFlight.begin(asset, job.projectId)
    const fetched = await fetchFile(
      { store, transport: this.#transport, policy, limits, roomFor, containsSecret, clock: ports.clock },
      {
        ...work,
        slotSignal: slot.signal,
        onBytes: (bytes, total) => {
          slot.setBytes(bytes)
          file.setBytes(bytes, total)
        },
      },
      { root: folders.root, path: part },
      signal,
    ).finally(file.end)
    if (fetched.kind !== 'failed') return [fetched, part]
    return [{ ...fetched, error: await folders.explain(fetched.error, writing) }, part]
  }

  /** Records a failure of the file with its next try; releases the job if the failure is not the file's. */
  #recordFailure(job: JobRow, asset: AssetRow, error: AppError): JobOutcome {
    const { store, links, ports } = this.#options
    if (stopsEverything(error)) {
      store.jobs.release(asset.id)
      return { kind: 'released', asset, error }
    }
    if (errorPolicy[error.code].suspectsLink) links.suspect(asset.id)
    const nowMs = ports.clock.nowMs()
    const { code, message } = error
    const facts = { code, failures: job.attempts + 1, attentionAt: job.attentionAt }
    const nextTryAt = new Date(nowMs + backoffMs(facts.failures, Math.random())).toISOString()
    store.transaction(() => {
      store.jobs.fail({ assetId: asset.id, code, message, nextTryAt, attentionAt: attentionAt(facts, nowMs) })
      if (!startsAttention(facts, { code: job.errorCode }, nowMs)) return
      const of = { projectId: job.projectId, checklistKey: asset.checklistKey, assetId: asset.id }
      const at = new Date(nowMs).toISOString()
      store.activity.count({ ...of, at, kind: 'files-failed', facts: { count: 1, code } })
    })
    const checklist = this.#checklistOf(asset)
    ports.logger.warn('A file could not be archived', {
      project: job.projectId,
      checklist: checklist.checklistId,
      asset: asset.id,
      kind: asset.kind,
      ...errorFacts(error),
    })
    return { kind: 'failed', asset, ...checklist, error }
  }

  #checklistOf(asset: AssetRow): OfChecklist {
    const row = this.#options.store.checklists.get(asset.checklistKey)
    return { checklistId: row?.id ?? '', checklistTitle: row?.title ?? '' }
  }
}

/** Outcome of a download, and the path of its part file. */
type Ended = readonly [Exclude<Fetched, { kind: 'held' }>, string]

type DownloadWork = Omit<FetchWork, 'onBytes' | 'slotSignal'>

/** Returns the host and port of a link, or `null` if there is none. */
function hostOf(link: Link | null | undefined): string | null {
  return link != null && URL.canParse(link.url) ? new URL(link.url).host : null
}

/** Returns whether the way to the host failed, which says nothing about the file. */
function isOfNetwork(error: AppError): boolean {
  return errorPolicy[error.code].retry === 'network'
}

function stopsEverything(error: AppError): boolean {
  return ['disk', 'cancelled'].includes(errorPolicy[error.code].retry)
}

export function downloadsStopped(): AppError {
  return new AppError('cancelled', 'The download was stopped. It continues with the next sync.')
}

/** Interval between reports of the files in flight: a progress bar moves smoothly, and numbers stay readable. */
const reportEveryMs = 500

interface InFlightFile {
  /** Sets the bytes on the disk, and the announced total or null if unknown. */
  readonly setBytes: (bytes: number, total: number | null) => void
  readonly end: () => void
}

/**
 * Keeps the files in flight and reports them at intervals while there are any. A file that ends between two reports is
 * in none. The last report is an empty list.
 */
export class InFlightDownloads {
  readonly #files = new Map<symbol, Omit<DownloadInFlight, 'projectName'>>()
  readonly #nameOf: (projectId: string) => string | null
  readonly #report: (files: readonly DownloadInFlight[]) => void
  #ticker: NodeJS.Timeout | undefined

  /** `nameOf` returns a project's name. */
  constructor(nameOf: (projectId: string) => string | null, report: (files: readonly DownloadInFlight[]) => void) {
    this.#nameOf = nameOf
    this.#report = report
  }

  begin({ id, kind, path }: Pick<AssetRow, 'id' | 'kind' | 'path'>, projectId: string): InFlightFile {
    const key = Symbol('file')
    const file = { assetId: id, kind, name: basename(path), projectId }
    this.#files.set(key, { ...file, bytes: 0, totalBytes: null })
    this.#ticker ??= setInterval(() => this.#tick(), reportEveryMs).unref()
    return {
      setBytes: (bytes, totalBytes) => void this.#files.set(key, { ...file, bytes, totalBytes }),
      end: () => void this.#files.delete(key),
    }
  }

  #tick(): void {
    this.#report([...this.#files.values()].map((file) => ({ ...file, projectName: this.#nameOf(file.projectId) })))
    if (this.#files.size > 0) return
    clearInterval(this.#ticker)
    this.#ticker = undefined
  }
}
