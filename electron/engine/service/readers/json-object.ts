export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Normalizes a name: `imgUrl`, `img_url`, and `IMG-URL` are equal. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Members by normalized name. Objects are searched for many names, so the view of each is cached. */
const views = new WeakMap<JsonObject, ReadonlyMap<string, readonly unknown[]>>()

function viewOf(object: JsonObject): ReadonlyMap<string, readonly unknown[]> {
  const known = views.get(object)
  if (known !== undefined) return known
  const view = new Map<string, unknown[]>()
  for (const [name, value] of Object.entries(object)) {
    const plain = plainName(name)
    const values = view.get(plain)
    if (values === undefined) view.set(plain, [value])
    else values.push(value)
  }
  views.set(object, view)
  return view
}

/** Returns the values under any of `names` (normalized), in the order of the names. */
export function valuesOf(object: JsonObject, names: readonly string[]): unknown[] {
  const view = viewOf(object)
  return names.flatMap((name) => view.get(name) ?? [])
}

export function hasAny(object: JsonObject, names: readonly string[]): boolean {
  const view = viewOf(object)
  return names.some((name) => view.has(name))
}

/** Returns the result of `read` for the first of `names` (normalized) for which it is not `null`; otherwise `null`. */
export function firstOf<T>(object: JsonObject, names: readonly string[], read: (value: unknown) => T | null): T | null {
  for (const value of valuesOf(object, names)) {
    const found = read(value)
    if (found !== null) return found
  }
  return null
}
