import { bridgeKey, type DesktopBridge } from '../../shared/channel-names.ts'
import type { EventMessage } from '../../shared/contract.ts'
import type { Answer } from '../../shared/envelope.ts'
import { type Transport, type TransportListener, versionPart } from './transport.ts'

/** The bridge that the installed app puts into its pages; undefined in a browser. */
export function findBridge(): DesktopBridge | undefined {
  return (window as { readonly [bridgeKey]?: DesktopBridge })[bridgeKey]
}

/** The installed app: calls and events by its bridge, files by a scheme of their own. */
export function createIpcTransport(bridge: DesktopBridge): Transport {
  return {
    async send(name, input) {
      // Plain JSON, as over HTTP: what is reactive cannot be sent.
      return (await bridge.invoke(name, JSON.parse(JSON.stringify(input)))) as Answer<unknown>
    },
    listen: (listener) => listenToBridge(bridge, listener),
    fileUrl: (assetId, version) => `archive://files/${assetId}${versionPart(version)}`,
    dragFile: (assetId) => bridge.startDrag(assetId),
    thumbnailUrl: (assetId, version) => `archive://thumbnails/${assetId}${versionPart(version)}`,
  }
}

function listenToBridge(bridge: DesktopBridge, listener: TransportListener): () => void {
  return bridge.subscribe((news) => {
    if (news.name !== 'hello') return listener.onEvent(news as EventMessage)
    listener.onLink('open')
    if (news.resync) listener.onResync()
  })
}
