const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Returns whether an answer leads to another address. Its body is not read: it may have no end. */
export function isRedirect(status: number, location: string | undefined): location is string {
  return redirectStatuses.has(status) && location !== undefined
}

/**
 * Returns the address to which a redirect leads, or `null` if that is not a web address (`file:`, `ftp:`, nonsense).
 * The caller decides if it may be requested, and how often in a row.
 */
export function redirectTarget(from: URL, location: string): URL | null {
  // Node reads the bytes of a header as Latin-1, and servers send UTF-8.
  const text = Buffer.from(location, 'latin1').toString()
  if (!URL.canParse(text, from.href)) return null
  const target = new URL(text, from)
  return target.protocol === 'https:' || target.protocol === 'http:' ? target : null
}
