import { reportsError } from './error-marks.ts'
import { saysThereIsMore } from './find-total.ts'
import { hasAny, isJsonObject, valuesOf, type JsonObject } from './json-object.ts'
import { unreadableAnswer } from './unreadable-answer.ts'

/** Description of a list whose surrounding shape is unknown. */
export interface ListShape {
  /** Subject for messages, as in "the checklists of a project". */
  readonly subject: string
  /** Normalized names under which the service may put this list, or one entry of it. */
  readonly names: readonly string[]
  /** Returns whether an object could be an entry. */
  isEntry(object: JsonObject): boolean
  /** Returns whether an object is certainly an entry, so that lists inside it are its own and not the answer's. */
  isSurelyEntry(object: JsonObject): boolean
  /** Returns whether an object is no entry but what the list belongs to, whatever it looks like. */
  isOwner?(object: JsonObject): boolean
  /** Normalized names that an entry has, but nothing around a list. */
  readonly ownNames?: readonly string[]
  /** Names of the total that only such a list has; see `saysThereIsMore`. */
  readonly ownTotals?: readonly string[]
}

export interface ListEntry {
  readonly object: JsonObject
  /** The entry's key if the list came as an object of entries by id. */
  readonly key: string | null
}

/** A list in an answer. */
interface FoundList {
  readonly entries: readonly ListEntry[]
  /** An entry exists that was not sent: there is `null` in its place. */
  readonly lacksEntry: boolean
  /** It is no list but one entry instead. */
  readonly isSingle?: boolean
}

/** The records of a list. */
export interface RecordList<T> extends Pick<FoundList, 'lacksEntry'> {
  readonly list: readonly T[]
  /**
   * Number of entries for a comparison with a total. One that appears twice counts once: it may stand in the place of
   * another, such as after a change between two pages that the service joined.
   */
  readonly entryCount: number
}

/** Names of wrappers with unspecific contents. */
const wrapperNames = [
  'data',
  'items',
  'results',
  'result',
  'records',
  'docs',
  'documents',
  'rows',
  'list',
  'entries',
  'content',
  'response',
  'payload',
  'body',
  'values',
  'nodes',
  'edges',
  'embedded',
  'value',
]

/** Nesting of wrappers: an envelope, a page, the list in it, and one to spare. */
const MAX_WRAPPERS = 4

/**
 * The service has some thousand entries at most. Ten thousand take up to 70 ms to read, during which everything else
 * waits.
 */
const MAX_ENTRIES = 10_000

/**
 * Finds the requested list: a bare array, an array in wrappers, an object of entries by id, or a single entry instead
 * of an array. It is empty only if the answer has an empty array. Throws `unreadable-answer` if there is no such list,
 * especially if the answer reports an error.
 */
export function findList(answer: unknown, shape: ListShape): FoundList {
  const found = listIn(answer, shape, 0)
  if (found === null) {
    const why = isJsonObject(answer) && reportsError(answer) ? 'it reports an error' : 'it contains no such list'
    throw unreadableAnswer(shape.subject, why)
  }
  return found
}

/**
 * Returns the shape of the list of a project. An object with the project's ID and such an array is the project around
 * the list, although it may have a name and a status.
 */
export function shapeInProject(
  shape: ListShape,
  projectId: string | undefined,
  readId: (object: JsonObject) => string | null,
): ListShape {
  const isOwner = (object: JsonObject) =>
    projectId !== undefined &&
    readId(object)?.toLowerCase() === projectId.toLowerCase() &&
    valuesOf(object, shape.names).some((value) => Array.isArray(value))
  return { ...shape, isOwner }
}

function listIn(value: unknown, shape: ListShape, depth: number): FoundList | null {
  if (depth > MAX_WRAPPERS) return null
  if (Array.isArray(value)) return listInArray(value, shape, depth)
  return isJsonObject(value) ? listInObject(value, shape, depth) : null
}

function listInArray(array: readonly unknown[], shape: ListShape, depth: number): FoundList | null {
  if (array.length === 0) return { entries: [], lacksEntry: false }
  requireNotTooLong(array.length, shape)
  const items = array.filter((item) => item !== null)
  const only = items.length === 1 ? items[0] : undefined
  if (isJsonObject(only) && shape.isOwner?.(only) === true) {
    return withTotalOf(only, listInObject(only, shape, depth + 1), shape)
  }
  // One page in a list of pages: `[[...]]`, `[{ data: [...], total: 1 }]`. A record would have some text.
  const hasText = isJsonObject(only) && Object.values(only).some((value) => typeof value === 'string')
  if (Array.isArray(only) || (isJsonObject(only) && !hasText)) {
    const inside = listIn(only, shape, depth + 1)
    if (inside !== null && inside.entries.length > 0) return { ...withTotalOf(only, inside, shape), isSingle: false }
  }
  const held = isJsonObject(only) && hasText ? listInHolder(only, shape, depth) : null
  if (held !== null) return held
  if (items.length === 0 || !items.every(isJsonObject)) return null
  return {
    entries: items.map((object) => ({ object: entryIn(object, shape), key: null })),
    lacksEntry: items.length < array.length,
  }
}

/**
 * Returns the list in the only object of an array if that is no entry but has some text, as in `[{ categoryId, media:
 * [...] }]`; otherwise `null`. With an id, the object may be an entry with lists of its own, unless one has the name of
 * the requested list.
 */
