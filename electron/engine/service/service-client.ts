import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../shared/errors.ts'
import type { Logger, Ports } from '../lib/ports.ts'
import { createRedactor, isLink, type Redactor } from '../lib/redact.ts'
import { isPathSegment, normalizeBaseUrl } from './base-url.ts'
import { ServiceCaller, type ServiceAnswer } from './call-service.ts'
import { defaultTimeouts, type CallTimeouts } from './http-exchange.ts'
import { Outbound } from './outbound.ts'
import type { RateBudget } from './rate-budget.ts'
import type { RecordList } from './readers/find-list.ts'
import { headSaysMore, saysThereIsMore } from './readers/find-total.ts'
import { readChecklistDetail } from './readers/read-checklist-detail.ts'
import { readChecklistList } from './readers/read-checklist-list.ts'
import { photoTotals, readMediaList } from './readers/read-media.ts'
import { readModuleList } from './readers/read-modules.ts'
import { readOneProject, readProjects } from './readers/read-projects.ts'
import { readCreatedServiceRequest, readServiceRequestList } from './readers/read-service-requests.ts'
import { unreadableAnswer } from './readers/unreadable-answer.ts'
import {
  type CallOptions,
  type CallPurpose,
  type RemoteChecklist,
  type RemoteChecklistDetail,
  type RemoteMedia,
  type RemoteProject,
  type RemoteQuestion,
  type RemoteServiceRequest,
  outcomeUnknown,
} from './service-types.ts'

export interface ServiceClientOptions {
  /** As typed by a user; see `normalizeBaseUrl`. */
  readonly baseUrl: string
  readonly ports: Ports
  readonly budget: RateBudget
  readonly timeouts?: Partial<CallTimeouts>
  /** Default: direct connections. */
  readonly outbound?: Outbound
  /** Receives each token before it is used; share the one of the log. */
  readonly redactor?: Redactor
}

/** A list read from an answer. */
interface ReadList<T> {
  readonly answer: ServiceAnswer
  readonly read: RecordList<T>
  /** Returns the ids of a record. */
  readonly idsOf: (entry: T) => (string | null)[]
  /** Returns the id of a record that is stored unchanged. */
  readonly storedIdOf?: (entry: T) => string
  /** Names of the total that only such a list has; see `saysThereIsMore`. */
  readonly ownTotals?: readonly string[]
  readonly callOptions: CallOptions | undefined
}

/**
 * The service's API as typed calls (the service's specification, section 4). Each rejects with an AppError only; each
 * counts against the rate budget.
 */
export class ServiceClient {
  readonly #baseUrl: string
  readonly #caller: ServiceCaller
  readonly #logger: Logger
  readonly #redactor: Redactor

