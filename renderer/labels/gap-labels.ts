import type { Gap, GapReason } from '../../shared/domain.ts'
import { countOf } from './format-numbers.ts'

/** Each reads on after "1 file" and after "13 files". `unreachable` is also an error that the server answers with. */
const shortReasons: Readonly<Record<GapReason, string>> = {
  'not uploaded yet': 'not uploaded yet',
  'not downloaded yet': 'waiting to be downloaded',
  'not read yet': 'changed, not read again yet',
  'not checked yet': 'still to be checked',
  'no photos listed yet': 'no photos listed yet, asked once more',
  'no questions found': 'no questions sent by the service',
  'link refused': 'refused by the file server',
  'file invalid': 'not sent properly by the file server',
  'too large': 'too large for the free space',
  gone: 'gone from the file server',
  damaged: 'missing or changed on the disk',
  'report failed': 'report could not be made',
  unreachable: 'not delivered by the file server',
  disk: 'could not be written to your disk',
}

/** Why a placeholder stands where a file should be: a few words. */
export function shortReason(reason: GapReason): string {
  return shortReasons[reason]
}

/** Why a file that was in the archive once is not to be seen, and what to do. */
export function absenceSentence(absence: 'damaged' | 'gone'): string {
  return absence === 'damaged'
    ? 'Missing or changed on the disk. Verify with repair fetches it again.'
    : 'Missing or changed on the disk, and the service no longer has it. If you have a backup, look there.'
}

/** How many files a gap lacks. 0: everything is there, but something about it is not certain. */
export function missingIn(gap: Gap): number {
  return Math.max(0, gap.expected - gap.archived)
}

/** "12 files waiting to be downloaded, 2 files not uploaded yet": a row's worth of why a checklist is not complete. */
export function gapsSummary(gaps: readonly Gap[]): string {
  const [ofReports, ofFiles] = [gaps.filter(isReportToCome), gaps.filter((gap) => !isReportToCome(gap))]
  const files = [...Map.groupBy(ofFiles, ({ reason }) => reason)].map(([reason, lines]) => {
    const missing = lines.reduce((sum, gap) => sum + missingIn(gap), 0)
    const isCounted = missing > 0 && reason !== 'report failed' && reason !== 'no questions found'
    return isCounted ? `${countOf(missing, 'file')} ${shortReasons[reason]}` : capitalized(shortReasons[reason])
  })
  return [...(ofReports.length > 0 ? ['Report not at the service yet'] : []), ...files].join(', ')
}

/** Reports are made by the service: nobody on the site uploads them. */
function isReportToCome({ kind, reason }: Gap): boolean {
  return kind === 'report' && reason === 'not uploaded yet'
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
