import { parseJson } from '../../lib/parse-json.ts'
import { firstOf, isJsonObject } from './json-object.ts'
import { readId, readText } from './read-scalars.ts'

/** Twenty thousand ids as text. */
const maxTextLength = 1_000_000

/** Nesting of lists in a list. */
const maxNesting = 8

/**
 * Reads a question's media files (`clientRefIds`; the service's specification, section 2.4, does not show its type) as
 * distinct ids: from a list of ids or of objects with one, comma-separated text, JSON text, an object by id or around a
 * list, or a single id. An entry of a list without a readable id, such as `null`, is a file all the same, so it counts,
 * under its position. Returns an empty list if the value says "none"; `null` if it is absent, null, or not countable,
 * because a file left out would be an unnoticed gap.
 */
export function readClientRefs(value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return null
  const ids = idsIn(value)
  return ids === null ? null : [...new Set(ids)]
}

function idsIn(value: unknown): readonly string[] | null {
  if (Array.isArray(value)) return idsInList(value)
  if (typeof value === 'string') return idsInText(value.trim())
  if (!isJsonObject(value)) {
    const id = readId(value)
    return id === null ? null : [id]
  }
  const single = readId(value)
  if (single !== null) return [single]
  return idsInMap(Object.entries(value))
}

function idsInList(list: readonly unknown[]): readonly string[] | null {
  const entries: readonly unknown[] = list.flat(maxNesting)
  // Nothing but empty texts, as in `''.split(',')`, or empty lists may stand for no files, or for some.
  if (entries.every(isBlank)) return list.length === 0 ? [] : null
  return entries.map((entry, index) => readRefId(entry) ?? `null ${index + 1}`)
}

function isBlank(entry: unknown): boolean {
  return entry === false || (typeof entry === 'string' && entry.trim() === '')
}

function idsInText(text: string): readonly string[] | null {
  if (text.length > maxTextLength) return null
  if (/^\[.*\]$/s.test(text)) {
    const list = parseJson(text)
    return Array.isArray(list) ? idsInList(list) : null
  }
  // Spaces do not separate: an id may be a file name.
  const parts = text.split(/[,;]/).map((part) => part.trim())
  return parts.filter((part) => part !== '')
}

/** Names of a list of references, which texts and objects may describe beside it. */
const listName = /^(?:client_?)?(?:ref_?)?(?:ids|refs|items|list|data|values|files|photos|media)$/i

/**
 * Reads an object: `{ 0: 'a', 1: 'b' }` and `{ ids: ['a', 'b'] }` are lists; otherwise the keys are the ids unless the
 * values have their own.
 */
function idsInMap(members: readonly (readonly [key: string, value: unknown])[]): readonly string[] | null {
  const values = members.map(([, value]) => value)
  if (members.every(([key], index) => key === String(index))) return idsInList(values)
  const lists = values.filter((value) => Array.isArray(value))
  // Names of lists are words; ids contain digits.
  const hasOthers = values.some((value) => isJsonObject(value) || typeof value === 'string')
  const isNamed = lists.length === 1 && members.some(([key, value]) => Array.isArray(value) && listName.test(key))
  if (lists.length > 0 && (isNamed || !hasOthers) && !members.some(([key]) => /\d/.test(key))) {
    const entries = lists.flat()
    // What stands beside an empty list may be a number of files that are not in it.
    return entries.length === 0 && members.length > lists.length ? null : idsInList(entries)
  }
  const ownIds = values.map((value) => (isJsonObject(value) ? readRefId(value) : null))
  if (ownIds.every((id) => id !== null)) return ownIds
  // In `{ a: true, b: false }`, a value of `false` means that the file is absent.
  return members.filter(([, value]) => value !== false && value !== null).flatMap(([key]) => readText(key) ?? [])
}

function readRefId(value: unknown): string | null {
  if (!isJsonObject(value)) return readId(value)
  return readId(value) ?? firstOf(value, ['clientrefid', 'clientref', 'refid', 'ref', 'mediaid'], readId)
}
