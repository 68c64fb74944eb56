export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `imgUrl`, `img_url`, `IMG-URL`: one name. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Each object is asked for many names; its own are made plain once. */
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

/** The values under any of `names` (plain names), in the order of the names. */
export function valuesOf(object: JsonObject, names: readonly string[]): unknown[] {
  const view = viewOf(object)
  return names.flatMap((name) => view.get(name) ?? [])
}

export function hasAny(object: JsonObject, names: readonly string[]): boolean {
  const view = viewOf(object)
  return names.some((name) => view.has(name))
}

/** What `read` makes of the first of `names` (plain names) under which it finds something; null when of none. */
export function firstOf<T>(object: JsonObject, names: readonly string[], read: (value: unknown) => T | null): T | null {
  for (const value of valuesOf(object, names)) {
    const found = read(value)
    if (found !== null) return found
  }
  return null
}
