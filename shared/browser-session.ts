/**
 * Keys of a browser's session. Browsers send cookies to every port of a host, so the cookie of the session could be
 * received by any program that listens on this machine. The keys are stored per origin, which includes the port, and
 * the host answers no request for data without the cookie and a key.
 */
export interface SessionKeys {
  /**
   * Start of the session, in milliseconds since 1970: of two sessions, the later one is in use. A browser counts on from
   * that of its last session if the clock was set back.
   */
  readonly openedAtMs: number
  /** Sent with each call, in the header `sessionHeader`. */
  readonly callKey: string
  /**
   * Sent with each request for a file and for the events, in the query parameter `sessionParameter`: images, links, and
   * event streams have no headers of their own. It is part of the browser's history, so it opens no call.
   */
  readonly urlKey: string
}

/** Name of the `meta` element, the item of the session storage, and the channel between tabs that hold the keys. */
export const sessionName = 'solarchive-session'
export const sessionHeader = 'x-solarchive-session'
export const sessionParameter = 'key'

/** Returns the keys as one text, which consists of letters, digits, `-`, `_`, and `.`. */
export function formatSessionKeys({ openedAtMs, callKey, urlKey }: SessionKeys): string {
  return [openedAtMs, callKey, urlKey].join('.')
}

/** Returns the keys of a text, or `undefined` if it has none. */
export function parseSessionKeys(text: unknown): SessionKeys | undefined {
  if (typeof text !== 'string') return undefined
  const [, openedAt, callKey, urlKey] = /^(\d{1,15})\.([\w-]{1,100})\.([\w-]{1,100})$/.exec(text) ?? []
  if (openedAt === undefined || callKey === undefined || urlKey === undefined) return undefined
  return { openedAtMs: Number(openedAt), callKey, urlKey }
}
