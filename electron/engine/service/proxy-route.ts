import { BlockList, isIP } from 'node:net'
import { once } from '../../../shared/format.ts'
import { isLocalName, readProxyAddress } from '../../../shared/service-address.ts'

/** The way to other machines: proxies and certificates. Absent fields mean the default. */
export interface NetworkSettings {
  /** Proxy for `https:` addresses. Default: none. */
  readonly httpsProxy?: WrittenProxy
  /** Proxy for `http:` addresses. Default: none. */
  readonly httpProxy?: WrittenProxy
  /** Hosts that are reached without a proxy, in the notation of the environment variable `NO_PROXY`. */
  readonly noProxy?: string
  /** Absolute path of a PEM file with certificates to trust in addition; without it, nothing is connected to. */
  readonly caFile?: string
  /** The same as `NODE_EXTRA_CA_CERTS` names it: it is ignored if it cannot be read, as Node does. */
  readonly extraCaFile?: string
}

/** A proxy as a user or an administrator wrote it. */
export interface WrittenProxy {
  /** May contain a password. */
  readonly text: string
  /** Name of the setting or the environment variable, for messages. */
  readonly from: string
}

/** A proxy to connect through. */
export interface Proxy {
  /** True if the connection to the proxy itself is encrypted. */
  readonly isTls: boolean
  readonly hostname: string
  readonly port: number
  /** Host and port, for messages. */
  readonly name: string
  /** Value of the header `Proxy-Authorization`: a secret. */
  readonly authorization: string | undefined
  readonly from: string
}

export type Route =
  | { readonly kind: 'direct' }
  | { readonly kind: 'proxy'; readonly proxy: Proxy }
  /** The configured value is not the address of a proxy. */
  | { readonly kind: 'unusable'; readonly from: string }

const direct: Route = { kind: 'direct' }

/** Returns how to connect to the host of an address. This machine is always reached directly. */
export function routeOf(url: URL, { httpsProxy, httpProxy, noProxy = '' }: NetworkSettings): Route {
  const written = url.protocol === 'https:' ? httpsProxy : httpProxy
  if (written === undefined || isThisMachine(url.hostname) || isExempt(url, noProxy)) return direct
  const address = readProxyAddress(written.text)
  if (address === undefined) return { kind: 'unusable', from: written.from }
  const { isTls, port, credentials } = address
  const hostname = bareHost(address.hostname)
  const authorization = credentials === null ? undefined : `Basic ${basicOf(credentials)}`
  const name = `${address.hostname}:${port}`
  return { kind: 'proxy', proxy: { isTls, hostname, port, name, authorization, from: written.from } }
}

/** Returns every form in which the secrets of the proxies could be written. */
export function proxySecrets({ httpsProxy, httpProxy }: NetworkSettings): string[] {
  return [httpsProxy, httpProxy].flatMap((written) => {
    const credentials = written && readProxyAddress(written.text)?.credentials
    return credentials == null ? [] : [decode(credentials.password), basicOf(credentials)]
  })
}

/** Returns the credentials of the Basic scheme (RFC 7617, section 2). */
function basicOf({ user, password }: { readonly user: string; readonly password: string }): string {
  return Buffer.from(`${decode(user)}:${decode(password)}`).toString('base64')
}

/** Returns the text without percent-encoding; a stray percent sign stays. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const bareHost = (hostname: string) => hostname.replace(/^\[|\]$/g, '')

export const portOf = ({ port, protocol }: URL) => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port))

const loopback = once(() => {
  const list = new BlockList()
  list.addSubnet('127.0.0.0', 8, 'ipv4')
  list.addAddress('::1', 'ipv6')
  return list
})

function isThisMachine(hostname: string): boolean {
  return isLocalName(hostname) || isIn(loopback(), bareHost(hostname))
}

const isIn = (list: BlockList, address: string) =>
  isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')

/**
 * Returns whether `NO_PROXY` names the host, read as curl and Go do: entries separated by commas or spaces; a name also
 * stands for all names below it, with or without a leading `.` or `*.`; a port limits the entry to it; an address may
 * be a network (`10.0.0.0/8`); `*` is every host.
 */
function isExempt(url: URL, noProxy: string): boolean {
  const host = bareHost(url.hostname).toLowerCase().replace(/\.$/, '')
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry !== '' && matches(entry, host, portOf(url)))
}

function matches(entry: string, host: string, port: number): boolean {
  if (entry === '*') return true
  const [, network = '', prefix = ''] = /^\[?([\d.:a-f]+)\]?\/(\d{1,3})$/.exec(entry) ?? []
  if (isIP(network) !== 0) return isInNetwork(host, network, Number(prefix))
  if (isIP(bareHost(entry)) === 6) return host === bareHost(entry)
  const [, name = entry, onlyPort] = /^(.*):(\d{1,5})$/.exec(entry) ?? []
  if (onlyPort !== undefined && Number(onlyPort) !== port) return false
  const suffix = bareHost(name)
    .replace(/^\*?\./, '')
    .replace(/\.$/, '')
  return suffix !== '' && (host === suffix || (isIP(host) === 0 && host.endsWith(`.${suffix}`)))
}

function isInNetwork(host: string, network: string, prefix: number): boolean {
  const isV4 = isIP(network) === 4
  if (prefix > (isV4 ? 32 : 128)) return false
  const list = new BlockList()
  list.addSubnet(network, prefix, isV4 ? 'ipv4' : 'ipv6')
  return isIn(list, host)
}
