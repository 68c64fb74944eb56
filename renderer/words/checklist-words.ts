import type { GapReason } from '../../shared/domain.ts'
import type { ChecklistSummary } from '../../shared/views.ts'
import { looks, type StatusLook } from './status-words.ts'

/** Reasons that waiting alone does not end. */
const isTrouble: Readonly<Record<GapReason, boolean>> = {
  'not uploaded yet': false,
  'not downloaded yet': false,
  'not read yet': false,
  'not checked yet': false,
  'no photos listed yet': false,
  'no questions found': true,
  'link refused': true,
  'file invalid': true,
  'too large': true,
  gone: true,
  damaged: true,
  'report failed': true,
  unreachable: true,
  disk: true,
}

/** What one word says best of a checklist. `Waiting`: nothing is missing here, but the service is not done with it. */
export function lookOfChecklist(checklist: ChecklistSummary): StatusLook {
  if (checklist.problem !== null || checklist.gaps.some(({ reason }) => isTrouble[reason])) return looks.failed
  if (checklist.complete) return looks.complete
  if (checklist.gaps.some(({ reason }) => reason === 'not downloaded yet')) return looks.working
  return checklist.status === 'completed' ? looks.incomplete : looks.waiting
}
