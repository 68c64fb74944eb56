import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/** 256 bits cannot be guessed, however long the server runs. */
const secretBytes = 32

/**
 * Cookies are shared by all ports of a host. With the port in its name, a second Solarchive on the same machine does
 * not overwrite this one's session.
 */
const cookieName = (port: number) => `solarchive-${port}`

/** Sessions of browsers. Each is created for a one-time token and lives in this process's memory. */
export class Admission {
  readonly #sessions = new Set<string>()
  #token: string = newSecret()

  /** Current token, for the address that is printed. */
  get token(): string {
    return this.#token
  }

  /** Returns the `Set-Cookie` of a new session and replaces the token, or `undefined` for a wrong or used token. */
  exchange(token: string, port: number): string | undefined {
    if (!isSame(token, this.#token)) return undefined
    this.#token = newSecret()
    const session = newSecret()
    this.#sessions.add(session)
    return `${cookieName(port)}=${session}; Path=/; HttpOnly; SameSite=Strict`
  }

  hasSession({ cookie = '' }: IncomingHttpHeaders, port: number): boolean {
    const prefix = `${cookieName(port)}=`
    const cookies = cookie.split(';').map((part) => part.trim())
    return cookies.some((part) => part.startsWith(prefix) && this.#isSession(part.slice(prefix.length)))
  }

  #isSession(value: string): boolean {
    return [...this.#sessions].some((session) => isSame(value, session))
  }
}

function newSecret(): string {
  return randomBytes(secretBytes).toString('base64url')
}

/** Compares in constant time: hashes have the same length. */
function isSame(text: string, secret: string): boolean {
  const hash = (value: string) => createHash('sha256').update(value).digest()
  return timingSafeEqual(hash(text), hash(secret))
}

const loopbackNames: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])
const wildcards: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/**
 * Returns true if the request was addressed to this server by one of its own names. A page of another site whose name
 * was pointed here (DNS rebinding) arrives with that name. A bare IP address cannot be rebound, so any is accepted if
 * the server listens on all of the machine's addresses.
 */
export function isOwnHost(hostHeader: string | undefined, boundHost: string): boolean {
  const name = hostName(hostHeader)
  if (name === undefined) return false
  if (loopbackNames.has(name) || name === bracketed(boundHost.toLowerCase())) return true
  return wildcards.has(boundHost) && isIP(name.replace(/^\[|\]$/g, '')) !== 0
}

/**
 * Returns true if another site made the browser send the request: by `Sec-Fetch-Site` (W3C Fetch Metadata) and, for
 * requests that could change something, by `Origin` (RFC 6454). Programs other than browsers send neither, and need the
 * session too.
 */
export function isFromElsewhere(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  return headers.origin !== undefined && headers.origin !== `http://${headers.host ?? ''}`
}

function hostName(header: string | undefined): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[^:/@?#\s]+)(?::\d{1,5})?$/i.exec(header ?? '')?.[1]?.toLowerCase()
}

/** Returns the host as it is written in a URL: an IPv6 address in brackets. */
export function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host
}
