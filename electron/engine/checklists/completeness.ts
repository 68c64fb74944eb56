import type { ChecklistState, Gap, GapReason } from '../../../shared/domain.ts'
import { errorPolicy } from '../../../shared/error-policy.ts'
import type { AssetRow, FileCounts } from '../store/assets-store.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { JobRow } from '../store/jobs-store.ts'
import type { QuestionRow } from '../store/questions-store.ts'
import { isEmptyUnconfirmed } from './confirmation.ts'
import { mayHaveMedia } from './plan-checklist.ts'
import { countFiles, type LedgerAsset, type LedgerJob } from './count-files.ts'

/** The rows of one checklist. */
export interface ChecklistRows {
  readonly checklist: ChecklistRow
  readonly questions: readonly QuestionRow[]
  readonly assets: readonly AssetRow[]
  readonly jobs: readonly JobRow[]
}

/** What of a checklist's row counts for completeness. */
export type LedgerChecklist = Pick<
  ChecklistRow,
  | 'id'
  | 'title'
  | 'status'
  | 'updatedAt'
  | 'fingerprint'
  | 'readFingerprint'
  | 'archivedFingerprint'
  | 'folder'
  | 'upstreamGoneAt'
  | 'errorCode'
>

/** What of the rows counts for completeness. */
export interface LedgerRows {
  readonly checklist: LedgerChecklist
  readonly questions: readonly QuestionRow[]
  readonly assets: readonly LedgerAsset[]
  readonly jobs: readonly LedgerJob[]
}

/** The same, counted. */
interface LedgerCounts {
  readonly checklist: LedgerChecklist
  readonly questions: readonly QuestionRow[]
  readonly files: readonly FileCounts[]
  readonly hasJobs: boolean
}

/** One question's line: expected and archived photos and thumbnails. */
export interface QuestionLedger {
  readonly question: QuestionRow
  readonly expected: number
  readonly gaps: readonly Gap[]
}

/** What a checklist's files add up to. */
export interface Ledger {
  readonly state: ChecklistState
  readonly questions: readonly QuestionLedger[]
}

/**
 * The completeness of one checklist: what the service announced against what is on disk. A question's photos are
 * expected by its references and by its media records, whichever is more; what is gone upstream but archived counts
 * on both sides. What was archived once and is damaged or lost since stays expected and is not archived.
 */
export function evaluateChecklist({ checklist, questions, assets, jobs }: LedgerRows): Ledger {
  const files = countFiles(assets, jobs, checklist.fingerprint)
  return evaluateCounts({ checklist, questions, files, hasJobs: jobs.length > 0 })
}

/** The same of files that are counted already. */
export function evaluateCounts(fileCounts: LedgerCounts): Ledger {
  const { checklist, questions, files } = fileCounts
  const byQuestion = Map.groupBy(files, ({ questionKey }) => questionKey)
  const lines = questions.map((question) => reckonQuestion(question, checklist, byQuestion.get(question.key) ?? []))
  const report = reckonReport(checklist, files)
  const media = files.filter(({ kind }) => kind !== 'report')
  const notUploaded = sum(lines, (line) => line.notUploaded)
  const expectedFiles = sum(media, ({ expected }) => expected) + notUploaded + report.expected
  const archivedFiles = sum(media, ({ archived }) => archived) + report.archived
  const gaps = [...report.gaps, ...lines.flatMap((line) => line.gaps)]
  const unconfirmed = gaps.length > 0 ? null : unconfirmedReason(fileCounts)
  if (unconfirmed !== null) {
    const counts = { expected: expectedFiles, archived: archivedFiles }
    gaps.push({ kind: 'checklist', question: 'Checklist', ...counts, reason: unconfirmed })
  }
  return {
    questions: lines,
    state: {
      id: checklist.id,
      title: checklist.title,
      status: checklist.status,
      updatedAt: checklist.updatedAt,
      complete: checklist.status === 'completed' && gaps.length === 0 && expectedFiles === archivedFiles,
      expectedFiles,
      archivedFiles,
      folder: checklist.folder,
      gaps,
    },
  }
}

