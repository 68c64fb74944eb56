import type { Gap, GapReason } from '../../shared/domain.ts'
import { isOutage } from '../../shared/error-policy.ts'
import type { ChecklistSummary } from '../../shared/views.ts'
import { formatCount } from './format-numbers.ts'
import { gapsSummary, missingIn } from './gap-labels.ts'
import { looks, type StatusLook } from './status-labels.ts'

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

type TroubledChecklist = Pick<ChecklistSummary, 'problem' | 'gaps' | 'isRead' | 'archivedFiles'>

/**
 * Why a checklist of the filter `attention` needs attention, what is archived of it all the same, and what to do. A service that
 * cannot be reached is told for all of them: it stands here only where nothing is wrong with the checklist itself.
 */
export function troubleSentence(checklist: TroubledChecklist): string {
  const { problem, gaps } = checklist
  if (problem === null) return reportSentence(checklist)
  if (!isOutage(problem.code)) return problem.message
  if (gaps.some(({ reason }) => reason === 'report failed')) return reportSentence(checklist)
  const own = gaps.filter(isOwnTrouble)
  return own.length === 0 ? problem.message : `${gapsSummary(own)}.`
}

/** Why a checklist is not complete, in a row of its project; empty where it is. An outage stands here as in `troubleSentence`. */
export function lackSentence({ problem, gaps }: Pick<ChecklistSummary, 'problem' | 'gaps'>): string {
  if (problem === null || (isOutage(problem.code) && gaps.some(isOwnTrouble))) return gapsSummary(gaps)
  return problem.message
}

/** Also while the service answers. */
function isOwnTrouble({ reason }: Gap): boolean {
  return isTrouble[reason] && reason !== 'unreachable'
}

function reportSentence(checklist: TroubledChecklist): string {
  const parts = [
    'The service could not make the PDF report.',
    archivedSentence(checklist),
    'Ask the service to make the report again.',
  ]
  return parts.filter((part) => part !== '').join(' ')
}

/** Photos are called archived only where it is known that nothing but the report is missing. */
function archivedSentence({ gaps, isRead, archivedFiles }: TroubledChecklist): string {
  const others = gaps.filter(({ kind }) => kind !== 'report')
  const missing = others.reduce((sum, gap) => sum + missingIn(gap), 0)
  if (missing > 0) return `${formatCount(missing)} of its other files ${missing === 1 ? 'is' : 'are'} not archived yet.`
  if (!isRead || others.length > 0) return 'Its photos are archived as they come.'
  return archivedFiles === 0 ? '' : 'Its photos are archived.'
}
