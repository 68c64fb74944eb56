import { dirname } from 'node:path/posix'
import { errorPolicy, meansNotUploaded } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { isFolderInside } from '../archive/inside-archive.ts'
import { attentionAt, startsAttention } from '../lib/attention.ts'
import { explainError, errorFacts } from '../lib/engine-error.ts'
import type { DownloadInFlight } from '../lib/events.ts'
import type { HostGate } from '../lib/host-gate.ts'
import { HostDownError, suggestsOutage } from '../lib/outage.ts'
import type { Ports } from '../lib/ports.ts'
import type { AssetToDownload } from '../store/assets-store.ts'
import type { Store } from '../store/create-store.ts'
import type { Link, LinkSource } from './ask-for-link.ts'
import { backoffMs } from '../lib/backoff.ts'
import type { DiskRoom } from './disk-room.ts'
import { defaultDownloadLimits, type DownloadLimits } from './download-file.ts'
import { FairSlots, type Slot } from './fair-slots.ts'
import { fetchFile, type Fetched, type FetchWork } from './fetch-file.ts'
import { InFlightDownloads } from './in-flight.ts'
import type { Outbound } from '../service/outbound.ts'
import type { AddressPolicy } from '../service/address-policy.ts'
import { partPath, projectFolderOf } from './part-file.ts'
import { Publisher } from './publisher.ts'
import { endJob } from './record-download.ts'
import { createGroupWriter, type GroupWriter, type WriteMode } from './group-writer.ts'
import { createTransport, type FileTransport } from './transport.ts'

interface OfChecklist {
  readonly checklistId: string
  readonly checklistTitle: string
}

/** End of one job. */
export type JobOutcome =
  | { readonly kind: 'downloaded'; readonly asset: AssetToDownload; readonly sizeBytes: number }
  | { readonly kind: 'unchanged'; readonly asset: AssetToDownload }
  | ({ readonly kind: 'failed'; readonly asset: AssetToDownload; readonly error: AppError } & OfChecklist)
  /** The service lists the file and does not have it yet. It is retried like a failed one. */
  | { readonly kind: 'not-uploaded'; readonly asset: AssetToDownload; readonly error: AppError }
  /**
   * Queued again for when its host is back or the service can be asked for its link: nothing is wrong with the file.
   */
  | ({ readonly kind: 'deferred'; readonly asset: AssetToDownload; readonly error: AppError } & OfChecklist)
  /** Queued again: the download was stopped, or the disk fails. */
  | { readonly kind: 'released'; readonly asset: AssetToDownload; readonly error: AppError }

export interface DownloadOptions {
  readonly folders: ArchiveFolders
  readonly store: Store
  readonly links: LinkSource
  readonly policy: AddressPolicy
  readonly outbound: Outbound
  readonly ports: Ports
  /** Maximum number of files downloaded at the same time. */
  readonly concurrency: number
  readonly limits?: DownloadLimits
  /** Default: a thread. */
  readonly writeMode?: WriteMode | undefined
  readonly room: DiskRoom
  /** See `DownloadRequest`. */
  readonly containsSecret?: (text: string) => boolean
  /** Called with files that are about to be downloaded. */
  readonly onExpected?: (assets: readonly AssetToDownload[]) => void
  /** Called with the files in flight; see the engine's event `downloads`. */
  readonly onInFlight?: (files: readonly DownloadInFlight[]) => void
}

/** Completes "Solarchive could not ...". */
const writing = 'write a file into the archive'

/** Runs download jobs: fetches the file, publishes it under its name, records the outcome. */
export class JobRunner {
  readonly #options: DownloadOptions
  readonly #transport: FileTransport
  readonly #writer: GroupWriter
  readonly #publisher: Publisher
  readonly #slots: FairSlots
  readonly #inFlight: InFlightDownloads
  /** Ids of files that count as downloaded and are downloaded again, because the service listed another one meanwhile. */
  readonly #counted = new Set<number>()
  /** Files that released their slot and are not on the disk yet. */
  #waitingForDisk = 0

  constructor(options: DownloadOptions) {
    this.#options = options
    const { connectMs, responseMs } = options.limits ?? defaultDownloadLimits
    const { policy, outbound, concurrency } = options
    const { lookup } = policy
    this.#transport = createTransport({ outbound, lookup, connections: concurrency, connectMs, responseMs })
    this.#writer = createGroupWriter(options.writeMode ?? 'thread')
    this.#publisher = new Publisher(options.folders, options.store, options.ports.clock, this.#writer)
    this.#slots = new FairSlots(options.concurrency)
    const nameOf = (projectId: string) => options.store.projects.get(projectId)?.name ?? null
    this.#inFlight = new InFlightDownloads(nameOf, options.onInFlight ?? (() => undefined))
  }

