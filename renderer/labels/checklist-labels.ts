import { capitalized, countOf, formatCount } from '../../shared/format.ts'
import type { Gap, GapReason } from '../../shared/domain.ts'
import { isOutage } from '../../shared/error-policy.ts'
import { followsCount, gapNouns, gapShort } from '../../shared/status-text.ts'
import type { ChecklistSummary, PhotoView } from '../../shared/views.ts'
import { statusPresentations, type StatePresentation } from './status-labels.ts'

/** True for reasons that waiting alone does not resolve. */
const needsAttention: Readonly<Record<GapReason, boolean>> = {
  'not uploaded yet': false,
  'not downloaded yet': false,
  'not read yet': false,
  'not checked yet': false,
  'no photos listed yet': false,
  'no questions found': false,
  'link refused': true,
  'file invalid': true,
  'too large': true,
  gone: true,
  damaged: true,
  'report failed': true,
  unreachable: true,
  disk: true,
}

/** True for reasons of files that failed to download, and may pass by themselves. */
const isRetried: Readonly<Partial<Record<GapReason, boolean>>> = {
  'link refused': true,
  'file invalid': true,
  unreachable: true,
}

/** Returns the most important state of a checklist. `Waiting`: nothing is missing here, the service is not done. */
export function checklistPresentation(checklist: ChecklistSummary): StatePresentation {
  const { problem, gaps, isRetrying } = checklist
  const hasFailed = gaps.some(({ reason }) => needsAttention[reason] && !(isRetrying && isRetried[reason]))
  if ((problem !== null && !isRetrying) || hasFailed) return statusPresentations.failed
  if (isRetrying) return statusPresentations.retrying
  if (checklist.complete) return statusPresentations.complete
  if (checklist.gaps.some(({ reason }) => reason === 'not downloaded yet')) return statusPresentations.working
  return checklist.status === 'completed' ? statusPresentations.incomplete : statusPresentations.waiting
}

type ChecklistProblem = Pick<ChecklistSummary, 'problem' | 'gaps' | 'isRead' | 'archivedFiles'>

/**
 * Returns why a checklist needs attention, which of its files are archived anyway, and what to do. An outage affects
 * every checklist: it is mentioned only if nothing is wrong with the checklist itself.
 */
export function attentionSentence(checklist: ChecklistProblem): string {
  const { problem, gaps } = checklist
  if (problem === null) return reportSentence(checklist)
  if (!isOutage(problem.code)) return problem.message
  if (gaps.some(({ reason }) => reason === 'report failed')) return reportSentence(checklist)
  const own = gaps.filter(isOwnProblem)
  return own.length === 0 ? problem.message : `${gapsSummary(own)}.`
}

/** Returns why a checklist is not complete, or '' if it is. Treats an outage as `attentionSentence` does. */
export function gapsSentence({ problem, gaps }: Pick<ChecklistSummary, 'problem' | 'gaps'>): string {
  if (problem === null || (isOutage(problem.code) && gaps.some(isOwnProblem))) return gapsSummary(gaps)
  return problem.message
}

/** True for gaps that an outage does not explain. */
function isOwnProblem({ reason }: Gap): boolean {
  return needsAttention[reason] && reason !== 'unreachable'
}

function reportSentence(checklist: ChecklistProblem): string {
  const parts = [
    'The service could not create the PDF report.',
    archivedSentence(checklist),
    'Ask the service to create the report again.',
  ]
  return parts.filter((part) => part !== '').join(' ')
}

/** Says that photos are archived only if the report is known to be the only missing file. */
function archivedSentence({ gaps, isRead, archivedFiles }: ChecklistProblem): string {
  const others = gaps.filter(({ kind }) => kind !== 'report')
  const missing = others.reduce((sum, gap) => sum + missingIn(gap), 0)
  if (missing > 0) return `${formatCount(missing)} of its other files ${missing === 1 ? 'is' : 'are'} not archived yet.`
  if (!isRead || others.length > 0) return 'Its photos are archived as they arrive.'
  return archivedFiles === 0 ? '' : 'Its photos are archived.'
}

/** Returns why a file that was archived before cannot be shown, and what to do. */
export function absenceSentence(absence: 'damaged' | 'gone'): string {
  return absence === 'damaged'
    ? 'Missing or changed on the disk. “Verify and repair” downloads it again.'
    : 'Missing or changed on the disk, and the service no longer has it. If you have a backup, look there.'
}

/** Returns how many files of a gap are missing; 0 if all files are there, but something is unconfirmed. */
export function missingIn(gap: Gap): number {
  return Math.max(0, gap.expected - gap.archived)
}

/**
 * Returns the photos and reports of a project or a checklist, as people count them, without the thumbnails among its
 * files, which are in `previews` alone.
 */
export function peopleCounts(counts: Pick<ChecklistSummary, 'archivedFiles' | 'expectedFiles' | 'previews'>) {
  const { archivedFiles, expectedFiles, previews } = counts
  return { archived: archivedFiles - previews.archived, expected: expectedFiles - previews.expected, previews }
}

/** Returns what is shown instead of a checklist's questions if it has none with photos. */
export function noQuestionsTexts({ status, isRead, goneUpstream }: ChecklistSummary): { title: string; text: string } {
  if (status === 'draft' || status === 'formSubmitted') {
    const text = 'They appear here once the service lists them; a checklist that is being filled in has none.'
    return { title: 'No questions with photos yet', text }
  }
  if (isRead || goneUpstream) {
    return { title: 'No questions with photos', text: 'The service lists none for this checklist.' }
  }
  return {
    title: 'Not checked yet',
    text: 'Its questions and photos appear here once Solarchive could read it from the service.',
  }
}

/** Returns all gaps in one line: "12 photos waiting to be downloaded, 2 photos not uploaded yet". */
export function gapsSummary(gaps: readonly Gap[]): string {
  const [ofReports, ofFiles] = [gaps.filter(isPendingReport), gaps.filter((gap) => !isPendingReport(gap))]
  const files = [...Map.groupBy(ofFiles, ({ reason }) => reason)].map(([reason, all]) => {
    // Thumbnails come with their photos: they are mentioned only by themselves.
    const others = all.filter(({ kind }) => kind !== 'thumbnails')
    const lines = others.length > 0 ? others : all
    const missing = lines.reduce((sum, gap) => sum + missingIn(gap), 0)
    const isCounted = missing > 0 && followsCount(reason)
    return isCounted ? `${countOf(missing, nounOf(lines))} ${gapShort(reason)}` : capitalized(gapShort(reason))
  })
  return [...(ofReports.length > 0 ? ['Report not ready yet'] : []), ...files].join(', ')
}

function nounOf([first, ...others]: readonly Gap[]): string {
  return first === undefined || others.some(({ kind }) => kind !== first.kind) ? 'file' : gapNouns[first.kind]
}

/** The service creates reports itself: nobody on the site uploads them. */
function isPendingReport({ kind, reason }: Gap): boolean {
  return kind === 'report' && reason === 'not uploaded yet'
}

/** Returns how many archived photos could not be compared with or replaced by the service's version, by reason. */
export function olderVersions(photos: readonly Pick<PhotoView, 'archived' | 'problem'>[]): string[] {
  const reasons = photos.flatMap(({ archived, problem }) => (archived && problem !== null ? [problem.message] : []))
  return [...Map.groupBy(reasons, (reason) => reason)].map(
    ([reason, { length }]) => `${countOf(length, 'photo')}: a newer version could not be downloaded. ${reason}`,
  )
}
