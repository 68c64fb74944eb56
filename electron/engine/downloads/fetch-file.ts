import { errorPolicy } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import type { HostGate } from '../lib/host-gate.ts'
import type { HostGates } from '../lib/host-gates.ts'
import { isWebPage, suggestsOutage } from '../lib/outage.ts'
import { type ArchivePath, lstatInside } from '../archive/inside-archive.ts'
import type { DiskRoom } from './disk-room.ts'
import type { Clock } from '../lib/ports.ts'
import type { AssetToDownload } from '../store/assets-store.ts'
import type { Store } from '../store/create-store.ts'
import type { ClaimedJob, UnfinishedPart } from '../store/jobs-store.ts'
import { parseRetryAfterMs } from '../service/retry-rules.ts'
import type { Link, LinkAsker } from './ask-for-link.ts'
import { downloadFile, type DownloadLimits, type DownloadOutcome, type DownloadRequest } from './download-file.ts'
import type { AddressPolicy } from '../service/address-policy.ts'
import type { FileTransport } from './transport.ts'

/** Outcome of one download, and the link that it came from. */
export type Fetched =
  | (Exclude<DownloadOutcome, { kind: 'failed' }> & { readonly link: Link })
  | {
      readonly kind: 'failed'
      readonly error: AppError
      /** Can be continued by a later try; `null` if nothing is left on the disk. */
      readonly partial: UnfinishedPart | null
      /** That of the host that was asked last; a fresh link may lead to another one. */
      readonly gate: HostGate | undefined
    }
  /** The service could not be asked for the link. */
  | { readonly kind: 'deferred'; readonly error: AppError }
  /** Not requested, because the gate of its host is closed. */
  | { readonly kind: 'held'; readonly gate: HostGate }

export interface FetchDeps {
  readonly store: Store
  readonly transport: FileTransport
  readonly policy: AddressPolicy
  readonly limits: DownloadLimits
  readonly room: DiskRoom
  /** See `DownloadRequest`. */
  readonly containsSecret?: DownloadRequest['containsSecret'] | undefined
  readonly clock: Clock
}

/** One job and the source of its link. */
export interface FetchWork {
  readonly job: ClaimedJob
  readonly asset: AssetToDownload
  readonly asker: LinkAsker
  /** See `DownloadRequest`; also called before each request. */
  readonly onBytes: NonNullable<DownloadRequest['onBytes']>
  /** See `DownloadRequest`. */
  readonly onReceived: NonNullable<DownloadRequest['onReceived']>
  /** The gates of the pass. Without them, the file is tried. */
  readonly gates: HostGates | undefined
  /** Stops the download, but no call to the service; see `Slot`. */
  readonly stop: AbortController
}

/** Tries within one pass before a job waits for its backoff: the first and two quick ones. */
const maxQuickTries = 3
const quickDelayMs = 500
/** Maximum wait for a file host's Retry-After within a pass. */
const maxHostWaitMs = 60_000

/**
 * Downloads one job's file into the part file at `partPath`, with quick retries and one fresh link. Rejects with an
 * error of the service about this file's link, HostDownError if the file's host is given up meanwhile, `cancelled`, and
 * errors of the database.
 */
