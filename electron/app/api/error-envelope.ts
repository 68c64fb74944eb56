import type { ErrorEnvelope } from '../../../shared/envelope.ts'
import type { AppError } from '../../../shared/errors.ts'
import type { Log } from '../../engine/lib/ports.ts'
import { createRedactor } from '../../engine/lib/redact.ts'

const redactor = createRedactor()

/**
 * Returns an error as pages receive it: redacted, and without details if it is unexpected, because they may contain
 * anything.
 */
export function toEnvelope({ code, message, details }: AppError): ErrorEnvelope {
  const envelope = { code, message: redactor.redactText(message) }
  if (code === 'internal' || details === undefined) return envelope
  // Converting to JSON and back drops what JSON cannot express, and fails here rather than in a transport.
  const plain = redactor.redactJson(JSON.parse(JSON.stringify(details)))
  return { ...envelope, details: plain as Record<string, unknown> }
}

/** Logs an unexpected error, which a page receives as `internal`. */
export function logUnexpected(log: Log, error: AppError): void {
  log.error('A call of the app failed unexpectedly', { code: error.code, cause: error.cause })
}
