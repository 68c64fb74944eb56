import type { ErrorCode } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import { toDiskError } from '../lib/fs/disk-error.ts'
import { classifyConnection } from '../service/connection-errors.ts'

const messages = {
  'link-refused': 'The file server refused the link.',
  'file-gone': 'The file is not on the file server any more.',
  'file-invalid': 'What came is not the file that was asked for.',
  'file-truncated': 'The file came cut off and was not kept.',
  'file-too-large': 'The file is larger than Solarchive accepts.',
  'rate-limited': 'The file server asked to wait.',
  'service-error': 'The file server answered with an error instead of the file.',
  'unreachable-dns': 'The name of the file server could not be found. Is this machine online?',
  'unreachable-tls': 'The file server could not prove who it is (TLS), so nothing was fetched from it.',
  'unreachable-refused': 'The file server did not accept the connection.',
  'unreachable-timeout': 'The file server stopped answering.',
  'unreachable-reset': 'The connection to the file server broke.',
  cancelled: 'The download was stopped.',
} as const satisfies Partial<Record<ErrorCode, string>>

/** An error about one file. `details` hold the HTTP status and such, never a link. */
export function downloadError(code: keyof typeof messages, details?: Record<string, unknown>): AppError {
  return new AppError(code, messages[code], details === undefined ? {} : { details })
}

/**
 * Makes an AppError of whatever a download threw. Messages of got and Node carry whole links: none is passed on.
 */
export function toDownloadError(error: unknown, signal: AbortSignal): AppError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AppError) return cause
  }
  if (signal.aborted) return downloadError('cancelled')
  if (error instanceof TypeError || (error instanceof Error && error.name === 'UnsupportedProtocolError')) {
    return new AppError('link-unsafe', 'The service gave something that is not a link. The file was not fetched.')
  }
  if (error instanceof Error && error.name === 'MaxRedirectsError') return downloadError('service-error')
  const code = classifyConnection(error)
  if (code === 'internal') return toDiskError(error, 'write a file into the archive')
  return downloadError(code === 'unreadable-answer' ? 'unreachable-reset' : code)
}
