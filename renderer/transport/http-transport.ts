import type { EventMessage, EventValue } from '../../shared/contract.ts'
import { eventNames, type EventName } from '../../shared/channel-names.ts'
import type { Answer } from '../../shared/envelope.ts'
import type { Transport, TransportListener } from './transport.ts'

/** The browser tries again by itself unless the server refused it; then this page does, so often. */
const reopenMs = 2_000

/** The browser mode: calls by POST, events by server-sent events, files by their addresses. */
export function createHttpTransport(): Transport {
  return {
    async send(name, input) {
      const response = await fetch(`/api/call/${name}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(input),
      })
      return (await response.json()) as Answer<unknown>
    },
    listen: listenToEvents,
    fileUrl: (assetId) => `/files/${assetId}`,
    thumbnailUrl: (assetId) => `/thumbnails/${assetId}`,
  }
}

function listenToEvents(listener: TransportListener): () => void {
  let source: EventSource
  let reopening: number | undefined

  function open(): void {
    source = new EventSource('/api/events')
    source.addEventListener('hello', (event) => {
      const { resync } = JSON.parse((event as MessageEvent<string>).data) as { resync: boolean }
      listener.onLink(true)
      if (resync) listener.onResync()
    })
    for (const name of eventNames) {
      source.addEventListener(name, (event) => {
        listener.onEvent(read(name, (event as MessageEvent<string>).data))
      })
    }
    source.addEventListener('error', () => {
      listener.onLink(false)
      if (source.readyState === EventSource.CLOSED) reopening = window.setTimeout(open, reopenMs)
    })
  }

  open()
  return () => {
    window.clearTimeout(reopening)
    source.close()
  }
}

function read<Name extends EventName>(name: Name, data: string): EventMessage<Name> {
  const { revision, value } = JSON.parse(data) as { revision: number; value: EventValue<Name> }
  return { name, revision, value }
}
