/** How a checklist stands, as far as the decision needs it. */
export interface PlanInput {
  readonly status: string
  /** Of (status, updatedAt) as the service says now. */
  readonly fingerprint: string
  /** Whether the service tells when the checklist changed; without that a change can hide. */
  readonly hasUpdatedAt: boolean
  readonly detailFingerprint: string | null
  readonly readFingerprint: string | null
  /** Milliseconds since its detail or media were last asked for; null: never. */
  readonly sinceCheckedMs: number | null
  /** Everything is to be read anew, also what looks unchanged. */
  readonly isReconcile: boolean
  /** A person asked for it, not the schedule. */
  readonly isUserInitiated: boolean
  /** Files that wait to be downloaded; those that failed and wait for their next try are not among them. */
  readonly openJobs: number
  /** Files that the service announced but has not delivered a record or link for. */
  readonly notUploaded: boolean
  /** Questions with an unconfirmed answer without photos are due to be asked about again. */
  readonly isConfirmationDue: boolean
}

/**
 * `nothing` costs no call; `media` asks for the media of the questions that are not settled; `read` asks for the
 * checklist first, and then for all its media.
 */
export type ChecklistPlan = 'nothing' | 'media' | 'read'

/**
 * A checklist whose photos still travel is polled every minute, and every photo question asked each time would take most
 * of the rate budget. What arrives shows in the update time, or at the latest when the checklist is completed. A person
 * who asks again wants to know.
 */
const uploadLookMs = { person: 60_000, schedule: 15 * 60_000 }
/** Where the service tells no update time, a checklist is read anew once a day. */
const blindLookMs = 24 * 60 * 60_000

/** Statuses in which no media can be there yet (specification, section 3.1). Unknown ones may have media. */
const statusesWithoutMedia: ReadonlySet<string> = new Set(['draft', 'formSubmitted'])

export const mayHaveMedia = (status: string) => !statusesWithoutMedia.has(status)

/** Decides what one pass asks the service about one checklist. */
export function planChecklist(input: PlanInput): ChecklistPlan {
  const waiting = input.openJobs > 0 ? 'media' : 'nothing'
  if (!mayHaveMedia(input.status)) return waiting
  if (input.isReconcile || input.detailFingerprint !== input.fingerprint) return 'read'
  const sinceCheckedMs = input.sinceCheckedMs ?? Infinity
  if (!input.hasUpdatedAt && sinceCheckedMs >= blindLookMs) return 'read'
  if (input.readFingerprint !== input.fingerprint) return 'media'
  if (input.isConfirmationDue) return 'media'
  // A finished checklist with a gap is wrong now; one whose photos still travel is given time.
  const isWrongNow = input.isUserInitiated && input.status === 'completed'
  const lookMs = input.isUserInitiated ? uploadLookMs.person : uploadLookMs.schedule
  if (input.notUploaded && (isWrongNow || sinceCheckedMs >= lookMs)) return 'media'
  return waiting
}
