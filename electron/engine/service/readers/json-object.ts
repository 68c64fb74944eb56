export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Longer than any name that has a meaning. */
const maxNameLength = 64

/** Normalized names, which repeat with every record. Cleared when full. */
const plainNames = new Map<string, string>()
const maxPlainNames = 10_000

/** Normalizes a name: `imgUrl`, `img_url`, and `IMG-URL` are equal. A name without a meaning becomes empty. */
export function plainName(name: string): string {
  if (name.length > maxNameLength) return ''
  const known = plainNames.get(name)
  if (known !== undefined) return known
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '')
  if (plainNames.size >= maxPlainNames) plainNames.clear()
  plainNames.set(name, plain)
  return plain
}

/** The keys of an object, and those with each normalized name. Records of a list have the same keys and share one. */
interface Shape {
  readonly keys: readonly string[]
  readonly byName: ReadonlyMap<string, readonly string[]>
}

/** Shapes by their joined keys. Cleared when full. */
const shapes = new Map<string, Shape>()
const maxShapes = 300
/** Objects with more keys than this are not records. */
const maxSharedKeys = 250

/** Objects are searched for many names, so the shape of each is cached. */
const shapeOfObject = new WeakMap<JsonObject, Shape>()

function keysByName(object: JsonObject): ReadonlyMap<string, readonly string[]> {
  const known = shapeOfObject.get(object)
  if (known !== undefined) return known.byName
  const shape = shapeOf(Object.keys(object))
  shapeOfObject.set(object, shape)
  return shape.byName
}

function shapeOf(keys: readonly string[]): Shape {
  if (keys.length > maxSharedKeys) return newShape(keys)
  const joined = keys.join()
  const known = shapes.get(joined)
  // A key may contain the comma.
  if (known?.keys.length === keys.length && known.keys.every((key, index) => key === keys[index])) return known
  const shape = newShape(keys)
  if (shapes.size >= maxShapes) shapes.clear()
  if (joined.length <= maxSharedKeys * maxNameLength) shapes.set(joined, shape)
  return shape
}

function newShape(keys: readonly string[]): Shape {
  const byName = new Map<string, string[]>()
  for (const key of keys) {
    const name = plainName(key)
    const others = byName.get(name)
    if (others === undefined) byName.set(name, [key])
    else others.push(key)
  }
  return { keys, byName }
}

const none: readonly string[] = []

/** Returns the values under any of `names` (normalized), in the order of the names. */
export function valuesOf(object: JsonObject, names: readonly string[]): unknown[] {
  const keys = keysByName(object)
  const values: unknown[] = []
  for (const name of names) {
    for (const key of keys.get(name) ?? none) values.push(object[key])
  }
  return values
}

export function hasAny(object: JsonObject, names: readonly string[]): boolean {
  const keys = keysByName(object)
  return names.some((name) => keys.has(name))
}

/** Returns the result of `read` for the first of `names` (normalized) for which it is not `null`; otherwise `null`. */
export function firstOf<T>(object: JsonObject, names: readonly string[], read: (value: unknown) => T | null): T | null {
  const keys = keysByName(object)
  for (const name of names) {
    for (const key of keys.get(name) ?? none) {
      const found = read(object[key])
      if (found !== null) return found
    }
  }
  return null
}
