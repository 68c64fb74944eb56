import { lookup as dnsLookup } from 'node:dns'
import { lookup as dnsLookupAll } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { AppError } from '../../../shared/errors.ts'
import { isPrivateAddress, isPrivateHost } from './private-address.ts'

/** Where files may be fetched from. Links come from the service and redirects from anywhere: neither is trusted. */
export interface LinkPolicy {
  /** Throws `link-unsafe` for a link that must not be followed. */
  check(url: URL): void
  /** Resolves names like `dns.lookup`, but refuses private addresses unless the service itself is at one. */
  readonly lookup: LookupFunction
}

/** Plain http only when the service itself is; private and loopback addresses only when the service itself is there. */
export function createLinkPolicy(serviceUrl: URL): LinkPolicy {
  const allowHttp = serviceUrl.protocol === 'http:'
  let privateAllowed: Promise<boolean> | undefined
  const mayBePrivate = () => (privateAllowed ??= servicePlaceIsPrivate(serviceUrl.hostname))

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
        const settle = (allowed: boolean) => {
          const usable = allowed ? addresses : addresses.filter(({ address }) => !isPrivateAddress(address))
          const first = usable[0]
          if (first === undefined) callback(unsafe('leads into a private network'), '')
          else if (options.all === true) callback(null, usable)
          else callback(null, first.address, first.family)
        }
        if (addresses.some(({ address }) => isPrivateAddress(address))) void mayBePrivate().then(settle)
        else settle(true)
      })
    },
  }
}

async function servicePlaceIsPrivate(hostname: string): Promise<boolean> {
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
    `The service gave a link that ${why}. The file was not fetched; ask the service's support about it.`,
  )
}
