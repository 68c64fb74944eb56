import { type EventName, stickyEventNames } from '../../shared/channel-names.ts'
import type { EventMessage } from '../../shared/contract.ts'
import type { HostLink } from './transport.ts'

/** What a stream of events tells. Plain JSON: it also goes from the worker to its pages. */
export type StreamNews =
  | { readonly kind: 'link'; readonly link: HostLink }
  | { readonly kind: 'resync' }
  | { readonly kind: 'event'; readonly message: EventMessage }

export type Hear = (news: StreamNews) => void

const stickyNames: ReadonlySet<EventName> = new Set(stickyEventNames)

/**
 * One stream for all who listen: `start` opens it for the first of them, and what that answered closes it after the last. Who
 * comes later is told how the link is, and where it is open, to fetch what it shows, and the states as they were told last.
 */
export function createEventHub(start: (hear: Hear) => () => void): (listener: Hear) => () => void {
  const listeners = new Set<Hear>()
  const states = new Map<EventName, StreamNews>()
  let link: HostLink | undefined
  let stop: (() => void) | undefined

  function hear(news: StreamNews): void {
    if (news.kind === 'link') {
      link = news.link
      states.clear()
    }
    if (news.kind === 'event' && stickyNames.has(news.message.name)) states.set(news.message.name, news)
    for (const listener of listeners) listener(news)
  }

  return (listener) => {
    listeners.add(listener)
    if (stop === undefined) stop = start(hear)
    else if (link !== undefined) {
      listener({ kind: 'link', link })
      if (link === 'open') for (const news of [{ kind: 'resync' } as const, ...states.values()]) listener(news)
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
