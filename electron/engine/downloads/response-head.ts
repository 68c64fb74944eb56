import type { ErrorCode } from '../../../shared/error-policy.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import { classifyConnection } from '../service/connection-errors.ts'
import { isUnknownIssuer, outboundErrorIn, unknownIssuerAdvice } from '../service/proxy-tunnel.ts'
import { maxRetryAfterLength } from '../service/retry-rules.ts'
import type { FileResponse } from './transport.ts'

/** The start of a file, kept for a later try. */
export interface KeptBytes {
  readonly bytes: number
  readonly etag: string
}

/** Facts of earlier downloads on which a request depends. */
export interface Conditions {
  /** Validators of the archived file, to ask whether it has changed; `null` asks for the file unconditionally. */
  readonly validators: { readonly etag: string | null; readonly lastModified: string | null } | null
  /** Bytes of an earlier try that are on the disk, to be continued under their strong validator. */
  readonly resume: KeptBytes | null
}

/** Returns the headers that ask for the rest of a file, or for the file if it has changed. */
export function conditions({ resume, validators }: Conditions): Record<string, string> {
  if (resume !== null) return { range: `bytes=${resume.bytes}-`, 'if-range': resume.etag }
  if (validators === null) return {}
  // A weak validator stays the same for equivalent content (RFC 9110, section 8.8.1); the archive holds bytes.
  if (validators.etag !== null && isStrong(validators.etag)) return { 'if-none-match': validators.etag }
  return validators.lastModified === null ? {} : { 'if-modified-since': validators.lastModified }
}

export interface BodyStart {
  /** Offset of the body in the file. */
  readonly offset: number
  /** Announced length of the body, or `null` if unknown. */
  readonly length: number | null
}

/** Reads status and headers of a response. Throws the error that the status means for the file. */
export function readStart(
  status: number,
  headers: FileResponse['headers'],
  request: Conditions,
): BodyStart | 'unchanged' {
  const length = headers['content-length'] === undefined ? null : Number(headers['content-length'])
  if (status === 200) return { offset: 0, length }
  if (status === 206 && request.resume !== null) {
    const { bytes, etag } = request.resume
    const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []
    const isRest = Number(from) === bytes && Number(to) === Number(total) - 1 && headers['etag'] === etag
    if (isRest) return { offset: bytes, length: Number(total) - bytes }
    // The kept bytes belong to another file: the next try starts over.
    throw downloadError('service-error', { status })
  }
  if (status === 304 && request.validators !== null) return 'unchanged'
  // Which of these answers an expired link depends on the file host.
  if (status === 400 || status === 401 || status === 403 || status === 410)
    throw downloadError('link-refused', { status })
  if (status === 404) throw downloadError('file-gone', { status })
  if (status === 429) {
    const retryAfter = headers['retry-after']?.slice(0, maxRetryAfterLength) ?? null
    throw downloadError('rate-limited', { status, retryAfter })
  }
  throw downloadError('service-error', { status })
}

/** Returns whether a validator is strong: it changes with every byte (RFC 9110, section 8.8.1). */
export const isStrong = (etag: string) => !etag.startsWith('W/')

const messages = {
  'link-refused': 'The download server refused the link.',
  'file-gone': 'The download server no longer has the file.',
  'file-invalid': 'The download server sent something other than the file.',
  'file-truncated': 'The file arrived incomplete and was not kept.',
  'file-too-large': 'The file is larger than Solarchive accepts.',
  'rate-limited': 'The download server asked to wait.',
  'service-error': 'The download server answered with an error instead of the file.',
  'unreachable-dns': 'The name of the download server could not be found. Is this computer online?',
  'unreachable-tls': 'The download server could not prove who it is (TLS), so nothing was downloaded from it.',
  'unreachable-proxy': 'The proxy could not be used. Check its address in the settings.',
  'unreachable-refused': 'The download server did not accept the connection.',
  'unreachable-timeout': 'The download server stopped answering.',
  'unreachable-reset': 'The connection to the download server broke.',
  cancelled: 'The download was stopped.',
} as const satisfies Partial<Record<ErrorCode, string>>

/** Returns an error about one file. `details` hold facts such as the HTTP status, never a link. */
export function downloadError(code: keyof typeof messages, details?: Record<string, unknown>): AppError {
  return new AppError(code, messages[code], details === undefined ? {} : { details })
}

/** Returns the error of a link or a redirect that is not a web address. */
export function linkToNoFile(): AppError {
  return new AppError('link-unsafe', 'The service sent something that is not a link. The file was not fetched.')
}

/** Returns the error of a file that arrives slower than the minimum rate. */
export function tooSlow(): AppError {
  return new AppError(
    'unreachable-timeout',
    'The file arrives so slowly that others go first. Solarchive tries again later.',
    { details: { slow: true } },
  )
}

/**
 * Returns the AppError for anything a download threw. Messages of undici and Node may contain links: they are dropped.
 */
export function toDownloadError(error: unknown, signal: AbortSignal): AppError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AppError) return cause
  }
  if (signal.aborted) return downloadError('cancelled')
  if (error instanceof TypeError) return linkToNoFile()
  const code = classifyConnection(error)
  const outbound = outboundErrorIn(error)
  if (outbound !== undefined) return new AppError(outbound.code, outbound.message)
  if (isUnknownIssuer(error)) return new AppError(code, `${messages['unreachable-tls']} ${unknownIssuerAdvice}`)
  if (code === 'internal') return toAppError(error)
  return downloadError(code === 'unreadable-answer' ? 'unreachable-reset' : code)
}
