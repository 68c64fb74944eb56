import { BlockList, isIP } from 'node:net'

/** Address ranges that are not on the public internet (IANA special-purpose registries, RFC 6890 and successors). */
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
  // As a NAT64 gateway reaches it (RFC 6052); of public addresses that is the way from networks without IPv4.
  privateRanges.addSubnet(`64:ff9b::${network}`, 96 + prefix, 'ipv6')
}
for (const [network, prefix] of [
  // With `::`, `::1` and all of IPv4 in the deprecated way (`::127.0.0.1`).
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

/** Whether an IP address (v4, v6, v4 mapped into v6) is private, loopback, link-local or otherwise not public. */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  const family = isIP(bare)
  if (family === 4) return privateRanges.check(bare, 'ipv4')
  if (family === 6) return privateRanges.check(bare, 'ipv6')
  return false
}

/** Whether a URL's host is written as a private address or as a name that always means this machine. */
export function isPrivateHost(hostname: string): boolean {
  return /^(.+\.)?localhost\.?$/i.test(hostname) || isPrivateAddress(hostname)
}
