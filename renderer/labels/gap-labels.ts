import type { Gap, GapReason } from '../../shared/domain.ts'
import { countOf } from '../../shared/format.ts'
import type { PhotoView } from '../../shared/views.ts'

/** Each follows "1 file" as well as "13 files". */
const shortReasons: Readonly<Record<GapReason, string>> = {
  'not uploaded yet': 'not uploaded yet',
  'not downloaded yet': 'waiting to be downloaded',
  'not read yet': 'changed, not read again yet',
  'not checked yet': 'not checked yet',
  'no photos listed yet': 'no photos listed yet, checking once more',
  'no questions found': 'no questions sent by the service',
  'link refused': 'refused by the file server',
  'file invalid': 'invalid when downloaded',
  'too large': 'too large for the free space',
  gone: 'gone from the file server',
  damaged: 'missing or changed on the disk',
  'report failed': 'report could not be created',
  // Also the reason if the server answered, but with an error.
  unreachable: 'not delivered by the file server',
  disk: 'could not be written to your disk',
}

/** Returns a few words for the placeholder of a missing file. */
export function shortReason(reason: GapReason): string {
  return shortReasons[reason]
}

const gapSentences: Readonly<Record<GapReason, string>> = {
  'not uploaded yet': 'The phone has not uploaded it yet.',
  'not downloaded yet': 'Waiting to be downloaded.',
  'not read yet': 'The checklist changed and has not been read again yet.',
  'not checked yet': 'Archived; the next sync checks if a newer version exists.',
  'no photos listed yet': 'The service lists no photos for this question. Solarchive asks once more to confirm.',
  'no questions found': 'The service sent no questions for this checklist.',
  'link refused': 'The file server refused the download. Solarchive retries automatically.',
  'file invalid': 'The file server sent an invalid file. Solarchive retries automatically.',
  'too large': 'The disk has no room for it. Free some space; Solarchive retries automatically.',
  gone: 'The file server no longer has it.',
  damaged: 'Missing or changed on the disk; verify with repair downloads it again.',
  'report failed': 'The service could not create the PDF report.',
  unreachable: 'The file server did not deliver it. Solarchive retries automatically.',
  disk: 'It could not be written to your disk.',
}

/** Returns why files are missing, as a sentence. */
export function gapSentence(reason: GapReason): string {
  return gapSentences[reason]
}

/** Returns why a file that was archived before cannot be shown, and what to do. */
export function absenceSentence(absence: 'damaged' | 'gone'): string {
  return absence === 'damaged'
    ? 'Missing or changed on the disk. Verify with repair downloads it again.'
    : 'Missing or changed on the disk, and the service no longer has it. If you have a backup, look there.'
}

/** Returns how many files of a gap are missing; 0 if all files are there, but something is unconfirmed. */
export function missingIn(gap: Gap): number {
  return Math.max(0, gap.expected - gap.archived)
}

/** Returns all gaps in one line: "12 files waiting to be downloaded, 2 files not uploaded yet". */
export function gapsSummary(gaps: readonly Gap[]): string {
  const [ofReports, ofFiles] = [gaps.filter(isPendingReport), gaps.filter((gap) => !isPendingReport(gap))]
  const files = [...Map.groupBy(ofFiles, ({ reason }) => reason)].map(([reason, lines]) => {
    const missing = lines.reduce((sum, gap) => sum + missingIn(gap), 0)
    const isCounted = missing > 0 && reason !== 'report failed' && reason !== 'no questions found'
    return isCounted ? `${countOf(missing, 'file')} ${shortReasons[reason]}` : capitalized(shortReasons[reason])
  })
  return [...(ofReports.length > 0 ? ['Report not ready yet'] : []), ...files].join(', ')
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

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
