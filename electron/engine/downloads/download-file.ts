import { errorPolicy } from '../../../shared/error-policy.ts'
import type { IncomingHttpHeaders } from 'node:http'
import got, { type Response } from 'got'
import type { AssetKind } from '../../../shared/domain.ts'
import { AppError } from '../../../shared/errors.ts'
import type { RoomFor } from './disk-room.ts'
import { checkFileEnd, checkFileKind } from '../archive/file-kind.ts'
import { downloadError, toDownloadError } from './download-errors.ts'
import type { LinkPolicy } from './link-policy.ts'
import { PartFile } from './part-file.ts'

export interface DownloadRequest {
  readonly url: string
  readonly kind: AssetKind
  /** Absolute; its folder exists. Whole and on the disk when the outcome is `stored`. */
  readonly partPath: string
  /** Of the archived file, to ask whether it has changed; null asks for the file whatever it is. */
  readonly validators: { readonly etag: string | null; readonly lastModified: string | null } | null
  /** Bytes of an earlier try that are known to be on the disk, under this strong validator. */
  readonly resume: Partial | null
  /** Asked before a body of announced length is read. */
  readonly roomFor?: RoomFor | undefined
  /** Told with every piece how many bytes are there, those of an earlier try included; `total` null: nobody told. */
  readonly onBytes?: (bytes: number, total: number | null) => void
  /** Returns whether a host put a secret into a validator, which is then not kept. Default: none does. */
  readonly containsSecret?: ((text: string) => boolean) | undefined
  readonly signal: AbortSignal
}

/** The start of a file, kept for a later try. */
export interface Partial {
  readonly bytes: number
  readonly etag: string
}

export interface DownloadLimits {
  /** A file of the kind larger than this many bytes is refused. */
  readonly maxBytes: Readonly<Record<AssetKind, number>>
  readonly connectMs: number
  readonly responseMs: number
  /** Fewer than `stallBytes` in `stallMs` are a stall. */
  readonly stallMs: number
  readonly stallBytes: number
}

export const defaultDownloadLimits: DownloadLimits = {
  // Phone videos can be media too; a report of hundreds of photos stays well below.
  maxBytes: { report: 512 * 2 ** 20, photo: 512 * 2 ** 20, thumbnail: 32 * 2 ** 20 },
  connectMs: 15_000,
  responseMs: 30_000,
  // A stall is 30 s without a byte, or a trickle that would take days.
  stallMs: 30_000,
  stallBytes: 1024,
}

export type DownloadOutcome =
  | {
      readonly kind: 'stored'
      readonly sha256: string
      readonly sizeBytes: number
      readonly etag: string | null
      readonly lastModified: string | null
    }
  /** The archived file is still what the service has. */
  | { readonly kind: 'unchanged' }
  /** `partial` is what a later try can continue; null: nothing is left on the disk. */
  | { readonly kind: 'failed'; readonly error: AppError; readonly partial: Partial | null }

/** Below this, starting over is cheaper than keeping and checking a part. */
const worthKeepingBytes = 1024 * 1024

/** Downloads one file into its `.part`. Never rejects: every way it can end is an outcome. */
export async function downloadFile(
  request: DownloadRequest,
  policy: LinkPolicy,
  limits: DownloadLimits,
): Promise<DownloadOutcome> {
  if (request.signal.aborted) return { kind: 'failed', error: downloadError('cancelled'), partial: null }
  const part = new PartFile(request.partPath)
  const stop = new AbortController()
  // Not AbortSignal.any: a signal that lives as long as a pass would gather a dependent signal a file.
  const giveUp = () => stop.abort()
  request.signal.addEventListener('abort', giveUp, { once: true })
  let etag: string | null = null
  let watch: NodeJS.Timeout | undefined
  let giveRoomBack: (() => void) | undefined
  try {
    const stream = openStream(request, policy, limits, stop.signal)
    try {
      const response = await new Promise<Response>((resolve, reject) => {
        stream.once('response', resolve)
        stream.once('error', reject)
      })
      const start = readStart(response.statusCode, response.headers, request)
      if (start === 'unchanged') return { kind: 'unchanged' }
      etag = safeValidator(response.headers.etag, request)
      requireAccepted(start.offset + (start.length ?? 0), request.kind, limits)
      giveRoomBack = await request.roomFor?.(start.length ?? 0, stop.signal)
      await (start.offset > 0 ? part.resume(start.offset) : part.begin())
      // Not before: it may have waited for its room.
      watch = watchForStall(part, limits, stop)
      await readBody(stream, part, request, start, limits)
      const lastModified = safeValidator(response.headers['last-modified'], request)
      return { kind: 'stored', sha256: await part.finish(), sizeBytes: part.sizeBytes, etag, lastModified }
    } finally {
      stream.destroy()
    }
  } catch (error) {
    const stalled = stop.signal.aborted && !request.signal.aborted
    const failure = stalled ? downloadError('unreachable-timeout') : toDownloadError(error, request.signal)
    const partial = await keepIfWorth(part, etag, failure)
    giveRoomBack?.()
    giveRoomBack = undefined
    return { kind: 'failed', error: await withFullDiskExplained(failure, part.sizeBytes, request), partial }
  } finally {
    clearInterval(watch)
    giveRoomBack?.()
    request.signal.removeEventListener('abort', giveUp)
  }
}

