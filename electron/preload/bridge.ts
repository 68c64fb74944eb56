import { contextBridge, ipcRenderer } from 'electron'
import { bridgeKey, type BridgeNews, type DesktopBridge, ipcChannels } from '../../shared/contract/channel-names.ts'

const listeners = new Map<number, (news: BridgeNews) => void>()
let lastNumber = 0

ipcRenderer.on(ipcChannels.news, (_event, number: number, news: BridgeNews) => listeners.get(number)?.(news))

const bridge: DesktopBridge = {
  invoke: (name, input) => ipcRenderer.invoke(ipcChannels.call, name, input),
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
