import { contextBridge, ipcRenderer } from 'electron'
import {
  bridgeKey,
  type BridgeNews,
  callNames,
  type DesktopBridge,
  ipcChannels,
} from '../../shared/contract/channel-names.ts'

const known: ReadonlySet<string> = new Set(callNames)
const listeners = new Map<number, (news: BridgeNews) => void>()
let lastNumber = 0

ipcRenderer.on(ipcChannels.news, (_event, number: number, news: BridgeNews) => listeners.get(number)?.(news))

const bridge: DesktopBridge = {
  invoke(name, input) {
    if (!known.has(name)) return Promise.reject(new Error('Solarchive has no call of this name.'))
    return ipcRenderer.invoke(ipcChannels.call, name, input)
  },
  subscribe(listener) {
    lastNumber += 1
    const number = lastNumber
    listeners.set(number, listener)
    ipcRenderer.send(ipcChannels.subscribe, number)
    return () => {
      if (listeners.delete(number)) ipcRenderer.send(ipcChannels.unsubscribe, number)
    }
  },
  startDrag: (assetIds) => ipcRenderer.send(ipcChannels.startDrag, assetIds),
  copyImage: (bytes) => ipcRenderer.invoke(ipcChannels.copyImage, bytes),
}

contextBridge.exposeInMainWorld(bridgeKey, bridge)
