import { countOf, formatCount } from '../../../shared/format.ts'
import type { GapReason, ReportedChecklist, ReportedGap, StatusReport } from '../../../shared/domain.ts'
import { plainText } from '../../app/log/plain-text.ts'

/** One line of the ledger that does not add up, with where it belongs. */
export interface ChecklistGap extends ReportedGap {
  readonly projectName: string
  readonly checklistTitle: string
}

/** What each reason means to the person who waits for the files. */
const reasonWords: Readonly<Record<GapReason, string>> = {
  'not uploaded yet': 'not uploaded from the site yet',
  'not downloaded yet': 'still to be downloaded; the next sync does it',
  'not read yet': 'changed at the service and could not be read; the next sync tries again',
  'not checked yet': 'not yet compared with what the service has now; the next sync does it',
  'no photos listed yet': 'the service lists no photos for it; it is asked once more before that is believed',
  'no questions found': 'the service sends no questions for it, so nobody can say whether photos are missing',
  'link refused': 'the file server refused the link; the next sync asks for a fresh one',
  'file invalid': 'what came was not a valid file; the next sync tries again',
  'too large': 'larger than the disk has room for, or than Solarchive accepts',
  gone: 'no longer at the service',
  damaged: 'missing or changed on the disk; "verify --repair" fetches it again',
  'report failed': 'the service could not make the report',
  unreachable: 'the file server did not deliver; the next sync tries again',
  disk: 'could not be written to the disk',
}

/** Reasons that only the service, or the crew on the site, can do away with. */
const upstreamReasons: ReadonlySet<GapReason> = new Set(['not uploaded yet', 'report failed'])

/** Whether a gap waits for the service's side; otherwise it is for Solarchive to close. */
export function isUpstream(gap: ReportedGap): boolean {
  return upstreamReasons.has(gap.reason)
}

/** Every gap of the named projects, or of all. */
export function gapsOf(status: StatusReport, projectIds?: readonly string[]): ChecklistGap[] {
  const named = projectIds === undefined || projectIds.length === 0 ? undefined : new Set(projectIds)
  return status.projects
    .filter((project) => named === undefined || named.has(project.id))
    .flatMap((project) =>
      project.checklists.flatMap((checklist) =>
        checklist.gaps.map((gap) => ({ ...gap, projectName: project.name, checklistTitle: checklist.title })),
      ),
    )
}

const rebuiltWords = 'not looked at since the database was rebuilt; run "sync"'

/**
 * `"Attic vents": 2 of 5 files missing, not uploaded from the site yet`. `isRebuilt`: its checklist came back from the
 * archive folder and was not looked at since.
 */
export function describeGap(gap: ReportedGap, isRebuilt = false): string {
  const missing = Math.max(0, gap.expected - gap.archived)
  const ofReason = isReportToCome(gap) ? 'not at the service yet; every sync asks for it' : reasonWords[gap.reason]
  const words = isRebuilt && gap.reason === 'not read yet' ? rebuiltWords : ofReason
  if (missing === 0) return `"${plainText(gap.question)}": ${words}`
  const count =
    missing === gap.expected ? countOf(missing, 'file') : `${formatCount(missing)} of ${countOf(gap.expected, 'file')}`
  return `"${plainText(gap.question)}": ${count} missing, ${words}`
}

/** Reports are made by the service: nobody on the site uploads them. */
function isReportToCome({ question, expected, reason }: ReportedGap): boolean {
  return question === 'Report' && expected === 1 && reason === 'not uploaded yet'
}

/** A checklist's status in words: `awaitingMedia` as `awaiting media`; unknown ones as the service writes them. */
export function statusWords(status: ReportedChecklist['status']): string {
  return plainText(status)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/\bPdf\b|\bpdf\b/g, 'PDF')
    .replace(/ ([A-Z])([a-z])/g, (_, first: string, second: string) => ` ${first.toLowerCase()}${second}`)
}

/** The first lines of a list that may be very long, and how many more there are. */
export function listSome(lines: readonly string[], limit: number, where: string): string[] {
  if (lines.length <= limit) return [...lines]
  return [...lines.slice(0, limit), `... and ${formatCount(lines.length - limit)} more (${where})`]
}