/** Why a checklist without a single missing file cannot be called archived all the same. */
function unconfirmedReason({ checklist, questions, files, hasJobs }: LedgerCounts): GapReason | null {
  if (!mayHaveMedia(checklist.status)) return null
  if (checklist.upstreamGoneAt !== null) return checklist.archivedFingerprint === checklist.fingerprint ? null : 'gone'
  if (checklist.readFingerprint !== checklist.fingerprint || checklist.errorCode !== null) return 'not read yet'
  if (hasJobs) return 'not checked yet'
  if (checklist.status !== 'completed') return null
  if (questions.every((question) => question.present === 0)) return 'no questions found'
  return files.every(({ unconfirmed }) => unconfirmed === 0) ? null : 'not checked yet'
}

function reckonQuestion(question: QuestionRow, checklist: LedgerChecklist, own: readonly FileCounts[]) {
  const photos = own.filter(({ kind }) => kind === 'photo')
  const thumbnails = own.filter(({ kind }) => kind === 'thumbnail')
  const photoCount = sum(photos, ({ expected }) => expected)
  const announced = question.present === 1 ? (question.clientRefIds?.length ?? 0) : 0
  // What the service took back stays in the archive, and stands for none of those that it announces now.
  const notUploaded = Math.max(0, announced - sum(photos, ({ listed }) => listed))
  const isRead = checklist.readFingerprint === checklist.fingerprint
  const missing: GapReason = question.mediaReadAt === null ? 'not downloaded yet' : 'not uploaded yet'
  return {
    question,
    notUploaded,
    expected: photoCount + notUploaded,
    gaps: [
      ...gapOf({ kind: 'photos', question: question.label }, photos, notUploaded, missing),
      ...gapOf({ kind: 'thumbnails', question: `${question.label} (thumbnails)` }, thumbnails, 0, missing),
      ...(isRead && isEmptyUnconfirmed(question, checklist) ? [unconfirmedGap(question.label)] : []),
    ],
  }
}

const unconfirmedGap = (question: string): Gap => ({
  kind: 'photos',
  question,
  expected: 0,
  archived: 0,
  reason: 'no photos listed yet',
})

function reckonReport(checklist: LedgerChecklist, files: readonly FileCounts[]) {
  const reports = files.filter(({ kind }) => kind === 'report')
  const failed = checklist.status === 'pdfProcessingFailed'
  const due = failed || checklist.status === 'completed'
  const notMade = due && reports.length === 0 ? 1 : 0
  return {
    expected: sum(reports, ({ expected }) => expected) + notMade,
    archived: sum(reports, ({ archived }) => archived),
    gaps: gapOf(
      { kind: 'report', question: 'Report' },
      reports,
      notMade,
      failed
        ? 'report failed'
        : checklist.readFingerprint === checklist.fingerprint
          ? 'not uploaded yet'
          : 'not downloaded yet',
    ),
  }
}

/** At most one; its reason is that of the first file that lacks. */
function gapOf(
  line: Pick<Gap, 'kind' | 'question'>,
  files: readonly FileCounts[],
  withoutAsset: number,
  reasonWithoutAsset: GapReason,
): Gap[] {
  const lacking = files.filter(({ missingId }) => missingId !== null)
  if (lacking.length === 0 && withoutAsset === 0) return []
  const [first] = lacking.sort((one, other) => (one.missingId ?? 0) - (other.missingId ?? 0))
  const reason =
    first === undefined
      ? reasonWithoutAsset
      : (first.missingSince ??
        (first.missingError === null ? 'not downloaded yet' : errorPolicy[first.missingError].gap))
  const expected = sum(files, (file) => file.expected) + withoutAsset
  return [{ ...line, expected, archived: sum(files, ({ archived }) => archived), reason }]
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
