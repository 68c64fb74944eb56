import { lookup as dnsLookup } from 'node:dns'
import { lookup as dnsLookupAll } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { AppError } from '../../../shared/errors.ts'
import { isLocalName } from '../../../shared/service-address.ts'

/** Policy for the addresses that something is sent to or fetched from. Neither links nor redirects are trusted. */
export interface AddressPolicy {
  /** Throws the policy's error, by default `link-unsafe`, if the URL must not be requested. */
  check(url: URL): void
  /** Resolves names like `dns.lookup`, but refuses addresses that are nearer than allowed. */
  readonly lookup: LookupFunction
}

/**
 * Where an address leads: into the internet, into a private network, or to this machine. A link may lead as near as the
 * service itself is: to this machine only if the service is here, into a private network only if the service is in one
 * or here. A name is as near as the farthest of its addresses.
 */
export type Nearness = 'public' | 'private' | 'machine'

const order: readonly Nearness[] = ['public', 'private', 'machine']
const isNearer = (one: Nearness, other: Nearness) => order.indexOf(one) > order.indexOf(other)

export interface LinkPolicyDeps {
  /** Returns all addresses of a name; by default those that the system resolves it to. */
  readonly addressesOf?: (hostname: string) => Promise<readonly string[]>
  /** Returns the addresses of this machine's network interfaces. */
  readonly ownAddresses?: () => readonly string[]
  /** Allow plain http. Default: only if the service uses it. */
  readonly allowHttp?: boolean
  /** Returns the error of a refused URL; `why` completes "a link that ...". */
  readonly refuse?: (why: string) => AppError
}

/** Allows plain http only if the service uses it, and only addresses that are no nearer than the service. */
export function createLinkPolicy(serviceUrl: URL, deps: LinkPolicyDeps = {}): AddressPolicy {
  const { addressesOf = resolveAll, ownAddresses = interfaceAddresses } = deps
  /** A name that is not resolved counts as public. */
  const hostNearness = (hostname: string) =>
    isLocalName(hostname) ? 'machine' : addressNearness(hostname, ownAddresses)

  /** Resolved for each use: the service may get another address, and only links into a private network need it. */
  async function serviceNearness(): Promise<Nearness> {
    const { hostname } = serviceUrl
    if (isLocalName(hostname) || isAddress(hostname)) return hostNearness(hostname)
    const found = (await addressesOf(hostname).catch(() => [])).map((each) => addressNearness(each, ownAddresses))
    return order.find((nearness) => found.includes(nearness)) ?? 'public'
  }

  return createAddressPolicy({
    allowHttp: deps.allowHttp ?? serviceUrl.protocol === 'http:',
    nearest: () => hostNearness(serviceUrl.hostname),
    nearestOfName: serviceNearness,
    ownAddresses,
    refuse: deps.refuse ?? unsafe,
  })
}

interface AddressRules {
  readonly allowHttp: boolean
  /** Returns how near an address in the URL itself may be. */
  readonly nearest: () => Nearness
  /** Returns how near the addresses of a name may be; by default as near as `nearest`. */
  readonly nearestOfName?: () => Promise<Nearness>
  readonly ownAddresses?: () => readonly string[]
  readonly refuse: (why: string) => AppError
}

/** Creates a policy of addresses; see `AddressRules`. */
export function createAddressPolicy(rules: AddressRules): AddressPolicy {
  const { allowHttp, nearest, refuse, ownAddresses = interfaceAddresses } = rules
  const nearestOfName = rules.nearestOfName ?? (() => Promise.resolve(nearest()))
  const nearnessOf = (address: string) => addressNearness(address, ownAddresses)
  const tooNear = () => refuse('leads into a private network')
  return {
    check(url) {
      if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) {
        throw refuse(`uses ${url.protocol.replace(':', '')}, which is not safe here`)
      }
      if (url.username !== '' || url.password !== '') throw refuse('carries a user name or password')
      const nearness = isLocalName(url.hostname) ? 'machine' : nearnessOf(url.hostname)
      if (isNearer(nearness, nearest())) throw tooNear()
    },
    lookup: (hostname, options, callback) => {
      dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
        if (error !== null) {
          callback(error, '')
          return
        }
        const resolve = (limit: Nearness) => {
          const usable = addresses.filter(({ address }) => !isNearer(nearnessOf(address), limit))
          const first = usable[0]
          if (first === undefined) callback(tooNear(), '')
          else if (options.all === true) callback(null, usable)
          else callback(null, first.address, first.family)
        }
        if (addresses.every(({ address }) => nearnessOf(address) === 'public')) resolve('public')
        else void nearestOfName().then(resolve)
      })
    },
  }
}

