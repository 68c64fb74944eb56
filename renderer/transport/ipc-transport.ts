import { bridgeKey, type DesktopBridge } from '../../shared/contract/channel-names.ts'
import type { EventMessage } from '../../shared/contract/events.ts'
import type { Answer } from '../../shared/envelope.ts'
import type { Transport, TransportListener } from './transport.ts'

/** Returns the bridge that the installed app adds to its pages, or `undefined` in a browser. */
export function findBridge(): DesktopBridge | undefined {
  return (window as { readonly [bridgeKey]?: DesktopBridge })[bridgeKey]
}

/** Transport of the installed app: calls and events over its bridge, files over the `archive:` scheme. */
export function createIpcTransport(bridge: DesktopBridge): Transport {
  return {
    async send(name, input) {
      // Plain JSON, as over HTTP: reactive objects cannot be cloned.
      return (await bridge.invoke(name, JSON.parse(JSON.stringify(input)))) as Answer<unknown>
    },
    listen: (listener) => listenToBridge(bridge, listener),
    fileUrl: (assetId, version) => `archive://files/${assetId}${versionPart(version)}`,
    thumbnailUrl: (assetId, version) => `archive://thumbnails/${assetId}${versionPart(version)}`,
    downloadUrl: (path) => path,
    earlierFileUrl: (assetId, hash) => `archive://files/${assetId}/${hash}`,
    copiesUrl: undefined,
    lastWrittenUrl: undefined,
    dragFiles: (assetIds) => bridge.startDrag([...assetIds]),
    copyImage: async (picture) => bridge.copyImage(new Uint8Array(await (await picture).arrayBuffer())),
    logOutEverywhere: undefined,
  }
}

/** The host ignores the version and serves the current file. */
function versionPart(version: string | null): string {
  return version === null ? '' : `?v=${encodeURIComponent(version)}`
}

function listenToBridge(bridge: DesktopBridge, listener: TransportListener): () => void {
  return bridge.subscribe((message) => {
    if (message.name !== 'hello') return listener.onEvent(message as EventMessage)
    listener.onLink?.('open')
    if (message.resync) listener.onResync?.()
  })
}
