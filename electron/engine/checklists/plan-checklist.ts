import { statusesWithoutMedia } from '../../../shared/domain.ts'
import type { FileCounts } from '../store/assets-store.ts'
import type { Store } from '../store/create-store.ts'
import type { OpenJob } from '../store/jobs-store.ts'
import type { QuestionRow } from '../store/questions-store.ts'

/** Facts of a checklist that decide what to ask the service about it. */
export interface PlanInput {
  readonly status: string
  /** Fingerprint of the status and the update time in the latest answer. */
  readonly fingerprint: string
  /** True if the service sends a readable update time; without it a change can go unnoticed. */
  readonly hasUpdatedAt: boolean
  /** True if the list of checklists has no status or no update time of it: those are as last read with its detail. */
  readonly isHeadOld: boolean
  readonly detailFingerprint: string | null
  readonly readFingerprint: string | null
  /** Milliseconds since its detail or media were last asked for, or `null` if never. */
  readonly sinceCheckedMs: number | null
  /** Milliseconds since its detail was last read, or `null` if that is unknown. */
  readonly sinceReadMs: number | null
  /** True if everything is read again, including checklists that look unchanged. */
  readonly isFullPass: boolean
  /** True if a user started the pass, not the schedule. */
  readonly isUserInitiated: boolean
  /** Number of files that wait to be downloaded, without those that failed and wait for their next try. */
  readonly openJobs: number
  /** True if the service announced files without sending a record or link. */
  readonly notUploaded: boolean
  /** True if questions with an unconfirmed answer without photos are due to be asked about again. */
  readonly isConfirmationDue: boolean
  /** True if it is completed and was sent without a question, as if by mistake. */
  readonly hasNoQuestions: boolean
  /** True if its last read failed. */
  readonly hasError: boolean
}

/**
 * `nothing` costs no call; `media` asks for the media of the questions that are not settled; `read` asks for the
 * checklist first, and then for all its media. `head` asks for the checklist, whose status and update time the list
 * does not have, and then for what they require.
 */
export type ChecklistPlan = 'nothing' | 'media' | 'head' | 'read'

/**
 * Minimum interval between media calls for photos that are not uploaded yet. Such a checklist is polled every minute,
 * and asking for every photo question each time would use most of the rate budget. New photos show in the update time,
 * or at the latest when the checklist is completed.
 */
const uploadCheckMs = { user: 60_000, schedule: 15 * 60_000 }
/** A checklist whose last read failed, although an earlier one did not, is read again this often by the schedule. */
const failedCheckMs = 15 * 60_000
/**
 * A checklist whose status or update time is not in the list is asked for them this often, and whenever a user asks:
 * one call each. Once it is completed, changes are rare.
 */
const headCheckMs = { open: 15 * 60_000, completed: 60 * 60_000 }
/** Without an update time, a checklist is read again once a day. */
const blindCheckMs = 24 * 60 * 60_000
/** A checklist that the service sent only in part, or empty, is read again this often, and whenever a user asks. */
const partialCheckMs = 60 * 60_000

/** Returns the fingerprint of a detail that was only a part of the checklist. */
export const readInPart = (fingerprint: string) => `${fingerprint} in part`

/** Returns whether the detail of a checklist's current state was only a part of it. */
export const isReadInPart = ({
  detailFingerprint,
  fingerprint,
}: Pick<PlanInput, 'detailFingerprint' | 'fingerprint'>) => detailFingerprint === readInPart(fingerprint)

export const mayHaveMedia = (status: string) => !statusesWithoutMedia.includes(status)

