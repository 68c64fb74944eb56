import { AppError } from '../../../shared/errors.ts'
import type { Ports } from '../lib/ports.ts'
import { createRedactor, type Redactor } from '../lib/redact.ts'
import { isPathSegment, normalizeBaseUrl } from './base-url.ts'
import { outcomeUnknown } from './call-purpose.ts'
import { createServiceCaller, type ServiceAnswer } from './call-service.ts'
import { credentialStrategies, type CallGroup, type CredentialStrategy } from './credentials.ts'
import { defaultTimeouts, type CallTimeouts } from './http-exchange.ts'
import type { RateBudget } from './rate-budget.ts'
import { saysThereIsMore } from './readers/find-total.ts'
import { readChecklistDetail } from './readers/read-checklist-detail.ts'
import { readChecklistList } from './readers/read-checklist-list.ts'
import { readMediaList } from './readers/read-media.ts'
import { readModuleList } from './readers/read-modules.ts'
import { readOneProject, readProjectList } from './readers/read-projects.ts'
import { readCreatedServiceRequest, readServiceRequestList } from './readers/read-service-requests.ts'
import { unreadableAnswer } from './readers/unreadable-answer.ts'
import type { CallOptions, RemoteQuestion, RemoteServiceRequest, ServiceClient } from './service-types.ts'

export interface ServiceClientOptions {
  /** As typed by a person, see `normalizeBaseUrl`. */
  readonly baseUrl: string
  readonly ports: Ports
  readonly budget: RateBudget
  /** How each group of calls sends the token; the `access_token` query parameter where nothing is said. */
  readonly credentials?: Partial<Record<CallGroup, CredentialStrategy>>
  readonly timeouts?: Partial<CallTimeouts>
  /** Learns each token before it is used; share the one through which the log is written. */
  readonly redactor?: Redactor
}

/** A list as it was read from an answer. `idsOf`: the ids of an entry. */
interface ReadList<T> {
  readonly answer: ServiceAnswer
  readonly list: readonly T[]
  readonly idsOf: (entry: T) => (string | null)[]
}

/** The service's API as typed calls (specification, section 4). Throws `wrong-settings` for an unusable base URL. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { ports, budget, redactor = createRedactor() } = options
  const query: CredentialStrategy = credentialStrategies.query
  const baseUrl = normalizeBaseUrl(options.baseUrl)
  const caller = createServiceCaller({
    baseUrl,
    ports,
    budget,
    credentials: {
      checklists: query,
      media: query,
      serviceRequests: query,
      projects: query,
      modules: query,
      ...options.credentials,
    },
    timeouts: { ...defaultTimeouts, ...options.timeouts },
    redactor,
  })

  const get = (subject: string, group: CallGroup, path: readonly string[], callOptions: CallOptions | undefined) =>
    caller.call({ subject, group, path, options: callOptions })

  /** Rejects ids that contain the token: ids are stored unchanged, in the database and in the archive. */
  const requireIds = (subject: string, ids: Iterable<string | null>): void => {
    for (const id of ids) {
      if (id !== null && redactor.isInName(id)) throw unreadableAnswer(subject, 'an id in it holds the access token')
    }
  }

  const whole = <T>(
    subject: string,
    { answer, list, idsOf, callOptions }: ReadList<T> & { readonly callOptions: CallOptions | undefined },
  ): readonly T[] => {
    requireIds(subject, list.flatMap(idsOf))
    if (saysThereIsMore(answer.json, list.length, answer)) {
      ports.logger.warn('The service says that there is more than it sent', { subject, received: list.length })
      callOptions?.onPartial?.()
    }
    return list
  }

  return {
    async listChecklists(projectId, callOptions) {
      const subject = 'the checklists of a project'
      const path = ['checklist', projectId]
      const call = { subject, group: 'checklists', path, isOfProject: true, options: callOptions } as const
      const answer = await caller.call(call)
      const list = readChecklistList(answer.json, baseUrl)
      return whole(subject, { answer, list, idsOf: idOf, callOptions })
    },
    async getChecklist(projectId, checklistId, callOptions) {
      const path = ['checklist', projectId, servedId(checklistId, 'a checklist')]
      const { json } = await get('a checklist', 'checklists', path, callOptions)
      const detail = readChecklistDetail(json, checklistId, baseUrl)
      const questions = detail.sections.flatMap((section) => section.questions)
      requireIds('a checklist', [detail.id, ...questions.flatMap(idsOfQuestion)])
      return detail
    },
    async getMedia(projectId, categoryId, callOptions) {
      const subject = 'the photos of a question'
      const path = ['media', projectId, servedId(categoryId, subject)]
      const answer = await get(subject, 'media', path, callOptions)
      const list = readMediaList(answer.json, baseUrl)
      return whole(subject, { answer, list, idsOf: idOf, callOptions })
    },
    async listProjects(callOptions) {
      const subject = 'the projects'
      const answer = await get(subject, 'projects', ['projects'], callOptions)
      const list = readProjectList(answer.json)
      return whole(subject, { answer, list, idsOf: idOf, callOptions })
    },
    async getProject(projectId, callOptions) {
      const { json } = await get('a project', 'projects', ['projects', projectId], callOptions)
      return readOneProject(json, projectId)
    },
    async listServiceRequests(projectId, callOptions) {
      const subject = 'the orders of a project'
      const path = ['serviceRequests', 'project', projectId]
      const answer = await get(subject, 'serviceRequests', path, callOptions)
      const list = readServiceRequestList(answer.json)
      return whole(subject, { answer, list, idsOf: idsOfOrder, callOptions })
    },
    async listModules(userId, kind, callOptions) {
      const subject = 'the module library'
      const path = ['module-library', ...(kind === 'combined' ? ['combined'] : []), servedId(userId, subject)]
      const answer = await get(subject, 'modules', path, callOptions)
      // Of modules only names are kept.
      return whole(subject, { answer, list: readModuleList(answer.json), idsOf: () => [], callOptions })
    },
    async createServiceRequest(body, callOptions) {
      const call = { subject: 'the new order', group: 'serviceRequests', path: ['serviceRequests'] } as const
      return readOrder(async () => {
        const { json } = await caller.call({ ...call, body: orderText(body), options: callOptions })
        const order = readCreatedServiceRequest(json)
        requireIds(call.subject, idsOfOrder(order))
        return order
      })
    },
    get callCount() {
      return caller.callCount
    },
  }
}

const idOf = ({ id }: { readonly id: string | null }) => [id]

function idsOfQuestion({ mediaCategoryId, clientRefIds }: RemoteQuestion): (string | null)[] {
  return [mediaCategoryId, ...(clientRefIds ?? [])]
}

function idsOfOrder({ id, projectId, designId }: RemoteServiceRequest): (string | null)[] {
  return [id, projectId, designId]
}

/** Returns an id that the service sent. An unusable one is an unreadable answer, not a mistake of the user's. */
function servedId(id: string, subject: string): string {
  if (isPathSegment(id)) return id
  throw new AppError(
    'unreadable-answer',
    `The service gave an id that cannot be asked for, so ${subject} could not be read. What is archived stays as it ` +
      "is. If it stays like this, ask the service's support.",
  )
}

function orderText(body: unknown): string {
  try {
    const text: unknown = JSON.stringify(body)
    if (typeof text === 'string') return text
  } catch {
    // Cycles and big integers have no JSON.
  }
  throw new AppError('wrong-usage', 'The order cannot be written as JSON. It was not sent; check its file.')
}

/** An answer that cannot be read means something else here: the service may well have taken the order. */
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
