import {
  formatSessionKeys,
  parseSessionKeys,
  sessionHeader,
  type SessionKeys,
  sessionName,
  sessionParameter,
} from '../../shared/browser-session.ts'

/** A tab or the worker answers at once, unless the machine is very busy. */
const askMs = 3_000

/** Message of a tab without keys to the others, which answer with the keys. */
const ask = 'ask'

let keys: SessionKeys | undefined
let joining: Promise<boolean> | undefined

/**
 * Joins the browser's session, which is stored for this tab, or else known to another tab of this origin. Resolves to
 * false if there is none: the app then has to be opened by a new address. From then on, the keys of a session that is
 * opened in another tab are used here too.
 */
export function joinSession(): Promise<boolean> {
  joining ??= join()
  return joining
}

async function join(): Promise<boolean> {
  const channel = new BroadcastChannel(sessionName)
  const { promise: areKnown, resolve } = Promise.withResolvers<void>()
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data !== ask) {
      adopt(parseSessionKeys(data))
      if (keys !== undefined) resolve()
    } else if (keys !== undefined) channel.postMessage(formatSessionKeys(keys))
  }
  adopt(parseSessionKeys(storage()?.getItem(sessionName)))
  // Asked with keys as well: a session that was opened since they were stored is used instead.
  channel.postMessage(ask)
  if (keys === undefined) await Promise.race([areKnown, new Promise((end) => setTimeout(end, askMs))])
  return keys !== undefined
}

function adopt(received: SessionKeys | undefined): void {
  if (received === undefined || (keys !== undefined && received.openedAtMs <= keys.openedAtMs)) return
  keys = received
  storage()?.setItem(sessionName, formatSessionKeys(received))
}

/** Returns the tab's storage, which a reload keeps; `undefined` in a worker. */
function storage(): Storage | undefined {
  return typeof sessionStorage === 'undefined' ? undefined : sessionStorage
}

export function callHeaders(): Record<string, string> {
  return { 'Content-Type': 'application/json', ...(keys && { [sessionHeader]: keys.callKey }) }
}

/** Returns the URL of a file or of the events for this session. `path` has no query. */
export function sessionUrl(path: string): string {
  return keys === undefined ? path : `${path}?${sessionParameter}=${keys.urlKey}`
}

/** Ends the sessions of all browsers and shows how to open the app again. Rejects if the host cannot be reached. */
export async function logOutEverywhere(): Promise<void> {
  // Of a session that has ended already, the host says how to open the app, too.
  await fetch('/api/log-out', { method: 'POST', headers: callHeaders(), body: '{}' })
  sessionStorage.removeItem(sessionName)
  showHowToOpen()
}

/** Leaves the app for the host's page that says how to open it. */
export function showHowToOpen(): void {
  location.replace('/open')
}
