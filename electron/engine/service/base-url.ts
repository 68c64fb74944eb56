import { AppError } from '../../../shared/errors.ts'

/**
 * Makes one form of the ways in which people type the service's address: with or without a trailing `/` or `/api/v1`.
 * Answers `https://host[:port][/prefix]` without a trailing slash. Throws `wrong-settings` for anything else; the message
 * never repeats what was typed, which may hold a password or a token.
 */
export function normalizeBaseUrl(typed: string): string {
  const text = typed.trim()
  if (!URL.canParse(text)) throw wrong('is not a web address')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw wrong('does not start with https:// or http://')
  if (url.username !== '' || url.password !== '') throw wrong('holds a user name or a password')
  if (url.search !== '' || url.hash !== '') throw wrong('goes on after the path, with a "?" or a "#"')
  const prefix = url.pathname.replace(/\/+$/, '').replace(/\/+api\/+v1$/i, '')
  return url.origin + prefix.replace(/\/+$/, '')
}

/** Whether two addresses lead to one scheme, host and port: a token of one is a token of the other. False for what is none. */
export function isSameOrigin(one: string, other: string): boolean {
  const [a, b] = [one.trim(), other.trim()]
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin
}

/**
 * The URL of a call: `path` are the segments after `/api/v1`. Ids are opaque text of the service, so each is encoded.
 * Throws `wrong-usage` for an id that cannot stand in a path.
 */
export function callUrl(baseUrl: string, path: readonly string[]): URL {
  return new URL(`${baseUrl}/api/v1/${path.map(encodeSegment).join('/')}`)
}

/** Whether an id can be asked for: a URL parser takes dots as steps, also percent-encoded; they would lead elsewhere. */
export function isPathSegment(id: string): boolean {
  const text = id.trim()
  return text !== '' && text !== '.' && text !== '..' && !id.includes('\0') && id.isWellFormed()
}

function encodeSegment(segment: string): string {
  if (!isPathSegment(segment)) {
    throw new AppError(
      'wrong-usage',
      'An id is empty or cannot be an id of the service. Nothing was asked for; check the id of the project.',
    )
  }
  return encodeURIComponent(segment)
}

function wrong(why: string): AppError {
  return new AppError(
    'wrong-settings',
    `The address of the service ${why}. Nothing can be archived until it is right: give it like ` +
      'https://api.example.com, without a token.',
  )
}
