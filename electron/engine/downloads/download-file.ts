import { errorPolicy } from '../../../shared/error-policy.ts'
import type { AssetKind } from '../../../shared/domain.ts'
import { AppError } from '../../../shared/errors.ts'
import type { DiskRoom } from './disk-room.ts'
import { checkFileEnd, checkFileKind } from '../archive/file-kind.ts'
import type { ArchivePath } from '../archive/inside-archive.ts'
import type { AddressPolicy } from '../service/address-policy.ts'
import { PartFile, type ReceivedFile } from './part-file.ts'
import { isRedirect, redirectTarget } from '../service/redirects.ts'
import {
  conditions,
  downloadError,
  isStrong,
  linkToNoFile,
  readStart,
  tooSlow,
  toDownloadError,
  type BodyStart,
  type Conditions,
  type KeptBytes,
} from './response-head.ts'
import type { FileBody, FileResponse, FileTransport } from './transport.ts'

export interface DownloadRequest extends Conditions {
  readonly url: string
  readonly kind: AssetKind
  /** Path of the unfinished file; its folder exists. A small file is not written here; see `FileContent`. */
  readonly partPath: ArchivePath
  /** The whole file has its room there before its body is read. */
  readonly room: DiskRoom
  /** Called after each chunk with the bytes on disk (resumed bytes included) and the total, or null if unknown. */
  readonly onBytes?: (bytes: number, total: number | null) => void
  /** Called with each chunk once the body has shown that it is a file of the expected kind. */
  readonly onProven?: (() => void) | undefined
  /** Called once the whole body was received; what follows is for the disk alone. */
  readonly onReceived?: (() => void) | undefined
  /** Returns whether a host put a secret into a validator, which is then not kept. Default: none does. */
  readonly containsSecret?: ((text: string) => boolean) | undefined
  readonly signal: AbortSignal
}

export interface DownloadLimits {
  /** Maximum size of a file of each kind, in bytes. */
  readonly maxBytes: Readonly<Record<AssetKind, number>>
  readonly connectMs: number
  readonly responseMs: number
  /** A download is stalled if fewer than `stallBytes` arrive in `stallMs`. */
  readonly stallMs: number
  readonly stallBytes: number
  /** A download is too slow if fewer than `slowBytes` arrived in the last `slowMs`: others need its slot. */
  readonly slowMs: number
  readonly slowBytes: number
}

export const defaultDownloadLimits: DownloadLimits = {
  // Phone videos can be media too; a report with hundreds of photos stays well below.
  maxBytes: { report: 512 * 2 ** 20, photo: 512 * 2 ** 20, thumbnail: 32 * 2 ** 20 },
  connectMs: 15_000,
  responseMs: 30_000,
  // A stall is 30 s without a byte, or a trickle that would take days.
  stallMs: 30_000,
  stallBytes: 1024,
  // 8 KiB/s, at which a photo of 5 MB takes ten minutes.
  slowMs: 60_000,
  slowBytes: 60 * 8 * 1024,
}

export type DownloadOutcome =
  | ({ readonly kind: 'received' } & Pick<
      ReceivedFile,
      'content' | 'extension' | 'sizeBytes' | 'etag' | 'lastModified'
    >)
  /** The archived file is what the service has. */
  | { readonly kind: 'unchanged' }
  /** `partial` can be continued by a later try; `null` if nothing is left on the disk. */
  | { readonly kind: 'failed'; readonly error: AppError; readonly partial: KeptBytes | null }

/** Minimum size of a part that is kept: below it, starting over is cheaper than checking the part. */
const minKeptBytes = 1024 * 1024

/** Statuses by which a host says that it cannot answer now, which says nothing about the bytes of an earlier try. */
const busyStatuses = [429, 502, 503, 504]

const maxRedirects = 5

export interface DownloadDeps {
  readonly transport: FileTransport
  readonly policy: AddressPolicy
  readonly limits: DownloadLimits
}

