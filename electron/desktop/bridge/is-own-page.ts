import { pageHost, pageScheme } from '../protocol/addresses.ts'

/** A frame that sent a message. */
export interface SendingFrame {
  readonly url: string
  /** Whether it is the top frame of its window. */
  readonly isTop: boolean
}

/** Whether a message came from the app's own page: the top frame of the app's window, at the app's address. */
export function isOwnPage(frame: SendingFrame | undefined, isOwnWindow: boolean): boolean {
  return isOwnWindow && frame?.isTop === true && isOwnAddress(frame.url)
}

function isOwnAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, host, username, password } = new URL(text)
  return protocol === `${pageScheme}:` && host === pageHost && username === '' && password === ''
}
