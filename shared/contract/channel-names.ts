// No zod here: the preload imports this file.

/** Events that carry a whole state. Each subscriber is sent the current states first. */
export const stickyEventNames = [
  'setup-state',
  'settings-state',
  'watch-state',
  'sync-state',
  'verify-state',
  'move-state',
  'evidence-state',
  'export-state',
  'packet-state',
] as const

/** The names of all events that a host forwards. */
export const eventNames = [
  ...stickyEventNames,
  'sync-progress',
  'downloads',
  'project-synced',
  'sync-failure',
  'verify-progress',
  'move-progress',
  'export-progress',
  'packet-progress',
  'finding',
  'orders-changed',
  'files-read',
  'activity',
] as const
export type EventName = (typeof eventNames)[number]

/** Global that the preload adds to pages of the installed app, and the IPC channels behind it. */
export const bridgeKey = 'solarchive'
export const ipcChannels = {
  /** `(name, input)`; resolves to the envelope. */
  call: 'solarchive:call',
  /** `(number)`: the number that the page chose for a subscription. */
  subscribe: 'solarchive:subscribe',
  unsubscribe: 'solarchive:unsubscribe',
  /** `(number, BridgeNews)` to the page. */
  news: 'solarchive:news',
  /** `(asset IDs)`: starts dragging the files. */
  startDrag: 'solarchive:start-drag',
  /** `(bytes)`: puts a picture on the clipboard. */
  copyImage: 'solarchive:copy-image',
} as const

/**
 * Message to a subscriber: `hello` first, whose `resync` has the page fetch everything again, then the current states,
 * then every event.
 */
export type BridgeNews =
  | { readonly name: 'hello'; readonly revision: number; readonly resync: boolean }
  | { readonly name: EventName; readonly revision: number; readonly value: unknown }

/** Functions that the preload exposes to a page of the installed app. Values are plain JSON. */
export interface DesktopBridge {
  /** Resolves to the envelope. Rejects if the main process does not answer. */
  invoke(name: string, input: unknown): Promise<unknown>
  /** Returns a function that ends the subscription. */
  subscribe(listener: (news: BridgeNews) => void): () => void
  /** Call while a drag starts: drags the archived files to another program or folder. */
  startDrag(assetIds: readonly number[]): void
  /** Puts a picture on the clipboard. `bytes` is a JPEG or PNG file. Rejects if it is not. */
  copyImage(bytes: Uint8Array): Promise<void>
}
