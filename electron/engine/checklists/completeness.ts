import {
  unknownStatus,
  upstreamReasons,
  type ChecklistState,
  type Gap,
  type GapReason,
} from '../../../shared/domain.ts'
import { type ErrorCode, errorPolicy, meansNotUploaded } from '../../../shared/error-policy.ts'
import type { AssetForCompleteness, AssetRow, FileCounts } from '../store/assets-store.ts'
import type { ChecklistForCompleteness, ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { JobRow } from '../store/jobs-store.ts'
import type { QuestionRow } from '../store/questions-store.ts'
import { isEmptyUnconfirmed } from './confirmation.ts'
import { mayHaveMedia } from './plan-checklist.ts'

/** The rows of one checklist. */
export interface ChecklistRows {
  readonly checklist: ChecklistRow
  readonly questions: readonly QuestionRow[]
  readonly assets: readonly AssetRow[]
  readonly jobs: readonly JobRow[]
}

/** Fields of a file and of its job that count for completeness. */
export type CompletenessAsset = Omit<AssetForCompleteness, 'checklistKey' | 'path' | 'sizeBytes'>
export type CompletenessJob = Pick<JobRow, 'assetId' | 'errorCode'>

/** Fields of a checklist that count for completeness. */
export type CompletenessChecklist = Omit<ChecklistForCompleteness, 'key' | 'projectId'>

/** Fields of all rows that count for completeness. */
export interface CompletenessRows {
  readonly checklist: CompletenessChecklist
  readonly questions: readonly QuestionRow[]
  readonly assets: readonly CompletenessAsset[]
  readonly jobs: readonly CompletenessJob[]
}

/** A checklist with its files counted. */
interface CompletenessCounts {
  readonly checklist: CompletenessChecklist
  readonly questions: readonly QuestionRow[]
  readonly files: readonly FileCounts[]
  readonly hasJobs: boolean
}

/** One question's line: expected and archived photos and thumbnails. */
export interface QuestionCompleteness {
  readonly question: QuestionRow
  readonly expected: number
  /** Something of it is not uploaded yet, whatever else its gaps say. */
  readonly isAwaited: boolean
  readonly gaps: readonly Gap[]
}

/** Completeness of one checklist. */
export interface Completeness {
  readonly state: ChecklistState
  /** The thumbnails among the files of `state`. */
  readonly previews: { readonly expected: number; readonly archived: number }
  readonly questions: readonly QuestionCompleteness[]
  /**
   * Says that the current state of the checklist is not known, whatever part of it is asked for. Among the gaps of
   * `state` if there are no others, or only some that wait for the service or the crew.
   */
  readonly unknownState: Gap | null
}

/**
 * Compares what the service announced with what is on disk. A question's photos are expected by its references or its
 * media records, whichever is more. A file that is gone upstream but archived counts on both sides; one that was
 * archived and is damaged or lost since stays expected and is not archived.
 */
export function evaluateChecklist({ checklist, questions, assets, jobs }: CompletenessRows): Completeness {
  const files = countFiles(assets, jobs, checklist)
  return evaluateCounts({ checklist, questions, files, hasJobs: jobs.length > 0 })
}

/** Like `evaluateChecklist`, for files that are already counted. */
function evaluateCounts(fileCounts: CompletenessCounts): Completeness {
  const { checklist, questions, files } = fileCounts
  const byQuestion = Map.groupBy(files, ({ questionKey }) => questionKey)
  const lines = questions.map((question) => evaluateQuestion(question, checklist, byQuestion.get(question.key) ?? []))
  const report = evaluateReport(checklist, files)
  const media = files.filter(({ kind }) => kind !== 'report')
  const thumbnails = files.filter(({ kind }) => kind === 'thumbnail')
  const notUploaded = sum(lines, (line) => line.notUploaded)
  const expectedFiles = sum(media, ({ expected }) => expected) + notUploaded + report.expected
  const archivedFiles = sum(media, ({ archived }) => archived) + report.archived
  const gaps = [...report.gaps, ...lines.flatMap((line) => line.gaps)]
  const reason = gaps.length > 0 ? unreadReason(checklist) : unconfirmedReason(fileCounts)
  // What else it has is unknown: files that are known to be missing count in their own gaps.
  const counts = { expected: archivedFiles, archived: archivedFiles }
  const unknownState: Gap | null =
    reason === null ? null : { kind: 'checklist', question: 'Checklist', ...counts, reason }
  const isUntold = gaps.every((gap) => reason === 'not read yet' && upstreamReasons.has(gap.reason))
  if (unknownState !== null && isUntold) gaps.push(unknownState)
  return {
    questions: lines,
    unknownState,
    previews: {
      expected: sum(thumbnails, ({ expected }) => expected),
      archived: sum(thumbnails, ({ archived }) => archived),
    },
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

/** Evaluates a checklist from the database, which counts the files: no file's row is read. */
export function evaluateRecorded(
  { questions, assets, jobs }: Pick<Store, 'questions' | 'assets' | 'jobs'>,
  checklist: CompletenessChecklist & { readonly key: number },
): Completeness {
  return evaluateCounts({
    checklist,
    questions: questions.listForChecklist(checklist.key),
    files: assets.fileCounts(checklist.key, checklist.fingerprint),
    hasJobs: jobs.hasForChecklist(checklist.key),
  })
}

/**
 * Returns whether a checklist is incomplete only because the field or the service has not finished it: everything there
 * is so far is archived. One that the service calls completed, does not list any more, or sends unreadably is not
 * waiting.
 */
export function isWaitingOnUpstream(checklist: CompletenessChecklist, state: ChecklistState | undefined): boolean {
  if (state === undefined || state.complete || state.status === 'completed') return false
  if (checklist.upstreamGoneAt !== null || checklist.errorCode !== null) return false
  return state.gaps.every(({ reason }) => reason === 'not uploaded yet')
}

/**
 * Returns the lines by section, in the order of the checklist. A removed question is the last of its section; one
 * without photos is left out.
 */
export function groupBySection(
  lines: readonly QuestionCompleteness[],
): { label: string; lines: QuestionCompleteness[] }[] {
  const shown = lines.filter(({ question, expected }) => question.present === 1 || expected > 0)
  const sections = Map.groupBy(shown, ({ question }) => question.sectionLabel)
  return Array.from(sections, ([label, own]) => ({ label, lines: own }))
}

/** Loads all rows of a checklist. */
export function checklistRows(store: Pick<Store, 'questions' | 'assets' | 'jobs'>, checklist: ChecklistRow) {
  return {
    checklist,
    questions: store.questions.listForChecklist(checklist.key),
    assets: store.assets.listForChecklist(checklist.key),
    jobs: store.jobs.listForChecklist(checklist.key),
  }
}

/** Returns why the current state of a checklist was not read, or null if it was. */
function unreadReason(checklist: CompletenessChecklist): GapReason | null {
  if (!mayHaveMedia(checklist.status)) return null
  if (checklist.upstreamGoneAt !== null) return checklist.archivedFingerprint === checklist.fingerprint ? null : 'gone'
  const isRead = checklist.status !== unknownStatus && checklist.readFingerprint === checklist.fingerprint
  return isRead && checklist.errorCode === null ? null : 'not read yet'
}

/** Returns why a checklist without a missing file is not known to be complete, or null if it is. */
function unconfirmedReason({ checklist, questions, files, hasJobs }: CompletenessCounts): GapReason | null {
  const unread = unreadReason(checklist)
  if (unread !== null || !mayHaveMedia(checklist.status) || checklist.upstreamGoneAt !== null) return unread
  if (hasJobs) return 'not checked yet'
  if (checklist.status !== 'completed') return null
  if (questions.every((question) => question.present === 0)) return 'no questions found'
  return files.every(({ unconfirmed }) => unconfirmed === 0) ? null : 'not checked yet'
}

function evaluateQuestion(question: QuestionRow, checklist: CompletenessChecklist, own: readonly FileCounts[]) {
  const photos = own.filter(({ kind }) => kind === 'photo')
  const thumbnails = own.filter(({ kind }) => kind === 'thumbnail')
  const photoCount = sum(photos, ({ expected }) => expected)
  const announced = question.present === 1 ? (question.clientRefIds?.length ?? 0) : 0
  // Photos that the service does not list any more stay archived, and count for none that it announces now.
  const notUploaded = Math.max(0, announced - sum(photos, ({ listed }) => listed))
  const isRead = checklist.readFingerprint === checklist.fingerprint
  // Without a media category, no call would deliver what is announced.
  const isDue = question.mediaReadAt === null && question.mediaCategoryId !== null
  const missing: GapReason = isDue ? 'not downloaded yet' : 'not uploaded yet'
  return {
    question,
    notUploaded,
    isAwaited: notUploaded > 0 || own.some(({ unlinked }) => unlinked > 0),
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

function evaluateReport(checklist: CompletenessChecklist, files: readonly FileCounts[]) {
  const reports = files.filter(({ kind }) => kind === 'report')
  const failed = checklist.status === 'pdfProcessingFailed'
  const due = failed || checklist.status === 'completed'
  const notMade = due && reports.length === 0 ? 1 : 0
  const expected = sum(reports, (report) => report.expected) + notMade
  const archived = sum(reports, (report) => report.archived)
  const counts = { expected, archived }
  const line = { kind: 'report', question: 'Report' } as const
  if (failed) {
    // A report that is archived or was listed before is not the one that the service failed to create.
    const gap: Gap = { ...line, ...counts, reason: reports[0]?.missingSince ?? 'report failed' }
    return { ...counts, gaps: [gap] }
  }
  const pending = checklist.readFingerprint === checklist.fingerprint ? 'not uploaded yet' : 'not downloaded yet'
  return { ...counts, gaps: gapOf(line, reports, notMade, pending) }
}

/** Returns at most one gap; its reason is that of the file that `FileCounts` names. */
function gapOf(
  line: Pick<Gap, 'kind' | 'question'>,
  files: readonly FileCounts[],
  withoutAsset: number,
  reasonWithoutAsset: GapReason,
): Gap[] {
  const incomplete = files.filter(({ missingId }) => missingId !== null)
  if (incomplete.length === 0 && withoutAsset === 0) return []
  const [first] = incomplete.sort((one, other) => (one.missingId ?? 0) - (other.missingId ?? 0))
  const reason =
    first === undefined
      ? reasonWithoutAsset
      : (first.missingSince ??
        (first.missingError === null ? 'not downloaded yet' : errorPolicy[first.missingError].gap))
  const expected = sum(files, (file) => file.expected) + withoutAsset
  return [{ ...line, expected, archived: sum(files, ({ archived }) => archived), reason }]
}

/** Counts a checklist's files like `fileCounts` of the store, for rows that are loaded or differ from the database. */
function countFiles(
  assets: readonly CompletenessAsset[],
  jobs: readonly CompletenessJob[],
  checklist: CompletenessChecklist,
): FileCounts[] {
  const errors = new Map(jobs.map(({ assetId, errorCode }) => [assetId, errorCode]))
  const errorOf = ({ id }: CompletenessAsset) => errors.get(id) ?? null
  const isUnlinked = (asset: CompletenessAsset) => asset.damage === null && isNotUploaded(errorOf(asset))
  const groups = Map.groupBy(assets, ({ questionKey, kind }) => `${questionKey} ${kind}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const expected = group.filter(isExpected)
    const missing = expected.filter((asset) => !isArchived(asset))
    const named =
      missing.find(({ damage }) => damage !== null) ?? missing.find((asset) => !isUnlinked(asset)) ?? missing[0]
    return [
      {
        questionKey: first.questionKey,
        kind: first.kind,
        expected: expected.length,
        archived: expected.filter(isArchived).length,
        listed: group.filter(({ present }) => present === 1).length,
        unconfirmed: group.filter(
          ({ present, confirmedFingerprint }) => present === 1 && confirmedFingerprint !== checklist.fingerprint,
        ).length,
        unlinked: missing.filter(isUnlinked).length,
        missingId: named?.id ?? null,
        missingError: named === undefined ? null : errorOf(named),
        missingSince: named === undefined ? null : missingSince(named, checklist, errorOf(named)),
      },
    ]
  })
}

/** Returns whether a file is expected: listed by the service, ever archived, or a report. */
export function isExpected({ kind, present, sha256, damage }: Omit<CompletenessAsset, 'id'>): boolean {
  return kind === 'report' || present === 1 || sha256 !== null || damage !== null
}

/** Returns whether a file is archived and not known to be damaged or lost since. */
export function isArchived({ sha256, damage }: Pick<CompletenessAsset, 'sha256' | 'damage'>): boolean {
  return sha256 !== null && damage === null
}

/**
 * Returns why no download restores a file that was archived once, or null. A file of a checklist that the service no
 * longer lists waits for its return, if ever. `error` is that of its last download: a lost file that is listed without
 * a link is not only not uploaded.
 */
export function missingSince(
  { present, sha256, damage }: Pick<CompletenessAsset, 'present' | 'sha256' | 'damage'>,
  { upstreamGoneAt }: Pick<CompletenessChecklist, 'upstreamGoneAt'>,
  error: ErrorCode | null,
): FileCounts['missingSince'] {
  if (damage === null) return null
  if (present === 0 || upstreamGoneAt !== null) return 'gone'
  return sha256 !== null || isNotUploaded(error) ? 'damaged' : null
}

function isNotUploaded(error: ErrorCode | null): boolean {
  return error !== null && meansNotUploaded(error)
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
