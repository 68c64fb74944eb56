/**
 * The names of all calls that a host answers; `calls.ts` has their shapes. No zod here: the preload imports this file.
 */
export const callNames = [
  'app.info',
  'setup.state',
  'setup.complete',
  'setup.useSample',
  'owner.takeOver',
  'connection.test',
  'folders.choose',
  'menu.show',
  'archive.check',
  'archive.size',
  'archive.move',
  'archive.stopMove',
  'settings.get',
  'settings.save',
  'token.save',
  'diagnostics.bundle',
  'startAtLogin.get',
  'startAtLogin.set',
  'overview',
  'attention.groups',
  'attention.projects',
  'projects.list',
  'projects.names',
  'projects.get',
  'projects.add',
  'projects.preview',
  'projects.remove',
  'projects.discover',
  'checklists.get',
  'checklists.list',
  'hints.checklist',
  'hints.list',
  'sync.now',
  'sync.stop',
  'watch.state',
  'watch.pause',
  'watch.resume',
  'watch.recheck',
  'failures.list',
  'failures.retry',
  'verify.start',
  'verify.stop',
  'verify.findings',
  'evidence.state',
  'evidence.stampNow',
  'hooks.list',
  'hooks.save',
  'hooks.deliveries',
  'hooks.failing',
  'hooks.repeat',
  'orders.list',
  'orders.get',
  'orders.create',
  'orders.saveDraft',
  'orders.discard',
  'orders.review',
  'orders.place',
  'orders.check',
  'orders.settle',
  'orders.modules',
  'orders.refresh',
  'presets.list',
  'presets.save',
  'presets.remove',
  'batches.preview',
  'batches.create',
  'batches.list',
  'batches.get',
  'batches.review',
  'batches.start',
  'batches.stop',
  'batches.result',
  'export.preview',
  'export.show',
  'export.start',
  'export.stop',
  'packets.templates',
  'packets.saveTemplate',
  'packets.removeTemplate',
  'packets.preview',
  'packets.previewNames',
  'packets.correct',
  'packets.show',
  'packets.start',
  'packets.stop',
  'activity.list',
  'search',
  'photos.facts',
  'photos.places',
  'photos.words',
  'files.locate',
  'files.show',
  'files.open',
  'files.paths',
  'files.saveCopies',
  'files.saveAs',
  'files.versions',
] as const
export type CallName = (typeof callNames)[number]

/**
 * The calls that change neither data folder nor archive, and that an app answers while another process owns the data
 * folder. All others fail with `data-folder-locked` then, except `owner.takeOver`.
 */
export const readingCalls = [
  'app.info',
  'setup.state',
  'folders.choose',
  'menu.show',
  'settings.get',
  'diagnostics.bundle',
  'startAtLogin.get',
  'overview',
  'attention.groups',
  'attention.projects',
  'projects.list',
  'projects.names',
  'projects.get',
  'checklists.get',
  'checklists.list',
  'hints.checklist',
  'hints.list',
  'watch.state',
  'failures.list',
  'verify.findings',
  'evidence.state',
  'hooks.list',
  'hooks.deliveries',
  'hooks.failing',
  'orders.list',
  'orders.get',
  'presets.list',
  'batches.list',
  'batches.get',
  'batches.result',
  'export.preview',
  'export.show',
  'export.start',
  'export.stop',
  'packets.templates',
  'packets.preview',
  'packets.previewNames',
  'packets.show',
  'packets.start',
  'packets.stop',
  'activity.list',
  'search',
  'photos.facts',
  'photos.places',
  'photos.words',
  'files.locate',
  'files.show',
  'files.open',
  'files.paths',
  'files.saveCopies',
  'files.saveAs',
  'files.versions',
] as const satisfies readonly CallName[]

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
  /** Rejects for an unknown call name, and if the main process does not answer. */
  invoke(name: string, input: unknown): Promise<unknown>
  /** Returns a function that ends the subscription. */
  subscribe(listener: (news: BridgeNews) => void): () => void
  /** Call while a drag starts: drags the archived files to another program or folder. */
  startDrag(assetIds: readonly number[]): void
  /** Puts a picture on the clipboard. `bytes` is a JPEG or PNG file. Rejects if it is not. */
  copyImage(bytes: Uint8Array): Promise<void>
}
