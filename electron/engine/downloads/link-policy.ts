import { lookup as dnsLookup } from 'node:dns'
import { lookup as dnsLookupAll } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { AppError } from '../../../shared/errors.ts'

/** Policy for the URLs that files are fetched from. Neither links of the service nor redirects are trusted. */
export interface LinkPolicy {
  /** Throws `link-unsafe` if the URL must not be requested. */
  check(url: URL): void
  /** Resolves names like `dns.lookup`, but refuses private addresses unless the service itself is at one. */
  readonly lookup: LookupFunction
}

/** Plain http only when the service itself is; private and loopback addresses only when the service itself is there. */
export function createLinkPolicy(serviceUrl: URL): LinkPolicy {
  const allowHttp = serviceUrl.protocol === 'http:'
  let privateAllowed: Promise<boolean> | undefined
  const mayBePrivate = () => (privateAllowed ??= isServicePrivate(serviceUrl.hostname))

  return {
    check(url) {
      if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) {
        throw unsafe(`uses ${url.protocol.replace(':', '')}, which is not safe here`)
      }
      if (url.username !== '' || url.password !== '') throw unsafe('carries a user name or password')
      if (isPrivateHost(url.hostname) && !isPrivateHost(serviceUrl.hostname)) {
        throw unsafe('leads into a private network')
      }
    },
    lookup: (hostname, options, callback) => {
      dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
        if (error !== null) {
          callback(error, '')
          return
        }
        const resolve = (allowed: boolean) => {
          const usable = allowed ? addresses : addresses.filter(({ address }) => !isPrivateAddress(address))
          const first = usable[0]
          if (first === undefined) callback(unsafe('leads into a private network'), '')
          else if (options.all === true) callback(null, usable)
          else callback(null, first.address, first.family)
        }
        if (addresses.some(({ address }) => isPrivateAddress(address))) void mayBePrivate().then(resolve)
        else resolve(true)
      })
    },
  }
}

async function isServicePrivate(hostname: string): Promise<boolean> {
  if (isPrivateHost(hostname)) return true
  try {
    return (await dnsLookupAll(hostname, { all: true })).some(({ address }) => isPrivateAddress(address))
  } catch {
    return false
  }
}

function unsafe(why: string): AppError {
  return new AppError(
    'link-unsafe',
    `The service sent a link that ${why}. The file was not fetched; ask the service's support about it.`,
  )
}

/**
 * Address ranges that are not part of the public internet (IANA special-purpose registries, RFC 6890 and successors).
 */
const privateRanges = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  privateRanges.addSubnet(network, prefix, 'ipv4')
  // The same range behind a NAT64 gateway (RFC 6052), by which networks without IPv4 reach public addresses.
  privateRanges.addSubnet(`64:ff9b::${network}`, 96 + prefix, 'ipv6')
}
for (const [network, prefix] of [
  // `::`, `::1`, and all of IPv4 in the deprecated notation (`::127.0.0.1`).
  ['::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  // Teredo and 6to4 carry an IPv4 address that a relay would reach; no file host has one.
  ['2001::', 23],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  privateRanges.addSubnet(network, prefix, 'ipv6')
}

/**
 * Returns whether an IP address (v4, v6, v4 mapped into v6) is private, loopback, link-local, or otherwise not public.
 */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  const family = isIP(bare)
  if (family === 4) return privateRanges.check(bare, 'ipv4')
  if (family === 6) return privateRanges.check(bare, 'ipv6')
  return false
}

/** Returns whether a URL's host is a private address or a name that always means this machine. */
export function isPrivateHost(hostname: string): boolean {
  return /^(.+\.)?localhost\.?$/i.test(hostname) || isPrivateAddress(hostname)
}
