import type { Place } from '../../../shared/domain.ts'

/** What the readers make of the service's answers. `raw` is the answer's own JSON, links included: redact before storing. */

/** One entry of `GET checklist/{projectId}`, or the head of `GET checklist/{projectId}/{checklistId}`. */
export interface RemoteChecklist {
  readonly id: string
  readonly title: string | null
  /** As sent, also when not one of the documented statuses; `unknown` when absent. */
  readonly status: string
  /** ISO 8601 UTC; null when absent or not a time. */
  readonly updatedAt: string | null
  /** The signed link to the PDF report; null when there is none. */
  readonly reportUrl: string | null
  readonly raw: unknown
}

export interface RemoteQuestion {
  readonly label: string
  readonly mediaCategoryId: string | null
  /** The media files that the question has; null when the field is absent, empty when it is present and empty. */
  readonly clientRefIds: readonly string[] | null
}

export interface RemoteSection {
  readonly label: string
  readonly questions: readonly RemoteQuestion[]
}

export interface RemoteChecklistDetail extends RemoteChecklist {
  readonly sections: readonly RemoteSection[]
}

/** One record of `GET media/{projectId}/{categoryId}`. */
export interface RemoteMedia {
  /** The record's own id where it has one. */
  readonly id: string | null
  readonly filename: string | null
  readonly imgUrl: string | null
  readonly thumbnailUrl: string | null
  readonly place: Place | null
  /** When the photo was taken, ISO 8601 UTC, where the record says. */
  readonly takenAt: string | null
  readonly raw: unknown
}

export interface RemoteProject {
  readonly id: string
  readonly name: string | null
  readonly address: string | null
  readonly raw: unknown
}

/** A service request (specification, section 2.3), as far as Solarchive follows it. */
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

/** Who goes first when calls wait for the rate budget; the order of this list is the order of service. */
export const callPriorities = ['user', 'links', 'hot', 'idle'] as const
export type CallPriority = (typeof callPriorities)[number]

export interface CallOptions {
  readonly priority?: CallPriority
  readonly signal?: AbortSignal
  /** Called when the answer itself says that it is not the whole list. */
  readonly onPartial?: () => void
  /**
   * Called right before the first byte goes out, after every wait: what it throws ends the call unsent. An error of a call that
   * was let go on has `details.unsent` where no connection came about, so that the service never had it.
   */
  readonly beforeSending?: () => void
}

/** The service's calls. Each rejects with an AppError only; each counts against the rate budget. */
export interface ServiceClient {
  listChecklists(projectId: string, options?: CallOptions): Promise<readonly RemoteChecklist[]>
  getChecklist(projectId: string, checklistId: string, options?: CallOptions): Promise<RemoteChecklistDetail>
  getMedia(projectId: string, categoryId: string, options?: CallOptions): Promise<readonly RemoteMedia[]>
  listProjects(options?: CallOptions): Promise<readonly RemoteProject[]>
  getProject(projectId: string, options?: CallOptions): Promise<RemoteProject>
  listServiceRequests(projectId: string, options?: CallOptions): Promise<readonly RemoteServiceRequest[]>
  /** Names of the modules that a user can order with; `combined`: with those of the user's company. */
  listModules(userId: string, kind: 'own' | 'combined', options?: CallOptions): Promise<readonly string[]>
  /** Never retried by itself: whether the request was placed is unknown after a timeout or a reset. */
  createServiceRequest(body: unknown, options?: CallOptions): Promise<RemoteServiceRequest>
  /** API calls made so far, retries included. */
  readonly callCount: number
}
