import type { ChecklistState } from '../../../shared/domain.ts'
import type { LedgerChecklist } from './completeness.ts'

/**
 * Whether a checklist is not complete only because the field or the service is not done with it: whatever is there already is
 * in the archive. One that the service calls completed, has taken back or cannot be read waits for something else.
 */
export function isWaitingOnUpstream(checklist: LedgerChecklist, state: ChecklistState | undefined): boolean {
  if (state === undefined || state.complete || state.status === 'completed') return false
  if (checklist.upstreamGoneAt !== null || checklist.errorCode !== null) return false
  return state.gaps.every(({ reason }) => reason === 'not uploaded yet')
}
