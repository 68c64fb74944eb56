import type { AppError } from '../../../shared/errors.ts'

/** Details that are numbers or words out of a list, never a name, a path or what the service wrote. */
const loggable = [
  'status',
  'errno',
  'code',
  'phase',
  'sqlite',
  'retryAfterMs',
  'maxBytes',
  'expected',
  'looksLike',
  'contentType',
  'entries',
  'withoutId',
]

/** What of an error goes into the log: its code, and those of its details that tell nothing of customers. */
export function errorFacts({ code, details = {} }: AppError): Record<string, unknown> {
  const facts = Object.entries(details).filter(([key]) => loggable.includes(key))
  const { code: reason, ...others } = Object.fromEntries(facts)
  return { ...others, ...(reason === undefined ? {} : { reason }), code }
}
