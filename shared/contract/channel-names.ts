/** The names of all calls that a host answers; `calls.ts` has their shapes. No zod here: the preload imports this file. */
export const callNames = [
  'app.info',
  'setup.state',
  'setup.complete',
  'setup.useSample',
  'connection.test',
  'folders.choose',
  'archive.check',
  'archive.move',
  'archive.stopMove',
  'settings.get',
  'settings.save',
  'token.save',
  'diagnostics.bundle',
  'startAtLogin.get',
  'startAtLogin.set',
  'overview',
  'projects.list',
  'projects.names',
  'projects.get',
  'projects.add',
  'projects.preview',
  'projects.remove',
  'projects.discover',
  'checklists.get',
  'checklists.list',
  'sync.now',
  'sync.stop',
  'watch.state',
  'watch.pause',
  'watch.resume',
  'watch.nudge',
  'failures.list',
  'failures.retry',
  'verify.start',
  'verify.stop',
  'verify.findings',
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
  'activity.list',
  'photos.facts',
  'files.locate',
  'files.show',
  'files.open',
] as const
export type CallName = (typeof callNames)[number]

/** Events that tell a state as a whole: who subscribes is sent the present one first. */
export const stickyEventNames = [
  'setup-state',
  'settings-state',
  'watch-state',
  'sync-state',
  'verify-state',
  'move-state',
] as const

/** Every event that a host passes on. */
export const eventNames = [
  ...stickyEventNames,
  'sync-progress',
  'downloads',
  'project-synced',
  'sync-failure',
  'verify-progress',
  'move-progress',
  'finding',
  'orders-changed',
  'activity',
] as const
export type EventName = (typeof eventNames)[number]

/** How the installed app's pages reach its main process: what the preload puts into the page, and the channels behind it. */
export const bridgeKey = 'solarchive'
export const ipcChannels = {
  /** `(name, input)`, answered with the envelope. */
  call: 'solarchive:call',
  /** `(number)`: the page's own number of a subscription. */
  subscribe: 'solarchive:subscribe',
  unsubscribe: 'solarchive:unsubscribe',
  /** `(number, BridgeNews)` to the page. */
  news: 'solarchive:news',
  /** `(asset id)`: the file goes with the mouse. */
  startDrag: 'solarchive:start-drag',
} as const

/**
 * What a subscriber of the bridge is sent: `hello` first, which says whether what is shown has to be fetched again, then the
 * present states, then every event.
 */
export type BridgeNews =
  | { readonly name: 'hello'; readonly revision: number; readonly resync: boolean }
  | { readonly name: EventName; readonly revision: number; readonly value: unknown }

/** All that a page of the installed app is given. Values are plain JSON. */
export interface DesktopBridge {
  /** Rejects for a name that is no call's, and when the main process does not answer. */
  invoke(name: string, input: unknown): Promise<unknown>
  /** Answers how to end it. */
  subscribe(listener: (news: BridgeNews) => void): () => void
  /** Called while a drag starts: drags the archived file itself, to another program or folder. */
  startDrag(assetId: number): void
}