  /** Closes connections and ends the thread. To be called once nothing runs. */
  async close(): Promise<void> {
    await Promise.all([this.#transport.close(), this.#writer.close()])
  }

  /** To be called before these files are run: what they need is started while their first requests are in flight. */
  expect(assets: readonly AssetToDownload[]): void {
    this.#writer.prepare()
    this.#options.onExpected?.(assets)
  }

  /** Runs one claimed job. Resolves with undefined if the job is gone. */
  async run(work: DownloadWork, signal: AbortSignal): Promise<JobOutcome | undefined> {
    try {
      return await this.#record(work, await this.#downloadWhenUp(work, signal))
    } catch (error) {
      const { asset } = work
      if (error instanceof HostDownError) {
        // The host may have moved: the next pass asks for a link.
        this.#options.links.forget(asset.id)
        return { kind: 'deferred', asset, ...this.#checklistOf(asset), error }
      }
      const { folders } = this.#options
      return this.#recordFailure(
        work,
        signal.aborted ? downloadsStopped() : await explainError(folders, error, writing),
      )
    }
  }

  /** Publishes what was downloaded, and records the end of a job. */
  async #record(work: DownloadWork, ended: Ended): Promise<JobOutcome | undefined> {
    const { store, links } = this.#options
    const { job, asset } = work
    if (ended.kind === 'received') {
      const { link, ...file } = ended
      const { projectId } = job
      const { urlIdentity } = link
      let wasCurrent = true
      const isCurrent = () => (wasCurrent = links.isCurrent(asset.id, link))
      const received = { ...file, asset, projectId, partPath: this.#partOf(asset), urlIdentity, isCurrent }
      const published = await this.#publisher.publish(received)
      const { sizeBytes } = file
      const outcome =
        published === 'unchanged' ? { kind: published, asset } : { kind: 'downloaded' as const, asset, sizeBytes }
      return this.#countOnce(outcome, wasCurrent)
    }
    if (ended.kind === 'unchanged') {
      const isCurrent = links.isCurrent(asset.id, ended.link)
      // No flush: if a power cut loses this, the host is asked again.
      store.transactionWithoutFlush(() => {
        if (isCurrent) store.assets.confirm(asset.id, ended.link.urlIdentity)
        endJob(store, asset.id, isCurrent)
      })
      return this.#countOnce({ kind: 'unchanged', asset }, isCurrent)
    }
    this.#counted.delete(asset.id)
    // The answer with its link may have said that the service does not have the file any more.
    if (ended.kind === 'failed' && !store.jobs.isOpen(asset.id)) return undefined
    // A deferred file is queued again at once. Without a gate, which waits for the host, its failure needs a backoff.
    const isOfFile = ended.kind === 'failed' && !(isOfNetwork(ended.error) && work.gates !== undefined)
    if (isOfFile) return this.#recordFailure(work, ended.error)
    return { kind: 'deferred', asset, ...this.#checklistOf(asset), error: ended.error }
  }

  /** Returns the outcome of a file, unless its job is queued again and has another one, or had it already. */
  #countOnce(
    outcome: Extract<JobOutcome, { kind: 'downloaded' | 'unchanged' }>,
    isCurrent: boolean,
  ): JobOutcome | undefined {
    const { id } = outcome.asset
    const isCounted = this.#counted.has(id)
    if (isCurrent) {
      this.#options.links.forget(id)
      this.#counted.delete(id)
    } else if (outcome.kind === 'downloaded') this.#counted.add(id)
    else return undefined
    return isCounted ? undefined : outcome
  }

  /** Downloads one file when its host is up; waiting for that needs no slot. Rejects with HostDownError. */
  async #downloadWhenUp(work: DownloadWork, signal: AbortSignal): Promise<Ended> {
    // Without a gate, the download asks for the link.
    const gate = this.#gateOf(work)
    if (gate?.isOpen === false) return this.#downloadThroughGate(gate, work, signal, undefined)
    gate?.enter()
    const first = await this.#downloadInSlot(work, signal).finally(() => gate?.leave())
    return this.#continueAtItsGate(first, undefined, work, signal)
  }

  #gateOf({ asset, gates }: DownloadWork): HostGate | undefined {
    const link = this.#options.links.cached(asset.id)
    return link == null ? undefined : gates?.of(link.url)
  }

