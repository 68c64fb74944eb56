import { AppError } from '../../../shared/errors.ts'

/**
 * Normalizes the service's address as people type it, with or without a trailing `/` or `/api/v1`. Returns
 * `https://host[:port][/prefix]` without a trailing slash. Throws `wrong-settings` for anything else; the message never
 * repeats the input, which may contain a password or a token.
 */
export function normalizeBaseUrl(typed: string): string {
  const text = typed.trim()
  if (!URL.canParse(text)) throw wrong('is not a web address')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw wrong('does not start with https:// or http://')
  if (url.username !== '' || url.password !== '') throw wrong('contains a user name or a password')
  if (url.search !== '' || url.hash !== '') throw wrong('has a "?" or a "#" after the path')
  const prefix = url.pathname.replace(/\/+$/, '').replace(/\/+api\/+v1$/i, '')
  return url.origin + prefix.replace(/\/+$/, '')
}

/**
 * Returns whether two addresses have the same scheme, host, and port, so that they share a token. `false` for an
 * invalid address.
 */
export function isSameOrigin(one: string, other: string): boolean {
  const [a, b] = [one.trim(), other.trim()]
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin
}

/**
 * Returns the URL of a call. `path` has the segments after `/api/v1`, each of which is encoded because ids are opaque.
 * Throws `wrong-usage` for an id that cannot be used in a path.
 */
export function callUrl(baseUrl: string, path: readonly string[]): URL {
  return new URL(`${baseUrl}/api/v1/${path.map(encodeSegment).join('/')}`)
}

/** Returns whether an id can be used in a path. URL parsers resolve dots, even percent-encoded, to another path. */
export function isPathSegment(id: string): boolean {
  const text = id.trim()
  return text !== '' && text !== '.' && text !== '..' && !id.includes('\0') && id.isWellFormed()
}

function encodeSegment(segment: string): string {
  if (!isPathSegment(segment)) {
    throw new AppError(
      'wrong-usage',
      'An ID is empty or cannot be an ID of the service. The service was not called; check the ID of the project.',
    )
  }
  return encodeURIComponent(segment)
}

function wrong(why: string): AppError {
  return new AppError(
    'wrong-settings',
    `The address of the service ${why}. Nothing can be archived until it is correct. Enter an address like ` +
      'https://api.example.com, without a token.',
  )
}
