import { z } from 'zod'
import { firstOf, isJsonObject, type JsonObject } from './json-object.ts'

/** Documented ids have 24 characters; this allows any other scheme and keeps ids usable in a URL. */
const maxIdLength = 512

/** A signed link has some 1,500 characters; servers refuse far longer ones. */
const maxLinkLength = 16_384

const flagSchema = z.union([
  z.boolean(),
  z.stringbool({ truthy: ['true', 'yes', 'y', '1'], falsy: ['false', 'no', 'n', '0'] }),
  z.literal([0, 1]).transform(Boolean),
])

/**
 * Returns non-blank text as sent, a number as text, or `null`. Surrounding spaces stay: titles and ids are shown,
 * compared, and requested exactly as the service has them.
 */
export function readText(value: unknown): string | null {
  if (typeof value === 'string') return /\S/.test(value) ? value : null
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null
}

/** Reads text, or an object of texts by language or with a usual name: `{ en: 'Roof' }`, `{ text: 'Roof' }`. */
export function readLabel(value: unknown): string | null {
  if (!isJsonObject(value)) return readText(value)
  const usual = firstOf(value, ['en', 'enus', 'engb', 'default', 'label', 'text', 'value', 'title', 'name'], readText)
  return (
    usual ??
    Object.values(value)
      .map(readText)
      .find((text) => text !== null) ??
    null
  )
}

/** Reads an id as text: from a string, an integer, or an object around one (`{ $oid }`, `{ id }`); otherwise `null`. */
export function readId(value: unknown): string | null {
  return isJsonObject(value) ? firstOf(value, ['oid', 'id', 'uuid'], readPlainId) : readPlainId(value)
}

/**
 * Reads the id of a record: its `id` (or `_id`), else the first of `otherNames` (normalized) that has one, else
 * `fallback`.
 */
export function readOwnId(record: JsonObject, otherNames: readonly string[], fallback: string | null): string | null {
  const exact = Object.hasOwn(record, 'id') ? readId(record.id) : null
  return exact ?? firstOf(record, ['id', ...otherNames, 'uuid'], readId) ?? fallback
}

function readPlainId(value: unknown): string | null {
  if (isJsonObject(value)) return firstOf(value, ['oid'], readPlainId)
  // Numbers beyond the safe integers have lost digits, so they are not usable as ids.
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return null
  const text = readText(value)
  return text === null || text.length > maxIdLength ? null : text
}

/** Reads a boolean, also from `"true"`, `"no"`, or `1`; otherwise `null`. */
export function readFlag(value: unknown): boolean | null {
  return isScalar(value) ? (flagSchema.safeParse(value).data ?? null) : null
}

/** Reads an absolute http(s) URL exactly as sent, because changing it invalidates a signature; otherwise `null`. */
export function readLink(value: unknown): string | null {
  const text = typeof value === 'string' ? value.trim() : ''
  return text.length <= maxLinkLength && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : null
}

export type LinkReader = (value: unknown) => string | null

/**
 * Creates a reader of links without a scheme or a host (`/files/1.jpg`, `//host/1.jpg`), resolved against `baseUrl`. It
 * ignores other links.
 */
export function relativeLinkReader(baseUrl: string | undefined): LinkReader {
  return (value) => {
    const text = typeof value === 'string' ? value.trim() : ''
    if (baseUrl === undefined || !/^\/\S/.test(text) || text.length > maxLinkLength) return null
    return URL.canParse(text, baseUrl) ? readLink(new URL(text, baseUrl).href) : null
  }
}

/** Reads a link, or an object with one under a usual name (`{ url }`, `{ href }`). */
export function readLinkOrHolder(value: unknown): string | null {
  return linkOrHolder(value, readLink)
}

/** Like `readLinkOrHolder`, with a custom link reader. */
export function linkOrHolder(value: unknown, readLink: LinkReader): string | null {
  if (!isJsonObject(value)) return readLink(value)
  return firstOf(value, ['url', 'href', 'src', 'link', 'signedurl', 'downloadurl', 'uri', 'location'], readLink)
}

/**
 * Returns whether a value is not an object. Zod's length checks read the `length` of any value, and an object's getter
 * may throw.
 */
export function isScalar(value: unknown): boolean {
  return typeof value !== 'object'
}
