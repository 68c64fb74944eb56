import type { ErrorCode } from './error-policy.ts'

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

/** Returns whether an error is of the data folder as a whole: nothing that a command does can be recorded there. */
export function concernsDataFolder({ details }: AppError): boolean {
  return details?.['dataFolder'] !== undefined
}

/** Returns a thrown value as an AppError; an unexpected error becomes the cause of an `internal` error. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  return new AppError('internal', 'Something unexpected went wrong inside Solarchive. See the log for details.', {
    cause: error,
  })
}
