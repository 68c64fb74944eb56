import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { sessionHeader, type SessionKeys, sessionParameter } from '../../../shared/browser-session.ts'
import { isSameSecret } from '../../app/is-same-secret.ts'
import type { Clock } from '../../engine/lib/ports.ts'

/** 256 bits cannot be guessed, however long the server runs. */
const secretBytes = 32

/**
 * Cookies are shared by all ports of a host. With the port in its name, a second Solarchive on the same machine does
 * not overwrite this one's session.
 */
const cookieName = (port: number) => `solarchive-${port}`

/** A session without requests for this long has ended: a night, so that an open page is still in use in the morning. */
const maxIdleMs = 12 * 3_600_000

/** A session of this age has ended, even if it is in use. */
const maxAgeMs = 7 * 24 * 3_600_000

export interface BrowserSession {
  readonly keys: SessionKeys
  /** Called for each request with a key. */
  recordUse(): void
  /** False once the session has ended: it expired, or everybody was logged out. */
  isValid(): boolean
}

interface OpenSession extends BrowserSession {
  readonly cookie: string
}

/** Sessions of browsers. Each is created for a one-time token and lives in this process's memory. */
export class Admission {
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #sessions = new Set<OpenSession>()
  #token: string = newSecret()

  /** The wall clock counts the time that the machine sleeps, too. */
  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock
  }

  /** Current token, for the address that is printed. */
  get token(): string {
    return this.#token
  }

  /** Returns a new session and its `Set-Cookie`, and replaces the token; `undefined` for a wrong or used token. */
  exchange(token: string, port: number): { readonly session: BrowserSession; readonly setCookie: string } | undefined {
    if (!isSameSecret(token, this.#token)) return undefined
    this.#token = newSecret()
    const session = this.#open()
    const setCookie = `${cookieName(port)}=${session.cookie}; Path=/; HttpOnly; SameSite=Strict`
    return { session, setCookie }
  }

  /** Returns the session of the request's cookie. The cookie alone proves nothing: see `hasKey`. */
  sessionOf({ cookie = '' }: IncomingHttpHeaders, port: number): BrowserSession | undefined {
    for (const session of this.#sessions) if (!session.isValid()) this.#sessions.delete(session)
    const prefix = `${cookieName(port)}=`
    const values = cookie.split(';').map((part) => part.trim())
    const own = values.filter((part) => part.startsWith(prefix)).map((part) => part.slice(prefix.length))
    return [...this.#sessions].find((session) => own.some((value) => isSameSecret(value, session.cookie)))
  }

  /**
   * Returns true if the request has a key of its session: any request in the header, and one that only reads in its
   * URL. The session then counts as used.
   */
  hasKey(session: BrowserSession, { headers, method, url = '' }: IncomingMessage): boolean {
    const header = headers[sessionHeader]
    const isReading = method === 'GET' || method === 'HEAD'
    const parameter = isReading ? new URLSearchParams(/\?.*$/s.exec(url)?.[0]).get(sessionParameter) : null
    const { callKey, urlKey } = session.keys
    const isKey =
      (typeof header === 'string' && isSameSecret(header, callKey)) ||
      (parameter !== null && isSameSecret(parameter, urlKey))
    if (isKey) session.recordUse()
    return isKey
  }

  /** Ends all sessions, and replaces the token: an address that was printed before admits nobody. */
  endAll(): void {
    this.#sessions.clear()
    this.#token = newSecret()
  }

  #open(): OpenSession {
    const now = () => this.#clock.nowMs()
    const openedAtMs = now()
    let usedAtMs = openedAtMs
    const session: OpenSession = {
      cookie: newSecret(),
      keys: { openedAtMs, callKey: newSecret(), urlKey: newSecret() },
      recordUse: () => void (usedAtMs = now()),
      isValid: () => this.#sessions.has(session) && now() - usedAtMs <= maxIdleMs && now() - openedAtMs <= maxAgeMs,
    }
    this.#sessions.add(session)
    return session
  }
}

function newSecret(): string {
  return randomBytes(secretBytes).toString('base64url')
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
  // As browsers send it, whichever way it was typed: an IPv6 address in its shortest form.
  if (name === URL.parse(`http://${bracketed(boundHost)}`)?.hostname) return true
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

/**
 * How far a listening socket reaches: this machine alone, one address of a network, or all addresses of this machine.
 */
export type Reach = 'machine' | 'address' | 'all'

/** Returns how far a socket reaches that is bound to this IP address. */
export function reachOf(boundAddress: string): Reach {
  if (wildcards.has(boundAddress)) return 'all'
  return /^127\./.test(boundAddress) || boundAddress === '::1' ? 'machine' : 'address'
}

/** Returns a host that a browser on this machine can open; no browser opens the address that stands for all. */
export function openableHost(host: string, boundAddress: string): string {
  if (!wildcards.has(boundAddress)) return host
  return boundAddress === '::' ? '::1' : '127.0.0.1'
}

/** Returns the host as it is written in a URL: an IPv6 address in brackets. */
export function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host
}
