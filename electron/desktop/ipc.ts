import * as electron from 'electron'
import {
  clipboard,
  ipcMain,
  type IpcMainEvent,
  type IpcMainInvokeEvent,
  nativeImage,
  type NativeImage,
  type WebContents,
} from 'electron'
import { join } from 'node:path'
import type { CallOutput } from '../../shared/contract/calls.ts'
import { type BridgeNews, ipcChannels } from '../../shared/contract/channel-names.ts'
import type { Answer } from '../../shared/envelope.ts'
import { productFolder } from '../app/static-files/page-files.ts'
import type { Api } from '../app/api/create-api.ts'
import type { Log } from '../engine/lib/ports.ts'
import { isOwnPage } from './origins.ts'

/** The stores of a page subscribe once each: a page with more subscriptions than this leaks them. */
const maxSubscriptions = 20

export interface IpcDeps {
  /** Resolves once the data folder is open: messages of the page wait for it. */
  readonly api: Promise<Api>
  /** Returns true for the contents of the app's window. */
  readonly isOwnWindow: (contents: WebContents) => boolean
  readonly log: Log
}

/**
 * Connects the app's page to the engine: calls with their answers, and events. Only messages from the top frame of the
 * app's own page are accepted. Messages of one page arrive in order and none is lost, so only a new page has to fetch
 * what it shows.
 */
export function serveIpc({ api, isOwnWindow, log }: IpcDeps): void {
  const subscriptions = new Map<WebContents, Map<number, () => void>>()

  function isRefused({ sender, senderFrame: frame }: IpcMainEvent | IpcMainInvokeEvent): boolean {
    // A page may send messages while it is being closed; nothing waits for their answers.
    if (frame === null || frame.isDestroyed() || sender.isDestroyed()) return true
    const from = { url: frame.url, isTop: frame.parent === null }
    if (isOwnPage(from, isOwnWindow(sender))) return false
    log.warn('A message to the bridge was refused: it is not from the page of the app')
    return true
  }

  function unsubscribeAll(contents: WebContents): void {
    for (const unsubscribe of subscriptions.get(contents)?.values() ?? []) unsubscribe()
    subscriptions.delete(contents)
  }

  function subscriptionsOf(contents: WebContents): Map<number, () => void> {
    const known = subscriptions.get(contents)
    if (known !== undefined) return known
    const created = new Map<number, () => void>()
    subscriptions.set(contents, created)
    // A page that is reloaded subscribes again.
    const end = () => unsubscribeAll(contents)
    contents.once('did-navigate', end)
    contents.once('render-process-gone', end)
    contents.once('destroyed', end)
    return created
  }

  ipcMain.handle(ipcChannels.call, async (event, name: unknown, input: unknown): Promise<Answer<unknown>> => {
    if (isRefused(event)) return refusal
    return (await api).call(typeof name === 'string' ? name : '', input)
  })
  ipcMain.on(ipcChannels.subscribe, (event, number: unknown) => {
    if (isRefused(event) || typeof number !== 'number') return
    const { sender } = event
    const own = subscriptionsOf(sender)
    if (own.has(number) || own.size >= maxSubscriptions) return
    const send = (news: BridgeNews) => {
      if (!sender.isDestroyed() && !sender.isCrashed()) sender.send(ipcChannels.news, number, news)
    }
    let isEnded = false
    let unsubscribe = () => {
      isEnded = true
    }
    own.set(number, () => unsubscribe())
    void api.then((opened) => {
      if (isEnded) return
      send({ name: 'hello', revision: opened.revision(), resync: true })
      unsubscribe = opened.subscribe(send)
    })
  })
  ipcMain.on(ipcChannels.unsubscribe, (event, number: unknown) => {
    if (isRefused(event) || typeof number !== 'number') return
    const own = subscriptions.get(event.sender)
    own?.get(number)?.()
    own?.delete(number)
  })
  ipcMain.handle(ipcChannels.copyImage, (event, bytes: unknown) => {
    if (isRefused(event)) throw new Error('Only the pages of the app may use the clipboard.')
    return copyImage(bytes)
  })
  ipcMain.on(ipcChannels.startDrag, (event, assetIds: unknown) => {
    if (isRefused(event)) return
    api
      .then((opened) => startDrag(opened, event.sender, assetIds))
      .catch((cause: unknown) => log.warn('A file could not be dragged', { cause }))
  })
}

const refusal: Answer<never> = {
  ok: false,
  error: { code: 'no-permission', message: 'Only the pages of the app may call the engine.' },
}

/**
 * Drags archived files out of the window. The contract parses `assetIds`; nothing happens if there are no such files.
 */
async function startDrag(api: Api, contents: WebContents, assetIds: unknown): Promise<void> {
  const answer = (await api.call('files.paths', { assetIds })) as Answer<CallOutput<'files.paths'>>
  if (!answer.ok || contents.isDestroyed()) return
  const icon = nativeImage.createFromPath(join(productFolder(), 'resources', 'icons', '64x64.png'))
  const { paths } = answer.value
  contents.startDrag({ file: paths[0] ?? '', files: paths, icon })
}

/** Larger than a photo of any camera; the page sends it as a JPEG. */
const maxImageBytes = 64 * 1024 * 1024

/** Throws if the bytes are not a picture. The page draws it, because only a browser applies a photo's rotation. */
async function copyImage(bytes: unknown): Promise<void> {
  if (!(bytes instanceof Uint8Array) || bytes.length > maxImageBytes) throw new Error('This is not a picture.')
  const image = nativeImage.createFromBuffer(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (image.isEmpty()) throw new Error('This is not a picture.')
  // Electron is replacing `writeImage` by the browsers' `write`; older versions have only the former.
  const older: { readonly writeImage?: (image: NativeImage) => void } = clipboard as object
  if (older.writeImage !== undefined) return older.writeImage(image)
  const png = new Blob([new Uint8Array(image.toPNG())], { type: 'image/png' })
  await clipboard.write([new electron.ClipboardItem({ 'image/png': png })])
}
