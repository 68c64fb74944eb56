import { errorPolicy } from '../../../shared/error-policy.ts'
import { type AppError, toAppError } from '../../../shared/errors.ts'
import type { Log } from '../../engine/lib/ports.ts'

/** Logs an error unless it is only a notice. Returns it as an AppError. */
export function recordError(log: Log, thrown: unknown): AppError {
  const error = toAppError(thrown)
  if (isLogged(error)) log.error('A command ended with an error', { code: error.code, cause: error.cause })
  return error
}

/**
 * A second Solarchive must not write into the log of the one that owns the data folder. Wrong settings are found before
 * the owner is known, and are shown to the person who can fix them.
 */
function isLogged({ code }: AppError): boolean {
  return errorPolicy[code].severity !== 'notice'
}
