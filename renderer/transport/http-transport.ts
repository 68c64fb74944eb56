import type { Answer } from '../../shared/envelope.ts'
import { callHeaders, joinSession, logOutEverywhere, sessionUrl } from './browser-session.ts'
import { createEventHub, type StreamMessage } from './event-hub.ts'
import { joinEventWorker } from './join-event-worker.ts'
import type { Transport, TransportListener } from './transport.ts'

/**
 * Transport of the browser mode: calls by POST, events by server-sent events, files by URL. Resolves to `undefined` if
 * this browser has no session.
 */
export async function openHttpTransport(): Promise<Transport | undefined> {
  if (!(await joinSession())) return undefined
  const subscribe = createEventHub(joinEventWorker)
  return {
    async send(name, input) {
      const response = await fetch(`/api/call/${name}`, {
        method: 'POST',
        headers: callHeaders(),
        body: JSON.stringify(input),
        // The last changes of a draft are sent even while the page closes. Browsers allow 64 KB, and a draft is
        // smaller.
        keepalive: name === 'orders.saveDraft',
      })
      return (await response.json()) as Answer<unknown>
    },
    listen: (listener) => subscribe((message) => dispatch(listener, message)),
    fileUrl: (assetId, version) => versionedUrl(`/files/${assetId}`, version),
    thumbnailUrl: (assetId, version) => versionedUrl(`/thumbnails/${assetId}`, version),
    downloadUrl: sessionUrl,
    earlierFileUrl: (assetId, hash) => sessionUrl(`/files/${assetId}/${hash}`),
    copiesUrl: (assetIds) => sessionUrl(`/copies/${assetIds.join('.')}.zip`),
    lastWrittenUrl: (kind) => sessionUrl(`/last-${kind}.zip`),
    dragFiles: undefined,
    copyImage: hasClipboard() ? copyImage : undefined,
    logOutEverywhere,
  }
}

/** Browsers have a clipboard for pictures on secure pages only; an office server is often reached without TLS. */
function hasClipboard(): boolean {
  return typeof navigator.clipboard?.write === 'function' && typeof ClipboardItem === 'function'
}

/** Browsers accept PNG only, and only while they handle the click: the picture itself may come later. */
async function copyImage(picture: Promise<Blob>): Promise<void> {
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })])
}

function versionedUrl(path: string, version: string | null): string {
  return version === null ? sessionUrl(path) : `${sessionUrl(path)}&v=${encodeURIComponent(version)}`
}

function dispatch(listener: TransportListener, message: StreamMessage): void {
  if (message.kind === 'event') listener.onEvent(message.event)
  else if (message.kind === 'resync') listener.onResync?.()
  else listener.onLink?.(message.link)
}
