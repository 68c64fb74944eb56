import { parseJson } from '../../engine/lib/parse-json.ts'
import type { Redactor } from '../../engine/lib/redact.ts'
import { plainText } from './plain-text.ts'

/** Enough for a stack with its causes; longer text is data that does not belong in a log. */
const maxTextLength = 8_192

/**
 * Returns a line of the log, which is one JSON object, without secrets and terminal control characters. Each key and
 * value is redacted before it is escaped, and then the line as a whole, so that a secret is found escaped or not. A
 * line that would no longer be JSON is replaced by a notice.
 */
export function redactLine(line: string, redactor: Redactor): string {
  const cut = (_key: string, value: unknown) =>
    typeof value === 'string' && value.length > maxTextLength ? `${value.slice(0, maxTextLength)}…` : value
  const clean = JSON.stringify(redactor.redactJson(JSON.parse(line)), cut)
  const text = plainText(redactor.redactText(clean))
  const omitted = { level: 'warn', msg: 'A line that could not be redacted was left out' }
  return `${parseJson(text) !== undefined ? text : JSON.stringify(omitted)}\n`
}

/** Limits beyond anything that is logged on purpose. */
const maxDepth = 6
const maxItems = 100

/**
 * Returns a copy of a line's fields that JSON can express: errors with name, code, message, stack, and causes (JSON
 * would write `{}`), and everything else limited in depth and size.
 */
export function plainFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return plainMembers(fields, 0)
}

function plainMembers(object: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(object).slice(0, maxItems)
  return Object.fromEntries(entries.map(([key, value]) => [key, plain(value, depth + 1)]))
}

function plain(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) return '[too deep]'
  if (value instanceof Error) return plainError(value, depth)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (value instanceof URL) return value.href
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => plain(item, depth + 1))
  return plainMembers(value, depth)
}

/** JSON omits the properties that are undefined. */
function plainError(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error
  const facts = (key: string): unknown => plain(Reflect.get(error, key), depth + 1)
  return { name, code: facts('code'), message, details: facts('details'), stack, cause: plain(cause, depth + 1) }
}
