/**
 * The app's pages are `app://solarchive/…`; archived files are `archive://files/<asset id>` and
 * `archive://thumbnails/<asset id>`. Neither contains a path of the disk.
 */
export const pageScheme = 'app'
export const pageHost = 'solarchive'
export const pageOrigin = `${pageScheme}://${pageHost}`
export const fileScheme = 'archive'

export interface SendingFrame {
  readonly url: string
  /** True for the top frame of its window. */
  readonly isTop: boolean
}

/** Returns true for a message of the app's own page: the top frame of the app's window, at the app's address. */
export function isOwnPage(frame: SendingFrame, isOwnWindow: boolean): boolean {
  return isOwnWindow && frame.isTop && isOwnAddress(frame.url)
}

/** Returns true for an address of the app's pages. */
export function isOwnAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, host, username, password } = new URL(text)
  return protocol === `${pageScheme}:` && host === pageHost && username === '' && password === ''
}

/** Schemes that a page may load at all; the page's policy restricts what for. */
const loadableSchemes: ReadonlySet<string> = new Set([
  `${pageScheme}:`,
  `${fileScheme}:`,
  'blob:',
  'data:',
  'devtools:',
])

/** Returns true if a page may request this address. */
export function isLoadable(url: string): boolean {
  return URL.canParse(url) && loadableSchemes.has(new URL(url).protocol)
}