function listInHolder(holder: JsonObject, shape: ListShape, depth: number): FoundList | null {
  if (shape.isEntry(entryIn(holder, shape)) || hasAny(holder, shape.ownNames ?? [])) return null
  if (hasAny(holder, ['id']) && !valuesOf(holder, shape.names).some((value) => Array.isArray(value))) return null
  const inside = listInObject(holder, shape, depth + 1)
  if (inside === null || inside.isSingle === true) return null
  if (!inside.entries.some((entry) => shape.isSurelyEntry(entry.object))) return null
  return withTotalOf(holder, inside, shape)
}

/**
 * Returns the list in the only object of an array, marked as a part if the object says so. Only where it is found is it
 * known that a total in the object is of the list: that in a single entry is of something else.
 */
function withTotalOf<T extends FoundList | null>(holder: unknown, list: T, shape: ListShape): T {
  if (list === null || list.isSingle === true || !isJsonObject(holder)) return list
  const isPart = saysThereIsMore(holder, list.entries.length, undefined, shape.ownTotals)
  return { ...list, lacksEntry: list.lacksEntry || isPart }
}

function listInObject(object: JsonObject, shape: ListShape, depth: number): FoundList | null {
  const inside = (names: readonly string[]) =>
    valuesOf(object, names)
      .map((value) => listIn(value, shape, depth + 1))
      .filter((list) => list !== null)
  const isSure = (entry: ListEntry) => shape.isSurelyEntry(entry.object)
  const isOwner = shape.isOwner?.(object) === true
  if (shape.isSurelyEntry(object) && !isOwner) {
    // It may be of another kind, such as a project with a status, and contain the requested list.
    const lists = valuesOf(object, shape.names)
      .filter((value) => Array.isArray(value))
      .map((list) => listInArray(list, shape, depth + 1))
      .filter((list) => list?.entries.some(isSure) === true)
    return lists.length > 0 ? joined(lists) : single(object)
  }
  const named = inside(shape.names)
  const wrapped = isOwner ? [] : inside(wrapperNames)
  const isEntry = (entry: ListEntry) => shape.isEntry(entry.object)
  const filled = named.find((list) => list.entries.length > 0)
  if (filled !== undefined) {
    // `{ photos, videos }` are two parts of one list. Lists under other names count only if they have certain entries.
    const others = named.filter((list) => list !== filled && list.entries.some(isEntry))
    return { ...joined([filled, ...others, ...wrapped.filter((list) => list.entries.some(isSure))]), isSingle: false }
  }
  // An empty list beside an error does not mean that there are no entries.
  const failed = reportsError(object)
  const withEntries = wrapped.filter((list) => list.entries.some(isEntry))
  if (named[0] !== undefined && !failed) {
    // The list may be beside an empty one of its kind: `{ videos: [], data: [...] }`. A single object is what both
    // belong to.
    const beside = isOwner ? [] : inside(wrapperNames.filter((name) => name !== 'documents'))
    const documents = isOwner ? [] : inside(['documents']).filter((list) => list.entries.some(isSure))
    const lists = [...beside.filter((list) => list.isSingle !== true && list.entries.some(isEntry)), ...documents]
    return lists.length > 0 ? joined(lists) : named[0]
  }
  if (withEntries.length > 0) return joined(withEntries)
  if (failed || isOwner) return null
  const entry = entryIn(object, shape)
  if (shape.isEntry(entry)) return single(entry)
  return wrapped[0] ?? listById(object, shape)
}

function single(object: JsonObject): FoundList {
  return { entries: [{ object, key: null }], lacksEntry: false, isSingle: true }
}

function requireNotTooLong(entries: number, { subject }: ListShape): void {
  if (entries > MAX_ENTRIES) throw unreadableAnswer(subject, 'it is far too long', { entries, tooLarge: true })
}

/** Joins lists. An entry that appears in two of them counts once. */
function joined(lists: readonly (FoundList | null)[]): FoundList {
  const found = lists.filter((list) => list !== null)
  if (found[0] !== undefined && found.length === 1) return found[0]
  const lacksEntry = found.some((list) => list.lacksEntry)
  const [first = [], ...others] = found.map(({ entries }) => entries)
  const known = new Set(first.map(({ object }) => JSON.stringify(object)))
  const all = [...first]
  for (const list of others) {
    const more = list.filter(({ object }) => !known.has(JSON.stringify(object)))
    for (const { object } of more) known.add(JSON.stringify(object))
    all.push(...more)
  }
  return { entries: all, lacksEntry }
}

function listById(object: JsonObject, shape: ListShape): FoundList | null {
  const entries: ListEntry[] = []
  let lacksEntry = false
  const members = Object.entries(object)
  requireNotTooLong(members.length, shape)
  for (const [key, value] of members) {
    if (typeof value !== 'object') continue
    // A word such as `message` or `project` names something else; ids contain digits.
    const isId = /\d/.test(key)
    if (value === null) {
      lacksEntry ||= isId
      continue
    }
    if (!isId || !isJsonObject(value) || !shape.isEntry({ id: key, ...value })) return null
    entries.push({ object: value, key })
  }
  return entries.length === 0 ? null : { entries, lacksEntry }
}

/** Returns the entry inside its own wrapper: `{ checklist: {...} }`, `{ node: {...} }`, `{ id, attributes: {...} }`. */
function entryIn(object: JsonObject, shape: ListShape): JsonObject {
  if (shape.isEntry(object)) return object
  for (const inner of valuesOf(object, [...shape.names, 'node', 'attributes'])) {
    if (!isJsonObject(inner)) continue
    const merged = { ...object, ...inner }
    if (shape.isEntry(merged)) return merged
  }
  return object
}
