import { ipcMain, type IpcMainEvent, type IpcMainInvokeEvent, type WebContents } from 'electron'
import { type BridgeNews, ipcChannels } from '../../../shared/channel-names.ts'
import type { Answer } from '../../../shared/envelope.ts'
import type { Bridge } from '../../app/api/create-api.ts'
import type { Log } from '../../engine/lib/ports.ts'
import { isOwnPage } from './is-own-page.ts'

/** The stores of a page subscribe once each; who wants more than this has lost count. */
const mostSubscriptions = 20

export interface BridgeServer {
  readonly bridge: Bridge
  /** Whether these are the contents of the app's window. */
  readonly isOwnWindow: (contents: WebContents) => boolean
  readonly startDrag: (contents: WebContents, assetId: unknown) => Promise<void>
  readonly log: Log
}

/**
 * Lets the app's page reach the engine: calls and their answers, events as they come. Each message is taken from the top frame
 * of the app's own page alone. Messages of one page arrive in order and none is lost, so that only a page that is new
 * has missed something.
 */
export function serveBridge({ bridge, isOwnWindow, startDrag, log }: BridgeServer): void {
  const subscriptions = new Map<WebContents, Map<number, () => void>>()

  function isRefused({ sender, senderFrame: frame }: IpcMainEvent | IpcMainInvokeEvent): boolean {
    // The last words of a page whose window is closing, or that was left: nobody waits for an answer.
    if (frame === null || frame.isDestroyed() || sender.isDestroyed()) return true
    const from = { url: frame.url, isTop: frame.parent === null }
    if (isOwnPage(from, isOwnWindow(sender))) return false
    log.warn('A message to the bridge was refused: it is not of the page of the app')
    return true
  }

  function forget(contents: WebContents): void {
    for (const unsubscribe of subscriptions.get(contents)?.values() ?? []) unsubscribe()
    subscriptions.delete(contents)
  }

  function subscriptionsOf(contents: WebContents): Map<number, () => void> {
    const known = subscriptions.get(contents)
    if (known !== undefined) return known
    const none = new Map<number, () => void>()
    subscriptions.set(contents, none)
    // A page that is loaded anew begins anew.
    const end = () => forget(contents)
    contents.once('did-navigate', end)
    contents.once('render-process-gone', end)
    contents.once('destroyed', end)
    return none
  }

  ipcMain.handle(ipcChannels.call, (event, name: unknown, input: unknown): Promise<Answer<unknown>> => {
    if (isRefused(event)) return Promise.resolve(refusal)
    return bridge.call(typeof name === 'string' ? name : '', input)
  })
  ipcMain.on(ipcChannels.subscribe, (event, number: unknown) => {
    if (isRefused(event) || typeof number !== 'number') return
    const { sender } = event
    const mine = subscriptionsOf(sender)
    if (mine.has(number) || mine.size >= mostSubscriptions) return
    const send = (news: BridgeNews) => {
      if (!sender.isDestroyed() && !sender.isCrashed()) sender.send(ipcChannels.news, number, news)
    }
    send({ name: 'hello', revision: bridge.revision(), resync: true })
    mine.set(number, bridge.subscribe(send))
  })
  ipcMain.on(ipcChannels.unsubscribe, (event, number: unknown) => {
    if (isRefused(event) || typeof number !== 'number') return
    const mine = subscriptions.get(event.sender)
    mine?.get(number)?.()
    mine?.delete(number)
  })
  ipcMain.on(ipcChannels.startDrag, (event, assetId: unknown) => {
    if (isRefused(event)) return
    startDrag(event.sender, assetId).catch((cause: unknown) => log.warn('A file could not be dragged', { cause }))
  })
}

const refusal: Answer<never> = {
  ok: false,
  error: { code: 'no-permission', message: 'Only the pages of the app may ask for this.' },
}
