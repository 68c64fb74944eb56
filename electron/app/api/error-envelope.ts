import type { ErrorEnvelope } from '../../../shared/envelope.ts'
import type { AppError } from '../../../shared/errors.ts'
import { createRedactor } from '../../engine/lib/redact.ts'

const redactor = createRedactor()

/**
 * Returns an error as pages receive it: redacted, and without details if it is unexpected, since they may hold
 * anything.
 */
export function toEnvelope({ code, message, details }: AppError): ErrorEnvelope {
  const envelope = { code, message: redactor.redactText(message) }
  if (code === 'internal' || details === undefined) return envelope
  // Through JSON: drops what JSON cannot hold, and fails here rather than in a transport.
  const plain = redactor.redactJson(JSON.parse(JSON.stringify(details)))
  return { ...envelope, details: plain as Record<string, unknown> }
}