/** Downloads one file into its `.part`. Never rejects: failures are outcomes too. */
export async function downloadFile(
  request: DownloadRequest,
  { transport, policy, limits }: DownloadDeps,
): Promise<DownloadOutcome> {
  if (request.signal.aborted) return { kind: 'failed', error: downloadError('cancelled'), partial: request.resume }
  const part = new PartFile(request.partPath)
  let etag: string | null = null
  let watches: readonly NodeJS.Timeout[] = []
  let cut: 'stalled' | 'slow' | undefined
  let releaseRoom: (() => void) | undefined
  let isAnswered = false
  try {
    const response = await openResponse(request, transport, policy)
    isAnswered = !busyStatuses.includes(response.status)
    try {
      const start = readStart(response.status, response.headers, request)
      if (start === 'unchanged') return { kind: 'unchanged' }
      etag = safeValidator(response.headers['etag'], request)
      requireSize(start.offset + (start.length ?? 0), request.kind, limits)
      releaseRoom = await request.room.reserve(start.length ?? 0, request.signal)
      if (start.offset > 0) await part.resume(start.offset)
      // Not earlier: waiting for room is not a stall.
      if (!response.body.hasArrived) {
        watches = [
          watchRate(part, { windowMs: limits.stallMs, minBytes: limits.stallBytes, steps: 1 }, () => {
            cut ??= 'stalled'
            response.destroy()
          }),
          watchRate(part, { windowMs: limits.slowMs, minBytes: limits.slowBytes, steps: 6 }, () => {
            cut = 'slow'
            response.destroy()
          }),
        ]
      }
      const extension = await readBody(response.body, part, request, start, limits)
      request.onReceived?.()
      const lastModified = safeValidator(response.headers['last-modified'], request)
      const content = await part.finish()
      return { kind: 'received', content, extension, sizeBytes: part.sizeBytes, etag, lastModified }
    } finally {
      response.destroy()
    }
  } catch (error) {
    const thrown = toDownloadError(error, request.signal)
    // While the disk works on a write, nothing more arrives: its error says why.
    const isOfDisk = errorPolicy[thrown.code].gap === 'disk'
    const isCut = cut !== undefined && !request.signal.aborted && !isOfDisk
    const timeout = cut === 'slow' ? tooSlow() : downloadError('unreachable-timeout')
    const failure = isCut ? timeout : thrown
    // Keep even a single byte of a slow file: receiving it again would take just as long.
    const minBytes = cut === 'slow' ? 1 : minKeptBytes
    // Without an answer, the bytes of an earlier try are still on the disk. After any other failure before the body,
    // the next try starts over: a host may refuse ranges.
    const partial = isAnswered ? await keepOrDrop(part, etag, failure, minBytes) : request.resume
    releaseRoom?.()
    releaseRoom = undefined
    return { kind: 'failed', error: await withFullDiskExplained(failure, part.sizeBytes, request), partial }
  } finally {
    for (const watch of watches) clearInterval(watch)
    releaseRoom?.()
  }
}

/** Requests a file and follows redirects. Each address is checked like a link; the body of a redirect is not read. */
async function openResponse(
  request: DownloadRequest,
  transport: FileTransport,
  policy: AddressPolicy,
): Promise<FileResponse> {
  const headers = { 'user-agent': 'Solarchive', ...conditions(request) }
  let url = new URL(request.url)
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    policy.check(url)
    const response = await transport.request(url, headers, request.signal)
    const location = response.headers['location']
    if (!isRedirect(response.status, location)) return response
    response.destroy()
    const target = redirectTarget(url, location)
    if (target === null) throw linkToNoFile()
    url = target
  }
  throw downloadError('service-error')
}

