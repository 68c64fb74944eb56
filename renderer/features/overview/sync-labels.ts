import type { SyncState } from '../../../shared/background-work.ts'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import { countOf } from '../../labels/format-numbers.ts'
import { formatAgo } from '../../labels/format-times.ts'

/** What is known now of what the last sync ended with. */
export interface SinceLastSync {
  /** What keeps everything from going on is told whole elsewhere. */
  readonly blockedBy: ErrorCode | undefined
  /** Nothing needs attention any more. */
  readonly isQuiet: boolean
}

/** How the last sync that a person started ended, in a line; undefined when there was none since the start. */
export function lastSyncLine(state: SyncState, since: SinceLastSync, nowMs: number): string | undefined {
  if (state.kind === 'running' || state.last === null) return undefined
  const when = `Last sync you started: ${formatAgo(state.last.endedAt, nowMs)}`
  if (!state.last.ok) {
    const { code, message } = state.last.error
    if (code === 'cancelled') return `${when}, stopped.`
    return code === since.blockedBy ? `${when}. It could not begin.` : `${when}. ${message}`
  }
  const { filesDownloaded, problems } = state.last.report
  const brought = filesDownloaded === 0 ? 'nothing new' : `${countOf(filesDownloaded, 'new file')}`
  if (problems === 0) return `${when}, ${brought}.`
  return `${when}, ${brought}, ${countOf(problems, 'problem')}${since.isQuiet ? ', solved since' : ''}.`
}