async function resolveAll(hostname: string): Promise<readonly string[]> {
  return (await dnsLookupAll(hostname, { all: true })).map(({ address }) => address)
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address))
}

function unsafe(why: string): AppError {
  return new AppError(
    'link-unsafe',
    `The service sent a link that ${why}. The file was not fetched; ask the service's support about it.`,
  )
}

/**
 * Prefixes by which an IPv6 address carries an IPv4 address in its last four bytes: a NAT64 gateway (RFC 6052), by
 * which networks without IPv4 reach public addresses; IPv4-translated (RFC 2765); the deprecated IPv4-compatible
 * notation (`::127.0.0.1`). BlockList itself recognizes IPv4-mapped addresses (`::ffff:127.0.0.1`).
 */
const embeddings = ['64:ff9b::', '::ffff:0:', '::']

function addIPv4(list: BlockList, network: string, prefix: number): void {
  list.addSubnet(network, prefix, 'ipv4')
  for (const embedding of embeddings) list.addSubnet(`${embedding}${network}`, 96 + prefix, 'ipv6')
}

/** Addresses by which a connection ends at this machine, whatever its network. `::` and `0.0.0.0` mean it, too. */
const loopback = new BlockList()
addIPv4(loopback, '0.0.0.0', 8)
addIPv4(loopback, '127.0.0.0', 8)
loopback.addSubnet('::', 127, 'ipv6')

/**
 * Address ranges that are not part of the public internet (IANA special-purpose registries, RFC 6890 and successors).
 */
const privateRanges = new BlockList()
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  addIPv4(privateRanges, network, prefix)
}
for (const [network, prefix] of [
  // Nobody uses the deprecated notations of IPv4 addresses, not even of public ones.
  ['::', 96],
  ['::ffff:0:0:0', 96],
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

const bareAddress = (address: string) => address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
const isAddress = (host: string) => isIP(bareAddress(host)) !== 0

/**
 * Returns where an IP address leads, in whatever notation; `public` for anything that is not an IP address. Asks for
 * this machine's addresses only if it depends on them: the system takes a tenth of a millisecond to list them.
 */
export function addressNearness(address: string, ownAddresses: () => readonly string[]): Nearness {
  const bare = bareAddress(address)
  const version = isIP(bare)
  if (version === 0) return 'public'
  const family = version === 4 ? 'ipv4' : 'ipv6'
  if (loopback.check(bare, family)) return 'machine'
  const own = new BlockList()
  for (const each of ownAddresses().map(bareAddress)) {
    if (isIP(each) === 4) addIPv4(own, each, 32)
    else own.addAddress(each, 'ipv6')
  }
  if (own.check(bare, family)) return 'machine'
  return privateRanges.check(bare, family) || isTunnel(bare) ? 'private' : 'public'
}

/** Returns whether an IPv6 address is one of ISATAP (RFC 5214), which carries an IPv4 address behind any prefix. */
function isTunnel(address: string): boolean {
  // The parser of URLs writes every notation the same way, an embedded IPv4 address in hexadecimal.
  const host = isIP(address) === 6 ? new URL(`http://[${address}]`).hostname : ''
  return /:(?:200:|0:|:)5efe:[0-9a-f]{1,4}:[0-9a-f]{1,4}\]$/.test(host)
}