/** Decides what one pass asks the service about one checklist. */
export function planChecklist(input: PlanInput): ChecklistPlan {
  const waiting = input.openJobs > 0 ? 'media' : 'nothing'
  if (input.isHeadOld && isHeadDue(input)) return 'head'
  if (!mayHaveMedia(input.status)) return waiting
  const isPart = isReadInPart(input)
  if (input.isFullPass || (input.detailFingerprint !== input.fingerprint && !isPart)) return 'read'
  const isWholeDoubtful = isPart || input.hasNoQuestions
  if (isWholeDoubtful && (input.isUserInitiated || (input.sinceReadMs ?? Infinity) >= partialCheckMs)) return 'read'
  if (!input.hasUpdatedAt && (input.sinceReadMs ?? Infinity) >= blindCheckMs) return 'read'
  if (input.readFingerprint !== input.detailFingerprint) return 'media'
  if (input.isConfirmationDue) return 'media'
  // If a user started the pass, a completed checklist with a gap is checked at once; one still uploading, later.
  const isWrongNow = input.isUserInitiated && input.status === 'completed'
  const sinceCheckedMs = input.sinceCheckedMs ?? Infinity
  const checkMs = input.isUserInitiated ? uploadCheckMs.user : uploadCheckMs.schedule
  if (input.notUploaded && (isWrongNow || sinceCheckedMs >= checkMs)) return input.hasError ? 'read' : 'media'
  if (waiting === 'media' || isPart || !input.hasError) return waiting
  return input.isUserInitiated || sinceCheckedMs >= failedCheckMs ? 'read' : 'nothing'
}

/** Returns whether to ask for the status and update time now. One call that failed is repeated after a while. */
function isHeadDue(input: PlanInput): boolean {
  const { status, hasUpdatedAt, isFullPass, isUserInitiated, hasError, sinceReadMs, sinceCheckedMs } = input
  if (isFullPass || isUserInitiated) return true
  if (hasError && (sinceCheckedMs ?? Infinity) < failedCheckMs) return false
  const completedMs = hasUpdatedAt ? headCheckMs.completed : blindCheckMs
  const sinceMs = sinceReadMs ?? Infinity
  if (status === 'completed') return sinceMs >= completedMs
  // Without an update time, only a whole read counts as one: it is due once a day.
  return (hasUpdatedAt ? sinceMs : Math.min(sinceMs, sinceCheckedMs ?? Infinity)) >= headCheckMs.open
}

export interface CategoryFacts {
  readonly questions: readonly QuestionRow[]
  readonly files: readonly Pick<FileCounts, 'questionKey' | 'kind' | 'listed'>[]
  readonly openJobs: readonly OpenJob[]
}

export function readCategoryFacts(store: Store, { key, fingerprint }: { key: number; fingerprint: string }) {
  return {
    questions: store.questions.listForChecklist(key),
    files: store.assets.fileCounts(key, fingerprint),
    openJobs: store.jobs.openForChecklist(key),
  }
}

/**
 * Returns the media categories of a checklist that must be requested: those not read since the checklist changed, those
 * whose files wait for a link, and those with fewer photos than announced. Failed files wait for their next try. A
 * question known to have no media costs no call; one with an unconfirmed empty answer waits until confirmation is due.
 */
export function unsettledCategories(
  facts: CategoryFacts,
  hasLink: (assetId: number) => boolean,
  isAskedNow: (question: QuestionRow) => boolean,
): string[] {
  const { questions, files, openJobs } = facts
  const waiting = new Set(openJobs.filter(({ assetId }) => !hasLink(assetId)).map(({ questionKey }) => questionKey))
  const photos = new Map(
    files.filter(({ kind }) => kind === 'photo').map(({ questionKey, listed }) => [questionKey, listed]),
  )
  const categories = questions
    .filter((question) => {
      const { key, present, clientRefIds, mediaReadAt } = question
      if (present === 0 || clientRefIds?.length === 0) return false
      const isUnread = mediaReadAt === null && isAskedNow(question)
      return isUnread || (photos.get(key) ?? 0) < (clientRefIds?.length ?? 0) || waiting.has(key)
    })
    .map(({ mediaCategoryId }) => mediaCategoryId)
    .filter((categoryId) => categoryId !== null)
  return [...new Set(categories)]
}
