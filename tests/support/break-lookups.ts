import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { onTestFinished } from 'vitest'

/** Names that exist nowhere (RFC 6761), although the servers of some networks answer for them all the same. */
const isReserved = (hostname: string) => /\.(invalid|test)$/.test(hostname)

/**
 * Makes the lookups of names in this process fail for which `isDown` returns true, until the test ends. By default,
 * those of names that exist nowhere, so that no test asks the network.
 */
export function breakLookups(code = 'ENOTFOUND', isDown: (hostname: string) => boolean = isReserved): void {
  const { lookup } = dns
  const use = (next: typeof lookup) => {
    dns.lookup = next
    syncBuiltinESMExports()
  }
  onTestFinished(() => use(lookup))
  const broken = (hostname: string, ...rest: unknown[]) => {
    const callback = rest.at(-1) as (error: Error) => void
    if (isDown(hostname)) {
      process.nextTick(callback, Object.assign(new Error(`${code} ${hostname}`), { code, hostname }))
    } else Reflect.apply(lookup, dns, [hostname, ...rest])
  }
  use(broken as typeof lookup)
}