/** No API token, no cookie, no Accept-Encoding; redirects are judged like links. */
function openStream(request: DownloadRequest, policy: LinkPolicy, limits: DownloadLimits, signal: AbortSignal) {
  const url = new URL(request.url)
  policy.check(url)
  const { connectMs, responseMs } = limits
  return got.stream(url, {
    headers: { 'user-agent': 'Solarchive', ...conditions(request) },
    decompress: false,
    retry: { limit: 0 },
    throwHttpErrors: false,
    maxRedirects: 5,
    dnsLookup: policy.lookup,
    timeout: { lookup: connectMs, connect: connectMs, secureConnect: connectMs, response: responseMs },
    signal,
    hooks: {
      beforeRedirect: [
        (options) => {
          if (options.url !== undefined) policy.check(new URL(options.url))
        },
      ],
    },
  })
}

function conditions({ resume, validators }: DownloadRequest): Record<string, string> {
  if (resume !== null) return { range: `bytes=${resume.bytes}-`, 'if-range': resume.etag }
  if (validators === null) return {}
  // A weak validator speaks of files that mean the same; the archive holds bytes.
  if (validators.etag !== null && isStrong(validators.etag)) return { 'if-none-match': validators.etag }
  return validators.lastModified === null ? {} : { 'if-modified-since': validators.lastModified }
}

interface BodyStart {
  /** Where in the file the body begins. */
  readonly offset: number
  /** Bytes announced; null when the answer does not tell. */
  readonly length: number | null
}

/** Judges an answer by its head. Throws what the status means for the file. */
function readStart(status: number, headers: IncomingHttpHeaders, request: DownloadRequest): BodyStart | 'unchanged' {
  const length = headers['content-length'] === undefined ? null : Number(headers['content-length'])
  if (status === 200) return { offset: 0, length }
  if (status === 206 && request.resume !== null) {
    const { bytes, etag } = request.resume
    const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []
    const isRest = Number(from) === bytes && Number(to) === Number(total) - 1 && headers.etag === etag
    if (isRest) return { offset: bytes, length: Number(total) - bytes }
    // The part belongs to something else: the next try starts over.
    throw downloadError('service-error', { status })
  }
  if (status === 304 && request.validators !== null) return 'unchanged'
  // File hosts answer a dead link with any of these; which one is a matter of their brand.
  if (status === 400 || status === 401 || status === 403 || status === 410)
    throw downloadError('link-refused', { status })
  if (status === 404) throw downloadError('file-gone', { status })
  if (status === 429) throw downloadError('rate-limited', { status, retryAfter: headers['retry-after'] ?? null })
  throw downloadError('service-error', { status })
}

async function readBody(
  stream: AsyncIterable<Buffer>,
  part: PartFile,
  { kind, onBytes }: DownloadRequest,
  start: BodyStart,
  limits: DownloadLimits,
): Promise<void> {
  const total = start.length === null ? null : start.offset + start.length
  onBytes?.(part.sizeBytes, total)
  let kindChecked = false
  for await (const chunk of stream) {
    await part.write(chunk)
    onBytes?.(part.sizeBytes, total)
    requireAccepted(part.sizeBytes, kind, limits)
    if (!kindChecked && part.headIsFull) {
      requireKind(kind, part)
      kindChecked = true
    }
  }
  if (start.length !== null && part.sizeBytes - start.offset !== start.length) throw downloadError('file-truncated')
  if (!kindChecked) requireKind(kind, part)
  // Without an announced length a connection that ends early looks like the end of the file.
  if (start.length === null && checkFileEnd(part.head, part.tail, part.sizeBytes) === 'cut')
    throw downloadError('file-truncated')
}

function requireAccepted(bytes: number, kind: AssetKind, limits: DownloadLimits): void {
  const maxBytes = limits.maxBytes[kind]
  if (bytes > maxBytes) throw downloadError('file-too-large', { maxBytes })
}

/**
 * A disk that became full and has room again now that this file's part is gone was filled by this file, whose length
 * nobody had announced: it fails alone, and is not tried for ever while all others wait.
 */
async function withFullDiskExplained(
  failure: AppError,
  tookBytes: number,
  request: DownloadRequest,
): Promise<AppError> {
  if (failure.code !== 'disk-full' || request.roomFor === undefined) return failure
  try {
    const giveBack = await request.roomFor(tookBytes, request.signal)
    giveBack()
    return failure
  } catch (error) {
    return error instanceof AppError && error.code === 'file-too-large' ? error : failure
  }
}

function requireKind(kind: AssetKind, part: PartFile): void {
  const found = checkFileKind(kind, part.head)
  if (!found.ok) throw downloadError('file-invalid', { expected: kind, looksLike: found.looksLike })
}

function watchForStall(part: PartFile, limits: DownloadLimits, stall: AbortController): NodeJS.Timeout {
  let before = 0
  const watch = setInterval(() => {
    if (part.sizeBytes - before < limits.stallBytes) stall.abort()
    before = part.sizeBytes
  }, limits.stallMs)
  return watch.unref()
}

/** Returns a validator that may be stored, or null if there is none. */
function safeValidator(validator: string | undefined, { containsSecret }: DownloadRequest): string | null {
  return validator === undefined || containsSecret?.(validator) === true ? null : validator
}

const isStrong = (etag: string) => !etag.startsWith('W/')

/** A large start under a strong validator can be continued; anything else is deleted. */
async function keepIfWorth(part: PartFile, etag: string | null, failure: AppError): Promise<Partial | null> {
  const cutOff = errorPolicy[failure.code].keepsPart === true
  const strong = etag !== null && isStrong(etag)
  try {
    if (cutOff && strong && part.sizeBytes >= worthKeepingBytes) {
      await part.keep()
      return { bytes: part.sizeBytes, etag }
    }
  } catch {
    // What cannot be kept is fetched again from its start.
  }
  await part.drop().catch(() => undefined)
  return null
}
