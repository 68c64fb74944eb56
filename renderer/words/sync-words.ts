import type { SyncState } from '../../shared/background-work.ts'
import { countOf } from '../format/format-numbers.ts'
import { formatAgo } from '../format/format-times.ts'

/** How the last sync that a person started ended, in a line; undefined when there was none since the start. */
export function lastSyncLine(state: SyncState, nowMs: number): string | undefined {
  if (state.kind === 'running' || state.last === null) return undefined
  const when = `Last sync you started: ${formatAgo(state.last.endedAt, nowMs)}`
  if (!state.last.ok) {
    return state.last.error.code === 'cancelled' ? `${when}, stopped.` : `${when}. ${state.last.error.message}`
  }
  const { filesDownloaded, problems } = state.last.report
  const brought = filesDownloaded === 0 ? 'nothing new' : `${countOf(filesDownloaded, 'new file')}`
  return problems === 0 ? `${when}, ${brought}.` : `${when}, ${brought}, ${countOf(problems, 'problem')}.`
}
