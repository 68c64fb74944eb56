import { z } from 'zod'
import { firstOf, isJsonObject, type JsonObject } from './json-object.ts'

/** The documented ids have 24 characters; this leaves room for any other scheme and keeps them usable in a URL. */
const MAX_ID_LENGTH = 512

/** A link with a signature is some 1,500 characters long; servers refuse far longer ones. */
const MAX_LINK_LENGTH = 16_384

/** As sent, blanks around it included: titles and ids are shown, compared and asked for exactly as the service has them. */
const textSchema = z.union([z.string().regex(/\S/), z.number().transform(String)])

/** A number beyond the safe integers has lost digits on the way: it is no id any more. */
const idSchema = z.union([z.string().regex(/\S/).max(MAX_ID_LENGTH), z.int().transform(String)])

const flagSchema = z.union([
  z.boolean(),
  z.stringbool({ truthy: ['true', 'yes', 'y', '1'], falsy: ['false', 'no', 'n', '0'] }),
  z.literal([0, 1]).transform(Boolean),
])

const linkSchema = z
  .string()
  .trim()
  .max(MAX_LINK_LENGTH)
  .refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text))

/** Text that is not blank, as sent; a number as text; else null. */
export function readText(value: unknown): string | null {
  return isScalar(value) ? (textSchema.safeParse(value).data ?? null) : null
}

/** Text, or an object of texts by language or with one under a usual name: `{ en: 'Roof' }`, `{ text: 'Roof' }`. */
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

/** An id as text: a string, a whole number, or an object around one (`{ $oid }`, `{ id }`); else null. */
export function readId(value: unknown): string | null {
  return isJsonObject(value) ? firstOf(value, ['oid', 'id', 'uuid'], readPlainId) : readPlainId(value)
}

/**
 * The id of a record: its `id` (or `_id`), else the first of `otherNames` (plain names) that holds one, else `fallback`.
 */
export function readOwnId(record: JsonObject, otherNames: readonly string[], fallback: string | null): string | null {
  const exact = Object.hasOwn(record, 'id') ? readId(record.id) : null
  return exact ?? firstOf(record, ['id', ...otherNames, 'uuid'], readId) ?? fallback
}

function readPlainId(value: unknown): string | null {
  if (isJsonObject(value)) return firstOf(value, ['oid'], readPlainId)
  return isScalar(value) ? (idSchema.safeParse(value).data ?? null) : null
}

/** A boolean, also as `"true"`, `"no"`, `1`; else null. */
export function readFlag(value: unknown): boolean | null {
  return isScalar(value) ? (flagSchema.safeParse(value).data ?? null) : null
}

/** An absolute http(s) URL exactly as sent (a signature does not survive rewriting); else null. */
export function readLink(value: unknown): string | null {
  return isScalar(value) ? (linkSchema.safeParse(value).data ?? null) : null
}

export type LinkReader = (value: unknown) => string | null

/** Reads links without a scheme or a host (`/files/1.jpg`, `//host/1.jpg`) as leading on from `baseUrl`; no others. */
export function relativeLinkReader(baseUrl: string | undefined): LinkReader {
  return (value) => {
    const text = typeof value === 'string' ? value.trim() : ''
    if (baseUrl === undefined || !/^\/\S/.test(text) || text.length > MAX_LINK_LENGTH) return null
    return URL.canParse(text, baseUrl) ? readLink(new URL(text, baseUrl).href) : null
  }
}

/** A link, or an object that holds one under a usual name (`{ url }`, `{ href }`). */
export function readLinkOrHolder(value: unknown): string | null {
  return linkOrHolder(value, readLink)
}

/** As `readLinkOrHolder`, with another idea of what a link is. */
export function linkOrHolder(value: unknown, readLink: LinkReader): string | null {
  if (!isJsonObject(value)) return readLink(value)
  return firstOf(value, ['url', 'href', 'src', 'link', 'signedurl', 'downloadurl', 'uri', 'location'], readLink)
}

/** The length checks of zod look at the `length` of whatever they get, and an object may bring one that throws. */
export function isScalar(value: unknown): boolean {
  return typeof value !== 'object'
}
