/** Deeper and wider than anything that is logged on purpose. */
const maxDepth = 6
const maxItems = 100

/**
 * A copy of a line's fields that JSON can hold: errors with name, code, message, stack and causes (JSON would make `{}`
 * of them), and bounds on what came in by mistake.
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

/** What is undefined is left out by JSON. */
function plainError(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error
  const facts = (key: string): unknown => plain(Reflect.get(error, key), depth + 1)
  return { name, code: facts('code'), message, details: facts('details'), stack, cause: plain(cause, depth + 1) }
}