/** Returns the extension of the file's format. */
async function readBody(
  body: FileBody,
  part: PartFile,
  { kind, onBytes, onProven }: DownloadRequest,
  start: BodyStart,
  limits: DownloadLimits,
): Promise<string> {
  const total = start.length === null ? null : start.offset + start.length
  onBytes?.(part.sizeBytes, total)
  let extension: string | undefined
  while (!body.isComplete) {
    for (const chunk of body.take()) {
      const writing = part.write(chunk)
      if (writing !== undefined) await writing
      onBytes?.(part.sizeBytes, total)
      requireSize(part.sizeBytes, kind, limits)
      if (part.headIsFull) extension ??= requireKind(kind, part)
      if (extension !== undefined) onProven?.()
    }
    if (!body.isComplete) await body.more()
  }
  if (start.length !== null && part.sizeBytes - start.offset !== start.length) throw downloadError('file-truncated')
  extension ??= requireKind(kind, part)
  // Without an announced length a connection that ends early looks like the end of the file.
  if (start.length === null && checkFileEnd(part.head, part.tail, part.sizeBytes) === 'cut')
    throw downloadError('file-truncated')
  return extension
}

function requireSize(bytes: number, kind: AssetKind, limits: DownloadLimits): void {
  const maxBytes = limits.maxBytes[kind]
  if (bytes > maxBytes) throw downloadError('file-too-large', { maxBytes })
}

/**
 * Returns `file-too-large` instead of `disk-full` if the file does not fit now that its part is gone: this file filled
 * the disk because its length was not announced. It fails alone, instead of being tried forever while all others wait.
 */
async function withFullDiskExplained(
  failure: AppError,
  tookBytes: number,
  request: DownloadRequest,
): Promise<AppError> {
  if (failure.code !== 'disk-full') return failure
  try {
    const release = await request.room.reserve(tookBytes, request.signal)
    release()
    return failure
  } catch (error) {
    return error instanceof AppError && error.code === 'file-too-large' ? error : failure
  }
}

/** Returns the extension of the file's format. Throws `file-invalid` if it cannot be of the kind. */
function requireKind(kind: AssetKind, part: PartFile): string {
  const found = checkFileKind(kind, part.head)
  if (!found.ok) throw downloadError('file-invalid', { expected: kind, looksLike: found.looksLike })
  return found.extension
}

interface MinRate {
  /** Length of the window in which `minBytes` must arrive, checked `steps` times in each window. */
  readonly windowMs: number
  readonly minBytes: number
  readonly steps: number
}

function watchRate(part: PartFile, { windowMs, minBytes, steps }: MinRate, onTooSlow: () => void): NodeJS.Timeout {
  /** Sizes at the last checks, oldest first. */
  const sizes = [part.sizeBytes]
  const watch = setInterval(() => {
    sizes.push(part.sizeBytes)
    if (sizes.length > steps && part.sizeBytes - (sizes.shift() ?? 0) < minBytes) onTooSlow()
  }, windowMs / steps)
  return watch.unref()
}

/** Returns a validator that may be stored, or null if there is none. */
function safeValidator(validator: string | undefined, { containsSecret }: DownloadRequest): string | null {
  if (validator === undefined) return null
  // Quotation marks alone make a text worth searching.
  return containsSecret?.(validator.replaceAll('"', '')) === true ? null : validator
}

/** Keeps a part of `minBytes` that has a strong validator for a later try; deletes any other. */
async function keepOrDrop(
  part: PartFile,
  etag: string | null,
  failure: AppError,
  minBytes: number,
): Promise<KeptBytes | null> {
  const isInterrupted = errorPolicy[failure.code].keepsPart === true
  const strong = etag !== null && isStrong(etag)
  try {
    if (isInterrupted && strong && part.sizeBytes >= minBytes) {
      await part.keep()
      return { bytes: part.sizeBytes, etag }
    }
  } catch {
    // A part that cannot be kept is fetched again from its start.
  }
  await part.drop().catch(() => undefined)
  return null
}
