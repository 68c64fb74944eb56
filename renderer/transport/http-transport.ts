import type { Answer } from '../../shared/envelope.ts'
import { createEventHub, type StreamMessage } from './event-hub.ts'
import { joinEventWorker } from './join-event-worker.ts'
import { type Transport, type TransportListener, versionPart } from './transport.ts'

/** Transport of the browser mode: calls by POST, events by server-sent events, files by URL. */
export function createHttpTransport(): Transport {
  const subscribe = createEventHub(joinEventWorker)
  return {
    async send(name, input) {
      const response = await fetch(`/api/call/${name}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(input),
        // The last changes of a draft are sent even while the page closes. Browsers allow 64 KB, and a draft is
        // smaller.
        keepalive: name === 'orders.saveDraft',
      })
      return (await response.json()) as Answer<unknown>
    },
    listen: (listener) => subscribe((message) => dispatch(listener, message)),
    fileUrl: (assetId, version) => `/files/${assetId}${versionPart(version)}`,
    dragFile: undefined,
    thumbnailUrl: (assetId, version) => `/thumbnails/${assetId}${versionPart(version)}`,
  }
}

function dispatch(listener: TransportListener, message: StreamMessage): void {
  if (message.kind === 'event') listener.onEvent(message.event)
  else if (message.kind === 'resync') listener.onResync()
  else listener.onLink(message.link)
}
