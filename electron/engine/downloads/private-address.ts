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
}
for (const [network, prefix] of [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fe80::', 10],
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
