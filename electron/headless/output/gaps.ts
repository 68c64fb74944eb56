import { capitalized, countOf, formatCount } from '../../../shared/format.ts'
import { gapListed, gapUncounted } from '../../../shared/status-text.ts'
import type { GapReason, ReportedChecklist, ReportedGap, StatusReport } from '../../../shared/domain.ts'
import { plainText } from '../../app/log/plain-text.ts'
import { isUpstream } from '../exit-code-of-report.ts'
import { cutToWidth } from './table.ts'

/** One gap, with its project and checklist. */
export interface ChecklistGap extends ReportedGap {
  readonly projectId: string
  readonly checklistId: string
  readonly projectName: string
  readonly checklistTitle: string
}

/** Returns how many files wait for the service or the crew, and for nothing else. */
export function countWaiting(gaps: readonly ReportedGap[]): number {
  return gaps.filter(isUpstream).reduce((sum, gap) => sum + missingOf(gap), 0)
}

/** Returns every gap of the named projects, or of all. */
export function gapsOf(status: StatusReport, projectIds?: readonly string[]): ChecklistGap[] {
  const named = projectIds === undefined || projectIds.length === 0 ? undefined : new Set(projectIds)
  return status.projects
    .filter((project) => named === undefined || named.has(project.id))
    .flatMap((project) =>
      project.checklists.flatMap((checklist) =>
        checklist.gaps.map((gap) => ({
          ...gap,
          projectId: project.id,
          projectName: project.name,
          checklistId: checklist.id,
          checklistTitle: checklist.title,
        })),
      ),
    )
}

const rebuiltLabel = 'not checked since the database was rebuilt; run "sync"'

/** Facts about the checklist of a gap. */
export interface GapContext {
  /** It was rebuilt from the archive folder and not checked since. */
  readonly isRebuilt?: boolean
  /** Another process downloads its files meanwhile. */
  readonly isSyncing?: boolean
}

/** Reasons that the next sync resolves for most questions of a checklist at once. */
const resolvedTogether: ReadonlySet<GapReason> = new Set(['not downloaded yet', 'not read yet', 'not checked yet'])

/** Lines about a reason in a checklist, without the line that counts the others. */
const maxGapLines = 8

/** Returns the gaps of a checklist as lines: one per question, or one per reason if the next sync resolves them. */
export function describeGaps(gaps: readonly ReportedGap[], context: GapContext = {}): string[] {
  return [...Map.groupBy(gaps, (gap) => causeOf(gap, 2, context)).values()].flatMap((alike) => {
    const [first] = alike
    if (first === undefined) return []
    if (alike.length === 1 || !resolvedTogether.has(first.reason)) {
      return listSome(
        alike.map((gap) => describeGap(gap, context)),
        maxGapLines,
        '"status --json" lists all',
      )
    }
    const files = alike.reduce((sum, gap) => sum + missingOf(gap), 0)
    const count = files === 0 ? '' : `${countOf(files, 'file')} `
    return [`${countQuestions(alike)}: ${count}${causeOf(first, files, context)}`]
  })
}

/** Returns "24 questions", or "Report and 23 questions". */
function countQuestions(gaps: readonly ReportedGap[]): string {
  const questions = gaps.filter((gap) => !isReport(gap)).length
  return questions === gaps.length ? countOf(questions, 'question') : `Report and ${countOf(questions, 'question')}`
}

/** Returns a gap as text: `"Attic vents": 2 of 5 files missing, not uploaded from the phone yet`. */
export function describeGap(gap: ReportedGap, context: GapContext = {}): string {
  const count = countMissing(gap)
  return `${quoted(gap)}: ${count === '' ? '' : `${count} `}${causeOf(gap, missingOf(gap), context)}`
}

/** Returns the gaps by cause, most files first: the cause with its number of files, and where they are. */
export function groupGaps(gaps: readonly ChecklistGap[]): { readonly cause: string; readonly locations: string[] }[] {
  const groups = [...Map.groupBy(gaps, (gap) => causeOf(gap, 2)).values()].map((concerned) => {
    const files = concerned.reduce((sum, gap) => sum + missingOf(gap), 0)
    const cause = concerned[0] === undefined ? '' : causeOf(concerned[0], files)
    const locations = concerned.map((gap) => {
      const count = countMissing(gap)
      const checklist = `${plainText(gap.projectName)} / ${plainText(gap.checklistTitle)}`
      return `${checklist}, ${quoted(gap)}${count === '' ? '' : `: ${count}`}`
    })
    return { files, cause: files === 0 ? capitalized(cause) : `${countOf(files, 'file')} ${cause}`, locations }
  })
  return groups.sort((one, other) => other.files - one.files)
}

/** Returns why `files` files are missing. */
function causeOf(gap: ReportedGap, files: number, { isRebuilt = false, isSyncing = false }: GapContext = {}): string {
  if (isReportPending(gap)) return 'missing, not created by the service yet; every sync checks again'
  if (isRebuilt && gap.reason === 'not read yet') return rebuiltLabel
  const cause = missingOf(gap) === 0 ? gapUncounted(gap.reason) : gapListed(gap.reason, files)
  return isSyncing && gap.reason === 'not downloaded yet'
    ? cause.replace('the next sync does it', 'the running Solarchive does it')
    : cause
}

function missingOf({ expected, archived }: ReportedGap): number {
  return Math.max(0, expected - archived)
}

/** Returns "5 files" or "2 of 5 files"; empty if no file is known to be missing. */
function countMissing(gap: ReportedGap): string {
  const missing = missingOf(gap)
  if (missing === 0) return ''
  return missing === gap.expected
    ? countOf(missing, 'file')
    : `${formatCount(missing)} of ${countOf(gap.expected, 'file')}`
}

/** Columns of a question's label; a long one would fill several lines. */
const maxQuestionWidth = 60

function quoted({ question }: ReportedGap): string {
  return `"${cutToWidth(plainText(question), maxQuestionWidth)}"`
}

/** Reports are created by the service; nobody on site uploads them. */
function isReportPending(gap: ReportedGap): boolean {
  return isReport(gap) && gap.reason === 'not uploaded yet'
}

function isReport({ question, expected }: ReportedGap): boolean {
  return question === 'Report' && expected === 1
}

/** Returns a checklist's status as words: `awaitingMedia` → `awaiting media`; unknown ones unchanged. */
export function statusLabel(status: ReportedChecklist['status']): string {
  return plainText(status)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/\bPdf\b|\bpdf\b/g, 'PDF')
    .replace(/ ([A-Z])([a-z])/g, (_, first: string, second: string) => ` ${first.toLowerCase()}${second}`)
}

/** Returns the first lines of a list that may be very long, and how many more there are. */
export function listSome(lines: readonly string[], limit: number, where: string): string[] {
  if (lines.length <= limit) return [...lines]
  return [...lines.slice(0, limit), `... and ${formatCount(lines.length - limit)} more (${where})`]
}
