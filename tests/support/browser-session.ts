import { parseSessionKeys, sessionHeader, type SessionKeys, sessionName } from '../../shared/browser-session.ts'

/** A browser's session, opened by a printed address. */
export interface OpenedSession {
  /** Name and value. */
  readonly cookie: string
  readonly keys: SessionKeys
  /** Headers of a call, without its content type. */
  readonly headers: Readonly<Record<string, string>>
}

/** Opens a printed address as a browser does. */
export async function openSession(address: string): Promise<OpenedSession> {
  const opened = await fetch(address)
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
  const keys = keysInPage(await opened.text())
  return { cookie, keys, headers: { cookie, [sessionHeader]: keys.callKey } }
}

/** Returns the session's keys of the page that a printed address shows. */
export function keysInPage(html: string): SessionKeys {
  const keys = parseSessionKeys(new RegExp(`name="${sessionName}" content="([^"]*)"`).exec(html)?.[1])
  if (keys === undefined) throw new Error('The page has no keys of a session')
  return keys
}
