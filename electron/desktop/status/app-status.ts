import type { EventMessage, EventValue } from '../../../shared/contract.ts'

/** What the tray, the taskbar and the menus tell of: the states of the engine, and how much there is. */
export interface AppStatus {
  /** Undefined until it is told. */
  readonly setUp: EventValue<'setup-state'> | undefined
  readonly watch: EventValue<'watch-state'>
  readonly sync: EventValue<'sync-state'>
  readonly verify: EventValue<'verify-state'>
  readonly move: EventValue<'move-state'>
  readonly syncProgress: EventValue<'sync-progress'> | undefined
  readonly verifyProgress: EventValue<'verify-progress'> | undefined
  readonly moveProgress: EventValue<'move-progress'> | undefined
  /** Files, checklists and projects that need attention, as the app counts them. */
  readonly attention: number
}

export const unknownStatus: AppStatus = {
  setUp: undefined,
  watch: { kind: 'stopped' },
  sync: { kind: 'idle', last: null },
  verify: { kind: 'idle', last: null },
  move: { kind: 'idle', last: null, unfinished: null },
  ...{ syncProgress: undefined, verifyProgress: undefined, moveProgress: undefined, attention: 0 },
}

/** Whether files are being looked for or downloaded now. */
export function isSyncing({ watch, sync }: Pick<AppStatus, 'watch' | 'sync'>): boolean {
  return sync.kind === 'running' || watch.kind === 'syncing'
}

/** The status after an event. What progress was told of is forgotten with its end. */
export function afterEvent(before: AppStatus, { name, value }: EventMessage): AppStatus {
  const field = fieldOf[name]
  const after: AppStatus = field === undefined ? before : { ...before, [field]: value }
  return {
    ...after,
    syncProgress: isSyncing(after) ? after.syncProgress : undefined,
    verifyProgress: after.verify.kind === 'running' ? after.verifyProgress : undefined,
    moveProgress: after.move.kind === 'running' ? after.moveProgress : undefined,
  }
}

const fieldOf: { readonly [Name in EventMessage['name']]?: keyof AppStatus } = {
  'setup-state': 'setUp',
  'watch-state': 'watch',
  'sync-state': 'sync',
  'verify-state': 'verify',
  'move-state': 'move',
  'sync-progress': 'syncProgress',
  'verify-progress': 'verifyProgress',
  'move-progress': 'moveProgress',
}
