/**
 * Every way in which something can go wrong that a person can be told about. The code is a public interface (it stands
 * in `failures[].code` of the command line's JSON); add to it, never rename.
 */
export const errorCodes = [
  // The service's answer to an API call.
  'token-refused', // 401: missing, invalid or expired token
  'token-missing', // there is none, or none that can be used: the service was not asked
  'no-permission', // 403: valid token that may not do this
  'not-found', // 404
  'rejected', // 400: details tell which field and why
  'rate-limited', // 429, after waiting as asked
  'service-error', // 5xx and any other unexpected status
  'unreadable-answer', // an answer that carries nothing of what was asked for
  // The way to the service or to a file host.
  'unreachable-dns',
  'unreachable-tls',
  'unreachable-refused',
  'unreachable-timeout',
  'unreachable-reset',
  // A file behind a link.
  'link-refused', // 401, 403 or 410, also after asking for a fresh link
  'link-missing', // the service lists the file but gives no link for it
  'link-unsafe', // a link that leads where no file may be fetched from
  'file-gone', // 404
  'file-invalid', // not the kind of file that it should be
  'file-truncated', // fewer bytes than announced
  'file-too-large',
  // The disk and the data folder.
  'disk-full',
  'disk-error',
  'archive-read-only',
  'archive-unavailable',
  'data-folder-locked',
  'database-damaged',
  'database-newer',
  // The person's side.
  'setup-needed', // nothing is set up yet: which service, which token, which folder
  'wrong-usage',
  'draft-changed', // an order's draft is not what it was when somebody looked at it
  'wrong-settings',
  'cancelled',
  'internal',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** After these a pass has nothing more to try: the token, the network, the database or the disk has to be mended first. */
export const passEndingCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'token-refused',
  'token-missing',
  'rate-limited',
  'unreachable-dns',
  'unreachable-refused',
  'unreachable-tls',
  'disk-full',
  'database-damaged',
  'archive-read-only',
  'archive-unavailable',
])

/** The way to the service, or the service itself, is broken: that says nothing of the project, checklist or file that met it. */
export function isOutage(code: ErrorCode): boolean {
  return code === 'service-error' || code.startsWith('unreachable-')
}

/** The service cannot be asked until another token is there. */
export const tokenCodes: ReadonlySet<string> = new Set<ErrorCode>(['token-refused', 'token-missing'])

/** Facts for programs and for the details view: small, JSON-safe, and free of tokens and links. */
export type ErrorDetails = Readonly<Record<string, unknown>>

/**
 * The one error that crosses layers. The message is a sentence a contractor understands: what happened, what it means
 * for the archive, what to do. It holds no token, no signed link and no stack.
 */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly details: ErrorDetails | undefined

  constructor(code: ErrorCode, message: string, options: { details?: ErrorDetails; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details
  }
}

/** Turns whatever was thrown into an AppError; an unforeseen error becomes `internal` with its message kept as cause. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  return new AppError('internal', 'Something unexpected went wrong inside Solarchive. The log tells more.', {
    cause: error,
  })
}
