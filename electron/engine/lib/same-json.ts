/**
 * Whether two JSON texts tell the same, whatever the order of their keys: the service may change it, and the archive's
 * documents sort it. Text that is no JSON is only like itself.
 */
export function isSameJson(one: string | null, other: string | null): boolean {
  if (one === other) return true
  if (one === null || other === null) return false
  try {
    return JSON.stringify(sorted(JSON.parse(one))) === JSON.stringify(sorted(JSON.parse(other)))
  } catch {
    return false
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1))
  return entries.map(([key, member]) => [key, sorted(member)])
}
