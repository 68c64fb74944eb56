import type { EventMessage, EventValue } from '../../shared/contract/events.ts'

/** State of the engine as the tray, the taskbar, and the menus show it. */
export interface AppStatus {
  /** `undefined` until the engine sent it. */
  readonly setUp: EventValue<'setup-state'> | undefined
  readonly watch: EventValue<'watch-state'>
  readonly sync: EventValue<'sync-state'>
  readonly verify: EventValue<'verify-state'>
  readonly move: EventValue<'move-state'>
  readonly evidence: Pick<EventValue<'evidence-state'>, 'isStamping'>
  readonly export: EventValue<'export-state'>
  readonly packet: EventValue<'packet-state'>
  readonly syncProgress: EventValue<'sync-progress'> | undefined
  readonly verifyProgress: EventValue<'verify-progress'> | undefined
  readonly moveProgress: EventValue<'move-progress'> | undefined
  /** Number of files, checklists, and projects that need attention, without orders, time stamps, and hooks. */
  readonly attention: number
}

export const unknownStatus: AppStatus = {
  setUp: undefined,
  watch: { kind: 'stopped' },
  sync: { kind: 'idle', last: null },
  verify: { kind: 'idle', last: null },
  move: { kind: 'idle', last: null, unfinished: null },
  evidence: { isStamping: false },
  export: { kind: 'idle', last: null },
  packet: { kind: 'idle', last: null },
  syncProgress: undefined,
  verifyProgress: undefined,
  moveProgress: undefined,
  attention: 0,
}

/** Returns true while files are being looked for or downloaded. */
export function isSyncing({ watch, sync }: Pick<AppStatus, 'watch' | 'sync'>): boolean {
  return sync.kind === 'running' || watch.kind === 'syncing'
}

/** Returns true if a restart would interrupt no sync, verify, move of the archive, time stamp, export, or packet. */
export function isIdle(status: AppStatus): boolean {
  const { verify, move, evidence, export: exporting, packet } = status
  return (
    !isSyncing(status) && !evidence.isStamping && [verify, move, exporting, packet].every(({ kind }) => kind === 'idle')
  )
}

/** Returns the status after an event. Progress is dropped once its activity has ended. */
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
  'evidence-state': 'evidence',
  'export-state': 'export',
  'packet-state': 'packet',
  'sync-progress': 'syncProgress',
  'verify-progress': 'verifyProgress',
  'move-progress': 'moveProgress',
}

/**
 * Progress on the taskbar or the dock: a fraction from 0 to 1, `unknown` for a total not known yet, or `null` for none.
 */
export type ShownProgress = number | 'unknown' | null

/** Returns the progress to show. Polls run every minute and mostly find nothing: only downloads are worth a bar. */
export function progressOf(status: AppStatus): ShownProgress {
  const { move, moveProgress, verify, verifyProgress, sync, syncProgress } = status
  if (move.kind === 'running') return fraction(moveProgress?.bytesDone, moveProgress?.bytesTotal) ?? 'unknown'
  if (isSyncing(status)) {
    const shown = syncProgress === undefined ? undefined : syncFraction(syncProgress)
    // A user who started a sync wants to see that it has begun.
    return shown ?? (sync.kind === 'running' ? 'unknown' : null)
  }
  if (verify.kind !== 'running') return null
  return fraction(verifyProgress?.filesDone, verifyProgress?.filesTotal) ?? 'unknown'
}

/** As long as projects are read, nobody knows how many files there are. */
function syncFraction(progress: EventValue<'sync-progress'>): number | undefined {
  const { projectsRead, projectsTotal, filesDone, filesFailed, filesTotal } = progress
  return projectsRead < projectsTotal
    ? fraction(projectsRead, projectsTotal)
    : fraction(filesDone + filesFailed, filesTotal)
}

function fraction(done: number | undefined, total: number | undefined): number | undefined {
  if (done === undefined || total === undefined || total === 0) return undefined
  return Math.min(1, Math.max(0, done / total))
}