  /** `first`: result of a download that was done before. */
  async #downloadThroughGate(
    gate: HostGate,
    work: DownloadWork,
    signal: AbortSignal,
    first: Ended | undefined,
  ): Promise<Ended> {
    const download = async () => {
      const fetched = await this.#downloadInSlot(work, signal)
      return fetched.kind === 'held' && fetched.gate === gate ? undefined : fetched
    }
    const outageIn = (fetched: Fetched) => {
      const isItsFailure = fetched.kind === 'failed' && fetched.gate === gate
      return isItsFailure && suggestsOutage(fetched.error) ? fetched.error : undefined
    }
    const fetched = await gate.run({ subject: work.asset.id, signal, outageIn }, download, first)
    return this.#continueAtItsGate(fetched, gate, work, signal)
  }

  /**
   * Returns the end of a download, or continues it at the gate of the host that was asked last: a fresh link may lead
   * to another host than that of `passed`.
   */
  async #continueAtItsGate(
    fetched: Fetched,
    passed: HostGate | undefined,
    work: DownloadWork,
    signal: AbortSignal,
  ): Promise<Ended> {
    if (fetched.kind === 'held') return this.#downloadThroughGate(fetched.gate, work, signal, undefined)
    const gate = fetched.kind === 'failed' && suggestsOutage(fetched.error) ? fetched.gate : undefined
    if (gate === undefined || gate === passed) return fetched
    return this.#downloadThroughGate(gate, work, signal, fetched)
  }

  /**
   * Downloads one file into its `.part`; publishing it needs no slot. A file that made room waits for its next slot.
   */
  async #downloadInSlot(work: DownloadWork, signal: AbortSignal): Promise<Fetched> {
    const source = { project: work.job.projectId, host: hostOf(this.#options.links.cached(work.asset.id)) }
    const download = (slot: Slot) => this.#download(work, slot, signal)
    const fetched = await this.#slots.use(source, signal, download)
    if (fetched.kind !== 'failed' || fetched.error.code !== 'cancelled' || signal.aborted) return fetched
    const { bytes = null, etag = null, sourceHash = null } = fetched.partial ?? {}
    const part = { partBytes: bytes, partEtag: etag, partSourceHash: sourceHash }
    return this.#downloadInSlot({ ...work, job: { ...work.job, ...part } }, signal)
  }

  async #download(work: DownloadWork, slot: Slot, signal: AbortSignal): Promise<Fetched> {
    const { folders, store, policy, limits = defaultDownloadLimits, ports, room, containsSecret } = this.#options
    const { concurrency } = this.#options
    const { job, asset } = work
    // If the file could not be stored before, check its folder first: downloading it again might be for nothing.
    if (job.errorCode === 'disk-error') isFolderInside(folders.root, dirname(asset.path))
    await room.requireAny()
    const file = this.#inFlight.begin(asset, job.projectId)
    const onBytes: FetchWork['onBytes'] = (bytes, totalBytes) => {
      slot.setBytes(bytes)
      file.bytes = bytes
      file.totalBytes = totalBytes
    }
    let hasLeft = false
    const onReceived = () => {
      // A disk that is slower than the network keeps slots, so that the memory of waiting files stays limited.
      if (this.#waitingForDisk === concurrency) return
      this.#waitingForDisk += 1
      hasLeft = true
      slot.leave()
    }
    try {
      const fetched = await fetchFile(
        { store, transport: this.#transport, policy, limits, room, containsSecret, clock: ports.clock },
        { ...work, stop: slot.stop, onBytes, onReceived },
        { root: folders.root, path: this.#partOf(asset) },
        signal,
      )
      if (fetched.kind !== 'failed') return fetched
      return { ...fetched, error: await folders.explain(fetched.error, writing) }
    } finally {
      if (hasLeft) this.#waitingForDisk -= 1
      this.#inFlight.end(file)
    }
  }

  #partOf({ id, path }: AssetToDownload): string {
    return partPath(projectFolderOf(path), id, this.#options.folders.installation)
  }

  /** Records a failure of the file with its next try; releases the job if the failure is not the file's. */
  #recordFailure({ job, asset }: DownloadWork, error: AppError): JobOutcome {
    const { store, links, ports } = this.#options
    if (stopsEverything(error)) {
      store.jobs.release(asset.id)
      return { kind: 'released', asset, error }
    }
    if (errorPolicy[error.code].suspectsLink) links.suspect(asset.id)
    const nowMs = ports.clock.nowMs()
    const { code, message } = error
    const facts = { code, failures: job.attempts + 1, attentionAt: job.attentionAt }
    const isNotUploaded = meansNotUploaded(code) && asset.sha256 === null && asset.damage === null
    const nextTryAt = new Date(nowMs + backoffMs(facts.failures, Math.random())).toISOString()
    store.transaction(() => {
      store.jobs.fail({ assetId: asset.id, code, message, nextTryAt, attentionAt: attentionAt(facts, nowMs) })
      if (isNotUploaded || !startsAttention(facts, { code: job.errorCode }, nowMs)) return
      const of = { projectId: job.projectId, checklistKey: asset.checklistKey, assetId: asset.id }
      const at = new Date(nowMs).toISOString()
      store.activity.count({ ...of, at, kind: 'files-failed', facts: { count: 1, code } })
    })
    if (isNotUploaded) return { kind: 'not-uploaded', asset, error }
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

  #checklistOf(asset: AssetToDownload): OfChecklist {
    const row = this.#options.store.checklists.get(asset.checklistKey)
    return { checklistId: row?.id ?? '', checklistTitle: row?.title ?? '' }
  }
}

/** Outcome of a download that was done. */
type Ended = Exclude<Fetched, { kind: 'held' }>

/** A job that was claimed, and what its project has for all of its jobs. */
export type DownloadWork = Omit<FetchWork, 'onBytes' | 'onReceived' | 'stop'>

/** Returns the host and port of a link, or `null` if there is none. */
function hostOf(link: Link | null | undefined): string | null {
  return link == null ? null : (URL.parse(link.url)?.host ?? null)
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