  /** Throws `wrong-settings` for an unusable base URL. */
  constructor(options: ServiceClientOptions) {
    const { baseUrl, ports, budget, timeouts, redactor = createRedactor() } = options
    this.#baseUrl = normalizeBaseUrl(baseUrl)
    this.#logger = ports.logger
    this.#redactor = redactor
    this.#caller = new ServiceCaller({
      baseUrl: this.#baseUrl,
      ports,
      budget,
      timeouts: { ...defaultTimeouts, ...timeouts },
      outbound: options.outbound ?? new Outbound(),
      redactor,
    })
  }

  /** API calls made so far, retries included. */
  get callCount(): number {
    return this.#caller.callCount
  }

  async listChecklists(projectId: string, callOptions?: CallOptions): Promise<readonly RemoteChecklist[]> {
    const subject = 'the checklists of a project'
    const path = ['checklist', projectId]
    const call = { subject, purpose: 'archive', path, isOfProject: true, options: callOptions } as const
    const answer = await this.#caller.call(call)
    const read = readChecklistList(answer.json, this.#baseUrl, projectId)
    return this.#checkedList(subject, { answer, read, idsOf: idOf, storedIdOf, callOptions })
  }

  async getChecklist(
    projectId: string,
    checklistId: string,
    callOptions?: CallOptions,
  ): Promise<RemoteChecklistDetail> {
    const subject = 'a checklist'
    const path = ['checklist', projectId, servedId(checklistId, subject)]
    const answer = await this.#get(subject, 'archive', path, callOptions)
    const redact = (text: string) => this.#redactor.evidence.redactText(text)
    const detail = readChecklistDetail(answer.json, checklistId, this.#baseUrl, redact)
    const questions = detail.sections.flatMap((section) => section.questions)
    this.#requireSafeIds(subject, [detail.id, ...questions.flatMap(idsOfQuestion)])
    await nextTurn()
    // Totals and marks of a next page beside a checklist may be of anything in it.
    return { ...detail, isPartial: detail.isPartial || headSaysMore(answer, Infinity) }
  }

  async getMedia(projectId: string, categoryId: string, callOptions?: CallOptions): Promise<readonly RemoteMedia[]> {
    const subject = 'the photos of a question'
    const path = ['media', projectId, servedId(categoryId, subject)]
    const answer = await this.#get(subject, 'archive', path, callOptions)
    const read = readMediaList(answer.json, this.#baseUrl)
    return this.#checkedList(subject, { answer, read, idsOf: idOf, ownTotals: photoTotals, callOptions })
  }

  async listProjects(callOptions?: CallOptions): Promise<readonly RemoteProject[]> {
    const subject = 'the projects'
    const answer = await this.#get(subject, 'question', ['projects'], callOptions)
    const read = readProjects(answer.json)
    return this.#checkedList(subject, { answer, read, idsOf: idOf, storedIdOf, callOptions })
  }

  async getProject(projectId: string, callOptions?: CallOptions): Promise<RemoteProject> {
    const { json } = await this.#get('a project', 'question', ['projects', projectId], callOptions)
    return readOneProject(json, projectId)
  }

  async listServiceRequests(projectId: string, callOptions?: CallOptions): Promise<readonly RemoteServiceRequest[]> {
    const subject = 'the orders of a project'
    const path = ['serviceRequests', 'project', projectId]
    const answer = await this.#get(subject, 'question', path, callOptions)
    const read = readServiceRequestList(answer.json, projectId)
    return this.#checkedList(subject, { answer, read, idsOf: idsOfOrder, storedIdOf, callOptions })
  }

  /**
   * Resolves to the names of the modules that a user can order with; `combined` includes those of the user's company.
   */
  async listModules(userId: string, kind: 'own' | 'combined', callOptions?: CallOptions): Promise<readonly string[]> {
    const subject = 'the module library'
    const path = ['module-library', ...(kind === 'combined' ? ['combined'] : []), servedId(userId, subject)]
    const answer = await this.#get(subject, 'question', path, callOptions)
    // Only the names of modules are stored, never their ids.
    return this.#checkedList(subject, { answer, read: readModuleList(answer.json), idsOf: () => [], callOptions })
  }

  /** Never retried automatically: after a timeout or a reset it is unknown whether the order was placed. */
  async createServiceRequest(body: unknown, callOptions?: CallOptions): Promise<RemoteServiceRequest> {
    const call = { subject: 'the new order', purpose: 'order', path: ['serviceRequests'] } as const
    return readOrder(async () => {
      const request = { ...call, body: orderText(body), isOfProject: true, options: callOptions }
      const { json } = await this.#caller.call(request)
      const order = readCreatedServiceRequest(json)
      this.#requireSafeIds(call.subject, idsOfOrder(order))
      requireStorable(call.subject, [order.id])
      return order
    })
  }

  #get(subject: string, purpose: CallPurpose, path: readonly string[], callOptions: CallOptions | undefined) {
    return this.#caller.call({ subject, purpose, path, options: callOptions })
  }

  /** Rejects ids that contain the token. */
  #requireSafeIds(subject: string, ids: Iterable<string | null>): void {
    for (const id of ids) {
      if (id !== null && this.#redactor.isInName(id)) {
        throw unreadableAnswer(subject, 'an ID in it contains the access token')
      }
    }
  }

  /** Returns the list after checking its ids and whether it is complete. What the caller does with it takes a turn. */
  async #checkedList<T>(
    subject: string,
    { answer, read, idsOf, storedIdOf, ownTotals, callOptions }: ReadList<T>,
  ): Promise<readonly T[]> {
    const { list, entryCount, lacksEntry } = read
    this.#requireSafeIds(subject, list.flatMap(idsOf))
    if (storedIdOf !== undefined) requireStorable(subject, list.map(storedIdOf))
    if (lacksEntry || saysThereIsMore(answer.json, entryCount, answer, ownTotals)) {
      this.#logger.warn('The service says that there is more than it sent', { subject, received: entryCount })
      callOptions?.onPartial?.()
    }
    await nextTurn()
    return list
  }
}

const idOf = ({ id }: { readonly id: string | null }) => [id]
const storedIdOf = ({ id }: { readonly id: string }) => id

/**
 * Throws `unreadable-answer` for an id that is a link, which would be stored with its signature, or has half of an
 * emoji, which the database replaces: it would be another id.
 */
function requireStorable(subject: string, ids: readonly string[]): void {
  if (ids.some(isLink)) throw unreadableAnswer(subject, 'an ID in it is a link')
  if (!ids.every((id) => id.isWellFormed())) throw unreadableAnswer(subject, 'an ID in it is damaged')
}

function idsOfQuestion({ mediaCategoryId, clientRefIds }: RemoteQuestion): (string | null)[] {
  return [mediaCategoryId, ...(clientRefIds ?? [])]
}

function idsOfOrder({ id, projectId, designId }: RemoteServiceRequest): (string | null)[] {
  return [id, projectId, designId]
}

/**
 * Returns an id that the service sent. Throws `unreadable-answer` for an unusable one, which is no mistake of the user.
 */
function servedId(id: string, subject: string): string {
  if (isPathSegment(id)) return id
  throw new AppError(
    'unreadable-answer',
    `The service sent an ID that cannot be used in a request, so ${subject} could not be read. Archived files are ` +
      "unchanged. If this happens again, ask the service's support.",
  )
}

function orderText(body: unknown): string {
  try {
    const text: unknown = JSON.stringify(body)
    if (typeof text === 'string') return text
  } catch {
    // Cycles and big integers cannot be written as JSON.
  }
  throw new AppError('wrong-usage', 'The order cannot be written as JSON. It was not sent; check its file.')
}

/** Converts the error of an unreadable answer: the service may have accepted the order. */
async function readOrder(read: () => Promise<RemoteServiceRequest>): Promise<RemoteServiceRequest> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unreadable-answer') throw error
    throw new AppError(
      'unreadable-answer',
      `The service answered the order, but its answer could not be read. ${outcomeUnknown.order}.`,
      { ...(error.details === undefined ? {} : { details: error.details }), cause: error },
    )
  }
}
