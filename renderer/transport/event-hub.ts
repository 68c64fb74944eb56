import { type EventName, stickyEventNames } from '../../shared/contract/channel-names.ts'
import type { EventMessage } from '../../shared/contract/events.ts'
import type { HostLink } from './transport.ts'

/** Message of an event stream. Plain JSON: the worker also posts it to its pages. */
export type StreamMessage =
  | { readonly kind: 'link'; readonly link: HostLink }
  | { readonly kind: 'resync' }
  | { readonly kind: 'event'; readonly event: EventMessage }

export type StreamListener = (message: StreamMessage) => void

const stickyNames: ReadonlySet<EventName> = new Set(stickyEventNames)

/**
 * Shares one stream among all listeners: `start` opens it for the first one and returns a function that closes it after
 * the last. A late listener first receives the state of the connection and, if it is open, a resync and the latest
 * state events.
 */
export function createEventHub(
  start: (notify: StreamListener) => () => void,
): (listener: StreamListener) => () => void {
  const listeners = new Set<StreamListener>()
  const states = new Map<EventName, StreamMessage>()
  let link: HostLink | undefined
  let stop: (() => void) | undefined

  function notify(message: StreamMessage): void {
    if (message.kind === 'link') {
      link = message.link
      states.clear()
    }
    if (message.kind === 'event' && stickyNames.has(message.event.name)) states.set(message.event.name, message)
    for (const listener of listeners) listener(message)
  }

  return (listener) => {
    listeners.add(listener)
    if (stop === undefined) stop = start(notify)
    else if (link !== undefined) {
      listener({ kind: 'link', link })
      if (link === 'open') for (const message of [{ kind: 'resync' } as const, ...states.values()]) listener(message)
    }
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0) return
      stop?.()
      stop = undefined
      link = undefined
      states.clear()
    }
  }
}
