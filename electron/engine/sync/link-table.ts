import type { Link } from '../downloads/ask-for-link.ts'
import type { Clock } from '../lib/ports.ts'
import { sourceHash } from './url-identity.ts'

/** Links expire after 24 hours (the service's specification). Older than this, they are refreshed before use. */
const usableMs = 23 * 60 * 60_000

/** The links at hand, in memory alone: a link is a key to a customer's photo and is stored nowhere. */
export function createLinkTable(clock: Clock) {
  const links = new Map<number, { readonly link: Link | null; readonly obtainedMs: number; isSuspect: boolean }>()
  return {
    hold(assetId: number, url: string | null): void {
      const link = url === null ? null : { url, urlIdentity: sourceHash(url) }
      links.set(assetId, { link, obtainedMs: clock.nowMs(), isSuspect: false })
    },
    /**
     * A link young enough to be used, null when the service gave none, undefined when it has to be asked. A clock that
     * went back makes the age unknown: such a link is not used either.
     */
    get(assetId: number): Link | null | undefined {
      const held = links.get(assetId)
      if (held === undefined) return undefined
      const ageMs = clock.nowMs() - held.obtainedMs
      if (ageMs >= 0 && ageMs < usableMs) return held.link
      links.delete(assetId)
      return undefined
    },
    forget(assetId: number): void {
      links.delete(assetId)
    },
    /** A try with it led to no file. */
    suspect(assetId: number): void {
      const held = links.get(assetId)
      if (held !== undefined) held.isSuspect = true
    },
    /**
     * Forgets those that are doubted. One that was given since the file's last try stays: what is asked for one file brings
     * the links of its whole category, and thousands of files that fail together cost one call a category and backoff.
     */
    forgetSuspect(assetIds: readonly number[]): void {
      for (const assetId of assetIds) if (links.get(assetId)?.isSuspect === true) links.delete(assetId)
    },
  }
}

export type LinkTable = ReturnType<typeof createLinkTable>
