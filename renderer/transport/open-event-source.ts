import { eventNames, type EventName } from '../../shared/contract/channel-names.ts'
import type { EventMessage } from '../../shared/contract/events.ts'
import { callHeaders, joinSession, sessionUrl } from './browser-session.ts'
import type { StreamListener } from './event-hub.ts'
import type { HostLink } from './transport.ts'

/** Delay before a refused stream is opened again. Of broken connections, browsers reopen the stream themselves. */
const reopenMs = 2_000

/** Opens the server's event stream, and reopens it whenever it breaks. Returns a function that closes it. */
export function openEventSource(notify: StreamListener): () => void {
  let source: EventSource | undefined
  let reopening: ReturnType<typeof setTimeout> | undefined
  let link: HostLink | undefined
  let isClosed = false

  function setLink(now: HostLink): void {
    link = now
    notify({ kind: 'link', link })
  }

  function open(): void {
    if (isClosed) return
    const mine = (source = new EventSource(sessionUrl('/api/events')))
    mine.addEventListener('hello', (event) => {
      const { resync } = JSON.parse((event as MessageEvent<string>).data) as { resync: boolean }
      setLink('open')
      if (resync) notify({ kind: 'resync' })
    })
    for (const name of eventNames) {
      mine.addEventListener(name, (event) => {
        notify({ kind: 'event', event: read(name, (event as MessageEvent<string>).data) })
      })
    }
    mine.addEventListener('error', () => {
      if (mine.readyState !== EventSource.CLOSED) return setLink('lost')
      reopening = setTimeout(open, reopenMs)
      // A refused link stays refused until the stream opens or the host stops answering.
      if (link !== 'refused') {
        void isRejected().then((refused) => {
          if (mine === source) setLink(refused ? 'refused' : 'lost')
        })
      }
    })
  }

  // The worker has no keys until a tab sent them.
  void joinSession().then(open)
  return () => {
    isClosed = true
    clearTimeout(reopening)
    source?.close()
    source = undefined
  }
}

/** A failed stream does not reveal its status code; a call does. */
async function isRejected(): Promise<boolean> {
  const call = { method: 'POST', headers: callHeaders(), body: '{}' }
  const response = await fetch('/api/call/watch.state', call).catch(() => undefined)
  return response?.status === 401
}

function read(name: EventName, data: string): EventMessage {
  return { name, ...(JSON.parse(data) as object) } as EventMessage
}
