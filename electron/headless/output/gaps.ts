import { countOf, formatCount } from '../../../shared/format.ts'
import { gapListed, gapUncounted } from '../../../shared/status-text.ts'
import type { GapReason, ReportedChecklist, ReportedGap, StatusReport } from '../../../shared/domain.ts'
import { plainText } from '../../app/log/plain-text.ts'

/** One gap, with its project and checklist. */
export interface ChecklistGap extends ReportedGap {
  readonly projectId: string
  readonly checklistId: string
  readonly projectName: string
  readonly checklistTitle: string
}

/** Reasons that only the service or the crew on site can resolve. */
const upstreamReasons: ReadonlySet<GapReason> = new Set(['not uploaded yet', 'report failed'])

/** Returns true if a gap waits for the service or the crew; otherwise Solarchive can close it. */
export function isUpstream(gap: ReportedGap): boolean {
  return upstreamReasons.has(gap.reason)
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
          ...{ projectId: project.id, projectName: project.name },
          ...{ checklistId: checklist.id, checklistTitle: checklist.title },
        })),
      ),
    )
}

const rebuiltLabel = 'not checked since the database was rebuilt; run "sync"'

/**
 * Returns a gap as text: `"Attic vents": 2 of 5 files missing, not uploaded from the site yet`. `isRebuilt` is true if
 * its checklist was rebuilt from the archive folder and not checked since.
 */
export function describeGap(gap: ReportedGap, isRebuilt = false): string {
  const count = countMissing(gap)
  return `${quoted(gap)}: ${count === '' ? '' : `${count} `}${causeOf(gap, isRebuilt)}`
}

/** Returns the gaps by cause, most files first: the cause with its number of files, and where they are. */
export function groupGaps(gaps: readonly ChecklistGap[]): { readonly cause: string; readonly places: string[] }[] {
  const groups = [...Map.groupBy(gaps, (gap) => causeOf(gap))].map(([cause, concerned]) => {
    const files = concerned.reduce((sum, gap) => sum + missingOf(gap), 0)
    const places = concerned.map((gap) => {
      const count = countMissing(gap)
      const checklist = `${plainText(gap.projectName)} / ${plainText(gap.checklistTitle)}`
      return `${checklist}, ${quoted(gap)}${count === '' ? '' : `: ${count}`}`
    })
    return { files, cause: files === 0 ? capitalized(cause) : `${countOf(files, 'file')} ${cause}`, places }
  })
  return groups.sort((one, other) => other.files - one.files)
}

function causeOf(gap: ReportedGap, isRebuilt = false): string {
  if (isReportPending(gap)) return 'missing, not created by the service yet; every sync checks again'
  if (isRebuilt && gap.reason === 'not read yet') return rebuiltLabel
  return missingOf(gap) === 0 ? gapUncounted(gap.reason) : gapListed(gap.reason)
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

function quoted({ question }: ReportedGap): string {
  return `"${plainText(question)}"`
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Reports are created by the service; nobody on site uploads them. */
function isReportPending({ question, expected, reason }: ReportedGap): boolean {
  return question === 'Report' && expected === 1 && reason === 'not uploaded yet'
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