export async function fetchFile(
  { store, transport, policy, limits, room, containsSecret, clock }: FetchDeps,
  { job, asset, asker, onBytes, onReceived, gates, stop }: FetchWork,
  partPath: ArchivePath,
  signal: AbortSignal,
): Promise<Fetched> {
  const first = await asker.ask(asset.id, undefined, signal)
  if (first.kind === 'deferred') return first
  if (first.kind === 'none') return { kind: 'failed', error: linkMissing(), partial: null, gate: undefined }
  let { link } = first
  let refreshed = false
  let kept = await resumable(job, partPath)
  for (let attempt = 1; ; attempt++) {
    const gate = gates?.of(link.url)
    if (gate?.isOpen === false && attempt === 1) return { kind: 'held', gate }
    // Validators and kept bytes are those of one URL: another one may lead to another file.
    const { urlIdentity } = link
    const isConditional = job.purpose === 'recheck' && asset.sha256 !== null && asset.sourceHash === urlIdentity
    const validators = !isConditional ? null : { etag: asset.etag, lastModified: asset.lastModified }
    const resume = kept?.sourceHash === urlIdentity ? kept : null
    if (kept !== null) store.jobs.setPart(asset.id, null)
    const request: DownloadRequest = {
      url: link.url,
      kind: asset.kind,
      partPath,
      validators,
      resume,
      room,
      containsSecret,
      onBytes: (bytes, total) => {
        gate?.heard()
        onBytes(bytes, total)
      },
      onProven: () => gate?.answered(),
      onReceived,
      signal: stop.signal,
    }
    const send = () => downloadFile(request, { transport, policy, limits: patientLimits(limits, job) })
    onBytes(resume?.bytes ?? 0, null)
    const outcome = await (gate === undefined ? send() : gate.request(send, stop))
    recordAtGate(gate, asset.id, outcome)
    if (outcome.kind !== 'failed') return { ...outcome, link }
    kept = outcome.partial && { ...outcome.partial, sourceHash: urlIdentity }
    if (kept !== null) store.jobs.setPart(asset.id, kept)
    gate?.whenDown.throwIfAborted()
    const failure = errorPolicy[outcome.error.code].retry
    if (failure === 'stale-link' && !refreshed) {
      const fresh = await asker.ask(asset.id, link, signal)
      if (fresh.kind === 'deferred') return fresh
      if (fresh.kind === 'none') return { ...outcome, partial: kept, gate }
      link = fresh.link
      refreshed = true
    } else if (isTransient(outcome.error) && attempt < maxQuickTries && gate?.mayRetry !== false) {
      await clock.sleep(quickRetryDelayMs(outcome.error, attempt, clock.nowMs()), signal)
    } else {
      return { ...outcome, partial: kept, gate }
    }
  }
}

/** Reports to the gate whether the host answered; nothing for a download that was stopped, or that the disk refused. */
function recordAtGate(gate: HostGate | undefined, assetId: number, outcome: DownloadOutcome): void {
  if (outcome.kind === 'failed' && suggestsOutage(outcome.error)) gate?.failed(assetId, outcome.error)
  else if (outcome.kind !== 'failed' || isAnswer(outcome.error)) gate?.answered()
}

/** Returns whether the host answered with an error of this file. */
function isAnswer({ code, details }: AppError): boolean {
  return details?.['status'] !== undefined || code === 'file-invalid'
}

/**
 * Returns limits whose minimum rate halves with each failed try: over a line that is slow for all files, they arrive in
 * the end.
 */
function patientLimits(limits: DownloadLimits, { attempts }: ClaimedJob): DownloadLimits {
  if (attempts === 0) return limits
  return { ...limits, slowBytes: limits.slowBytes / 2 ** Math.min(attempts, 30) }
}

/** Returns the kept bytes of an earlier try if they are still on the disk: others with the archive may delete them. */
async function resumable(
  { partBytes, partEtag, partSourceHash }: ClaimedJob,
  { root, path }: ArchivePath,
): Promise<UnfinishedPart | null> {
  if (partBytes === null || partEtag === null) return null
  const found = await lstatInside(root, path).catch(() => undefined)
  if (found?.isFile() !== true || found.size < partBytes) return null
  return { bytes: partBytes, etag: partEtag, sourceHash: partSourceHash }
}

/**
 * Returns whether a quick retry makes sense. A host that was silent for a whole timeout is not tried again in this
 * pass. A web page instead of a file is: for a moment, it may come from a proxy.
 */
function isTransient(error: AppError): boolean {
  const { code } = error
  const failure = errorPolicy[code].retry
  return (failure === 'transient' && code !== 'unreachable-timeout') || failure === 'rate-limited' || isWebPage(error)
}

/** A host may lengthen the ordinary pause by its Retry-After, never shorten it. */
function quickRetryDelayMs(error: AppError, attempt: number, nowMs: number): number {
  const header = error.details?.['retryAfter']
  const asked = typeof header === 'string' ? (parseRetryAfterMs(header, nowMs) ?? 0) : 0
  const ordinary = quickDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random())
  return Math.max(ordinary, Math.min(asked, maxHostWaitMs))
}

function linkMissing(): AppError {
  return new AppError(
    'link-missing',
    'The service lists this file but sends no link to it. Solarchive asks again later.',
  )
}
