import type { Place } from '../../../shared/domain.ts'
import type { HostGate } from '../lib/host-gate.ts'

/** Records as the readers return them. `raw` is the answer's own JSON, links included: redact it before storing. */

/** One entry of `GET checklist/{projectId}`, or the head of `GET checklist/{projectId}/{checklistId}`. */
export interface RemoteChecklist {
  readonly id: string
  readonly title: string | null
  /** A documented status in its documented spelling, any other as sent; `unknown` if absent. */
  readonly status: string
  /** The status as sent; `null` if absent. */
  readonly statusText: string | null
  /** ISO 8601 UTC; `null` if absent or not a time. */
  readonly updatedAt: string | null
  /** Text that the service sent as the update time, if it is not a time: it shows a change all the same. */
  readonly updatedText: string | null
  /** Signed link to the PDF report; `null` if there is none. */
  readonly reportUrl: string | null
  readonly raw: unknown
}

export interface RemoteQuestion {
  readonly label: string
  readonly mediaCategoryId: string | null
  /** Ids of the question's media files; `null` if the field is absent, empty if it is empty. */
  readonly clientRefIds: readonly string[] | null
  /** The answer as one text; `null` if there is no answer, or it is only media. */
  readonly answer: string | null
}

export interface RemoteSection {
  readonly label: string
  readonly questions: readonly RemoteQuestion[]
}

export interface RemoteChecklistDetail extends RemoteChecklist {
  readonly sections: readonly RemoteSection[]
  /** The answer says that it is only a part of the checklist, or has `null` for a section or question. */
  readonly isPartial: boolean
}

/** One record of `GET media/{projectId}/{categoryId}`. */
export interface RemoteMedia {
  /** The record's own id, if it has one. */
  readonly id: string | null
  readonly filename: string | null
  readonly imgUrl: string | null
  readonly thumbnailUrl: string | null
  /** The record has a thumbnail, though perhaps no readable link to it. */
  readonly hasThumbnail: boolean
  readonly place: Place | null
  /** Time when the photo was taken, ISO 8601 UTC, if the record says. */
  readonly takenAt: string | null
  readonly raw: unknown
}

export interface RemoteProject {
  readonly id: string
  readonly name: string | null
  readonly address: string | null
  readonly raw: unknown
}

/** A service request (the service's specification, section 2.3), as far as Solarchive follows it. */
export interface RemoteServiceRequest {
  readonly id: string
  readonly projectId: string | null
  readonly status: string
  readonly tierLevel: string | null
  readonly designId: string | null
  readonly providerName: string | null
  readonly isExpedited: boolean | null
  readonly isAutomated: boolean | null
  readonly revisionCount: string | null
  readonly createdAt: string | null
  readonly updatedAt: string | null
  readonly form: Readonly<Record<string, unknown>> | null
  readonly raw: unknown
}

/** Priorities of calls that wait for the rate budget, highest first. */
export const callPriorities = ['user', 'links', 'hot', 'idle'] as const
export type CallPriority = (typeof callPriorities)[number]

export interface CallOptions {
  readonly priority?: CallPriority
  readonly signal?: AbortSignal
  /** Holds the call back while the service is down; see `HostGate`. */
  readonly gate?: HostGate | undefined
  /** Called if the answer says that it is not the complete list. */
  readonly onPartial?: () => void
  /**
   * Called right before sending, after every wait; if it throws, the call is not sent. An error after that has
   * `details.unsent` if no connection was established, so that the service never received the call.
   */
  readonly beforeSending?: () => void
  /** Called if the service refuses the call because of its limit (429) and it will be sent again after the wait. */
  readonly onPaused?: () => void
}

/**
 * The purpose of a call, which determines what its failure means: what is read for the archive, or asked otherwise, can
 * be asked again at any time; an order may have been placed although its answer was lost.
 */
export type CallPurpose = 'archive' | 'question' | 'order'

/** Consequence of a failure if the service never received the call, or refused it. */
export const nothingHappened: Readonly<Record<CallPurpose, string>> = {
  archive: 'Archived files are unchanged',
  question: 'Nothing was changed',
  order: 'The order was not placed',
}

/** Consequence of a failure if the service may have processed the call. */
export const outcomeUnknown: Readonly<Record<CallPurpose, string>> = {
  archive: 'Archived files are unchanged',
  question: 'Nothing was changed',
  order: 'It is unknown whether the order was placed: check the list of orders before placing it again',
}
