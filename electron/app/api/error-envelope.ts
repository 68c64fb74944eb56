import type { ErrorEnvelope } from '../../../shared/envelope.ts'
import type { AppError } from '../../../shared/errors.ts'
import { createRedactor } from '../../engine/lib/redact.ts'

const redactor = createRedactor()

/** What of an error crosses the bridge. Of an unforeseen one nothing but that it happened: its details may hold anything. */
export function toEnvelope({ code, message, details }: AppError): ErrorEnvelope {
  const told = { code, message: redactor.redactText(message) }
  if (code === 'internal' || details === undefined) return told
  // Once through JSON: what it cannot say is left out, and what it would trip over is found here.
  const plain = redactor.redactJson(JSON.parse(JSON.stringify(details)))
  return { ...told, details: plain as Record<string, unknown> }
}
