import type { Answer } from '../../shared/envelope.ts'
import { createEventHub, type StreamNews } from './event-hub.ts'
import { joinEventWorker } from './join-event-worker.ts'
import { type Transport, type TransportListener, versionPart } from './transport.ts'

/** The browser mode: calls by POST, events by server-sent events, files by their addresses. */
export function createHttpTransport(): Transport {
  const hear = createEventHub(joinEventWorker)
  return {
    async send(name, input) {
      const response = await fetch(`/api/call/${name}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(input),
        // What was typed last still goes out while the page is closed. Browsers allow that for 64 KB, which a draft stays below.
        keepalive: name === 'orders.saveDraft',
      })
      return (await response.json()) as Answer<unknown>
    },
    listen: (listener) => hear((news) => tell(listener, news)),
    fileUrl: (assetId, version) => `/files/${assetId}${versionPart(version)}`,
    dragFile: undefined,
    thumbnailUrl: (assetId, version) => `/thumbnails/${assetId}${versionPart(version)}`,
  }
}

function tell(listener: TransportListener, news: StreamNews): void {
  if (news.kind === 'event') listener.onEvent(news.message)
  else if (news.kind === 'resync') listener.onResync()
  else listener.onLink(news.link)
}
