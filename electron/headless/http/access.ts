import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/** 256 bits: nobody guesses it, however long the server runs. */
const secretBytes = 32

/**
 * Cookies know no ports. With the port in its name, a second Solarchive on the same machine does not take this one's
 * session away.
 */
const cookieName = (port: number) => `solarchive-${port}`

/** Who may come in: a one-time token is exchanged for a session, which lives in this process's memory. */
export class Admission {
  readonly #sessions = new Set<string>()
  #token: string = newSecret()

  /** The token that is good now, for the address that is printed. */
  get token(): string {
    return this.#token
  }

  /** The `Set-Cookie` of a new session, or undefined for a wrong or used token. Another token is good from then on. */
  exchange(token: string, port: number): string | undefined {
    if (!isSame(token, this.#token)) return undefined
    this.#token = newSecret()
    const session = newSecret()
    this.#sessions.add(session)
    return `${cookieName(port)}=${session}; Path=/; HttpOnly; SameSite=Strict`
  }

  hasSession({ cookie = '' }: IncomingHttpHeaders, port: number): boolean {
    const prefix = `${cookieName(port)}=`
    const given = cookie.split(';').map((part) => part.trim())
    return given.some((part) => part.startsWith(prefix) && this.#isSession(part.slice(prefix.length)))
  }

  #isSession(given: string): boolean {
    return [...this.#sessions].some((session) => isSame(given, session))
  }
}

function newSecret(): string {
  return randomBytes(secretBytes).toString('base64url')
}

/** In constant time, whatever the lengths: hashes have the same. */
function isSame(given: string, secret: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(secret))
}

const loopbackNames: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])
const wildcards: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/**
 * Whether the request was addressed to this server by a name that is its own. A page of another site that had its own
 * name point here (DNS rebinding) comes with that name; a bare IP address cannot be pointed anywhere, so it is let in
 * where the server listens on all of the machine's addresses.
 */
export function isOwnHost(hostHeader: string | undefined, boundHost: string): boolean {
  const name = hostName(hostHeader)
  if (name === undefined) return false
  if (loopbackNames.has(name) || name === bracketed(boundHost.toLowerCase())) return true
  return wildcards.has(boundHost) && isIP(name.replace(/^\[|\]$/g, '')) !== 0
}

/**
 * Whether another site made the browser send this. Browsers tell it by `Sec-Fetch-Site` (W3C Fetch Metadata) and, of what
 * could change something, by `Origin` (RFC 6454). What is no browser sends neither and needs the session all the same.
 */
export function isFromElsewhere(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  return headers.origin !== undefined && headers.origin !== `http://${headers.host ?? ''}`
}

function hostName(header: string | undefined): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[^:/@?#\s]+)(?::\d{1,5})?$/i.exec(header ?? '')?.[1]?.toLowerCase()
}

/** An IPv6 address as it stands in a URL. */
export function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host
}
