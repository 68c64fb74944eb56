import type { ChecklistState, Gap, GapReason } from '../../../shared/domain.ts'
import type { ErrorCode } from '../../../shared/errors.ts'
import type { AssetRow } from '../store/assets-store.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { JobRow } from '../store/jobs-store.ts'
import type { QuestionRow } from '../store/questions-store.ts'
import { mayHaveMedia } from './plan-checklist.ts'

/** The rows of one checklist. */
export interface ChecklistRows {
  readonly checklist: ChecklistRow
  readonly questions: readonly QuestionRow[]
  readonly assets: readonly AssetRow[]
  readonly jobs: readonly JobRow[]
}

/** What of the rows counts for completeness. */
export interface LedgerRows {
  readonly checklist: Pick<
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
  readonly questions: readonly QuestionRow[]
  readonly assets: readonly LedgerAsset[]
  readonly jobs: readonly LedgerJob[]
}

type LedgerAsset = Pick<AssetRow, 'id' | 'questionKey' | 'kind' | 'present' | 'sha256' | 'confirmedFingerprint'>
type LedgerJob = Pick<JobRow, 'assetId' | 'errorCode'>

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
 * on both sides.
 */
export function reckonChecklist(rows: LedgerRows): Ledger {
  const { checklist } = rows
  const jobs = new Map(rows.jobs.map((job) => [job.assetId, job]))
  const lines = rows.questions.map((question) => reckonQuestion(question, rows.assets, jobs))
  const report = reckonReport(checklist, rows.assets, jobs)
  const files = rows.assets.filter((asset) => asset.kind !== 'report' && isExpected(asset))
  const notUploaded = lines.reduce((sum, line) => sum + line.notUploaded, 0)
  const expectedFiles = files.length + notUploaded + report.expected
  const archivedFiles = files.filter(isArchived).length + report.archived
  const gaps = [...report.gaps, ...lines.flatMap((line) => line.gaps)]
  const doubt = gaps.length > 0 ? null : reasonForDoubt(rows)
  if (doubt !== null) {
    gaps.push({ question: 'Checklist', expected: expectedFiles, archived: archivedFiles, reason: doubt })
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
function reasonForDoubt({ checklist, questions, assets, jobs }: LedgerRows): GapReason | null {
  if (!mayHaveMedia(checklist.status)) return null
  if (checklist.upstreamGoneAt !== null) return checklist.archivedFingerprint === checklist.fingerprint ? null : 'gone'
  if (checklist.readFingerprint !== checklist.fingerprint || checklist.errorCode !== null) return 'not read yet'
  if (jobs.length > 0) return 'not checked yet'
  if (checklist.status !== 'completed') return null
  if (questions.every((question) => question.present === 0)) return 'no questions found'
  const isConfirmed = (asset: LedgerAsset) => asset.confirmedFingerprint === checklist.fingerprint
  return assets.every((asset) => asset.present === 0 || isConfirmed(asset)) ? null : 'not checked yet'
}

const isArchived = (asset: LedgerAsset) => asset.sha256 !== null
const isExpected = (asset: LedgerAsset) => asset.present === 1 || isArchived(asset)

function reckonQuestion(question: QuestionRow, assets: readonly LedgerAsset[], jobs: ReadonlyMap<number, LedgerJob>) {
  const own = assets.filter((asset) => asset.questionKey === question.key && isExpected(asset))
  const photos = own.filter((asset) => asset.kind === 'photo')
  const thumbnails = own.filter((asset) => asset.kind === 'thumbnail')
  const announced = question.present === 1 ? (question.clientRefIds?.length ?? 0) : 0
  const notUploaded = Math.max(0, announced - photos.length)
  const missing: GapReason = question.mediaReadAt === null ? 'not downloaded yet' : 'not uploaded yet'
  return {
    question,
    notUploaded,
    expected: photos.length + notUploaded,
    gaps: [
      ...gapOf(question.label, photos, jobs, notUploaded, missing),
      ...gapOf(`${question.label} (thumbnails)`, thumbnails, jobs, 0, missing),
    ],
  }
}

function reckonReport(
  checklist: LedgerRows['checklist'],
  assets: readonly LedgerAsset[],
  jobs: ReadonlyMap<number, LedgerJob>,
) {
  const reports = assets.filter((asset) => asset.kind === 'report')
  const failed = checklist.status === 'pdfProcessingFailed'
  const due = failed || checklist.status === 'completed'
  const notMade = due && reports.length === 0 ? 1 : 0
  return {
    expected: reports.length + notMade,
    archived: reports.filter(isArchived).length,
    gaps: gapOf('Report', reports, jobs, notMade, failed ? 'report failed' : 'not uploaded yet'),
  }
}

function gapOf(
  label: string,
  assets: readonly LedgerAsset[],
  jobs: ReadonlyMap<number, LedgerJob>,
  withoutAsset: number,
  reasonWithoutAsset: GapReason,
): Gap[] {
  const firstMissing = assets.find((asset) => !isArchived(asset))
  if (firstMissing === undefined && withoutAsset === 0) return []
  const reason =
    firstMissing === undefined ? reasonWithoutAsset : gapReason(jobs.get(firstMissing.id)?.errorCode ?? null)
  return [
    { question: label, expected: assets.length + withoutAsset, archived: assets.filter(isArchived).length, reason },
  ]
}

/** Why a file whose last try ended so is not in the archive. */
function gapReason(code: ErrorCode | null): GapReason {
  switch (code) {
    case null:
    case 'cancelled':
      return 'not downloaded yet'
    case 'link-refused':
    case 'link-unsafe':
      return 'link refused'
    case 'link-missing':
      return 'not uploaded yet'
    case 'file-gone':
    case 'not-found':
      return 'gone'
    case 'file-invalid':
    case 'file-truncated':
      return 'file invalid'
    case 'file-too-large':
      return 'too large'
    case 'disk-full':
    case 'disk-error':
    case 'archive-read-only':
    case 'archive-unavailable':
      return 'disk'
    default:
      return 'unreachable'
  }
}
