import { isSyncing, type AppStatus } from './app-status.ts'

/** Of the taskbar or the dock: a part from 0 to 1, or that it is not known how much there is. Null: none is shown. */
export type ShownProgress = number | 'unknown' | null

/** Looks for changes come every minute and mostly bring nothing: only files that are downloaded are worth a bar. */
export function progressOf(status: AppStatus): ShownProgress {
  const { move, moveProgress, verify, verifyProgress, sync, syncProgress } = status
  if (move.kind === 'running') return part(moveProgress?.bytesDone, moveProgress?.bytesTotal) ?? 'unknown'
  if (isSyncing(status)) {
    const done = syncProgress && syncProgress.filesDone + syncProgress.filesFailed
    const shown = part(done, syncProgress?.filesTotal)
    // Whoever asked for it wants to see that it has begun.
    return shown ?? (sync.kind === 'running' ? 'unknown' : null)
  }
  return verify.kind === 'running' ? (part(verifyProgress?.filesDone, verifyProgress?.filesTotal) ?? 'unknown') : null
}

function part(done: number | undefined, total: number | undefined): number | undefined {
  if (done === undefined || total === undefined || total === 0) return undefined
  return Math.min(1, Math.max(0, done / total))
}
