/** Returns whether a host name always means this machine (RFC 6761). */
export function isLocalName(hostname: string): boolean {
  return /^(.+\.)?localhost\.?$/i.test(hostname)
}

/** Tabs and line breaks, which the parser of URLs removes everywhere (WHATWG URL, section 4.4). */
const removedByParser = /[\t\n\r]/g

/** The whole origin of an address on this machine, as people write it. Any other notation counts as remote. */
const ofThisMachine = /^http:\/\/(?:(?:[a-z\d-]+\.)*localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d*)?(?:\/|$)/i

/**
 * Returns whether calls to this address would send the access token unencrypted over a network: `http:`, and not to
 * this machine. A private network is not an exception, because others are in it.
 */
export function isUnencryptedRemote(typed: string): boolean {
  const address = typed.replace(removedByParser, '').trim()
  return /^http:/i.test(address) && !ofThisMachine.test(address)
}

/** Meaning of an address without encryption, for every place that asks for consent. */
export const unencryptedMeaning =
  'the connection is not encrypted. Anyone along the way can read the access token, which opens all your projects ' +
  'and orders designs, and can change what is archived. This is also true of a private network.'

/**
 * Returns a typed host name, with or without a port and a path, as an `https:` address. Any other text is returned
 * unchanged, so is an address that already has a scheme.
 */
export function withHttps(typed: string): string {
  const text = typed.trim()
  return /^(?:[a-z\d-]+\.)+[a-z]{2,}(?::\d+)?(?:\/[^?#@]*)?$/i.test(text) ? `https://${text}` : typed
}

const webAddress = /^https?:\/\/(?:\[[\da-f:.]+\]|[^\s:/?#@[\]\\]+)(?::\d{1,5})?(?:[/?#]\S*)?$/i

/** Returns whether a text is an `http:` or `https:` address without a user name and a password. */
export function isWebAddress(typed: string): boolean {
  return webAddress.test(typed)
}

/** Address of an HTTP proxy. */
export interface ProxyAddress {
  /** True for `https:`: the connection to the proxy itself is encrypted. */
  readonly isTls: boolean
  /** User name and password as written, percent-encoded; null if there are none. */
  readonly credentials: { readonly user: string; readonly password: string } | null
  /** An IPv6 address is in brackets. */
  readonly hostname: string
  readonly port: number
}

const proxyPattern = /^(?:(https?):\/\/)?(?:([^/\s]*)@)?(\[[\da-f:.]+\]|[^\s:/?#@[\]\\]+)(?::(\d{1,5}))?\/?$/i

/**
 * Reads the address of an HTTP proxy, with or without `http://`. Returns undefined for anything else, such as the
 * address of a SOCKS proxy, or one with a path.
 */
export function readProxyAddress(typed: string): ProxyAddress | undefined {
  const [matched, scheme = 'http', written, hostname = '', digits] = proxyPattern.exec(typed.trim()) ?? []
  const isTls = scheme.toLowerCase() === 'https'
  const port = digits === undefined ? (isTls ? 443 : 80) : Number(digits)
  if (matched === undefined || port === 0 || port > 65_535) return undefined
  const [, user = '', password = ''] = /^([^:]*):?(.*)$/.exec(written ?? '') ?? []
  return { isTls, credentials: user === '' && password === '' ? null : { user, password }, hostname, port }
}

/**
 * Returns whether a text can be stored as the setting `proxy`, which has no place for a user name or a password. A word
 * alone, such as "direct", is not an address: its port has to be named.
 */
export function isProxySetting(typed: string): boolean {
  if (['environment', 'none'].includes(typed.trim())) return true
  return typed.includes(':') && readProxyAddress(typed)?.credentials === null
}
