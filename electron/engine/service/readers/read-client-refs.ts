import { isJsonObject } from './json-object.ts'
import { readId, readText } from './read-scalars.ts'

/**
 * The media files of a question (`clientRefIds`, specification 2.4; its type is not shown) as distinct ids: from a list
 * of ids or of objects with one, text with commas, JSON text, an object by id, or a single id. Empty when the value says
 * "none"; null when it is absent, null or cannot be read whole, because a file left out would be a gap that nobody sees.
 */
export function readClientRefs(value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return null
  const ids = idsIn(value)
  return ids === null ? null : [...new Set(ids)]
}

function idsIn(value: unknown): readonly string[] | null {
  if (Array.isArray(value)) return idsInList(value.filter((item) => item !== null))
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
  const ids = list.map(readRefId).filter((id) => id !== null)
  return ids.length === list.length ? ids : null
}

function idsInText(text: string): readonly string[] | null {
  if (/^\[.*\]$/s.test(text)) {
    try {
      const list: unknown = JSON.parse(text)
      return Array.isArray(list) ? idsInList(list) : null
    } catch {
      return null
    }
  }
  // Not at spaces: an id may be a file's name.
  const parts = text.split(/[,;]/).map((part) => part.trim())
  return parts.filter((part) => part !== '')
}

/** `{ 0: 'a', 1: 'b' }` is a list in disguise; elsewhere the keys are the ids unless the values bring their own. */
function idsInMap(members: readonly (readonly [key: string, value: unknown])[]): readonly string[] | null {
  const values = members.map(([, value]) => value)
  if (members.every(([key], index) => key === String(index))) return idsInList(values)
  const ownIds = values.map((value) => (isJsonObject(value) ? readRefId(value) : null))
  if (ownIds.every((id) => id !== null)) return ownIds
  // `{ a: true, b: false }`: what is switched off is not there.
  return members.filter(([, value]) => value !== false && value !== null).flatMap(([key]) => readText(key) ?? [])
}

function readRefId(value: unknown): string | null {
  if (!isJsonObject(value)) return readId(value)
  const refNames = ['clientRefId', 'clientRef', 'refId', 'mediaId']
  return readId(value) ?? refNames.map((name) => readId(value[name])).find((id) => id !== null) ?? null
}
