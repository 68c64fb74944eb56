import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

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
