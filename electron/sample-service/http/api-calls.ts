import { type OrderBody, type OrderBook, sampleModules } from '../orders/order-book.ts'
import { orderProblems } from '../orders/order-rules.ts'
import type { SampleSite } from '../site/sample-site.ts'
import type { SampleChecklist } from '../site/site-types.ts'
import { errorResponse, jsonResponse, type SampleResponse } from './responses.ts'
import type { Shapes } from './response-shapes.ts'
import type { RouteMatch } from './routes.ts'
import type { ServedRequest } from './sample-server.ts'

/** A request to the API whose token was accepted. */
type ApiRequest = Pick<ServedRequest, 'method' | 'url' | 'match' | 'body'>

const rateWindowMs = 60_000

/**
 * Returns a limiter that allows `callsPerMinute` calls in any 60 seconds, 0 for no limit. It returns whether a call may
 * go ahead.
 */
export function createRateLimit(callsPerMinute: number, nowMs: () => number): () => boolean {
  let calls: number[] = []
  return () => {
    if (callsPerMinute === 0) return true
    const now = nowMs()
    calls = calls.filter((at) => at > now - rateWindowMs)
    if (calls.length >= callsPerMinute) return false
    calls.push(now)
    return true
  }
}

/** Returns the 401 for a call without the current token, or null if the token is accepted. */
export function refuseToken(
  { url, headers }: Pick<ServedRequest, 'url' | 'headers'>,
  token: string,
): SampleResponse | null {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const sent = url.searchParams.get('access_token') ?? bearer
  if (sent === undefined || sent === '') return errorResponse(401, 'Access token is missing')
  return sent === token ? null : errorResponse(401, 'Access token is invalid or expired')
}

/** Returns the handler of the API's calls on the site's data. */
export function createApiCalls(deps: {
  site: SampleSite
  orders: OrderBook
  shapes: Shapes
  /** Called with the checklists that are about to be shown, so that they catch up with the clock. */
  advance: (checklists: readonly SampleChecklist[]) => void
}): (request: ApiRequest) => SampleResponse {
  const { site, orders, shapes, advance } = deps
  const noProject = (): SampleResponse => errorResponse(404, 'Project not found')

  const placeOrder = ({ body }: ApiRequest): SampleResponse => {
    let order: unknown
    try {
      order = JSON.parse(body.toString('utf8'))
    } catch {
      return errorResponse(400, 'The request body is not valid JSON', [{ field: '', message: 'must be valid JSON' }])
    }
    const problems = orderProblems(order)
    if (problems.length > 0) return errorResponse(400, 'Validation failed', problems)
    const valid = order as OrderBody
    const project = site.project(valid.projectId)
    return project ? jsonResponse(201, shapes.single(shapes.fields({ ...orders.place(valid, project) }))) : noProject()
  }

  const calls: Partial<Record<RouteMatch['route'], (request: ApiRequest) => SampleResponse>> = {
    checklists({ match: { ids } }) {
      const project = site.project(ids[0] ?? '')
      if (!project) return noProject()
      advance(project.checklists)
      return jsonResponse(200, shapes.list('checklists', project.checklists.map(shapes.checklistHead)))
    },
    checklist({ match: { ids } }) {
      const [projectId = '', checklistId = ''] = ids
      if (!site.project(projectId)) return noProject()
      const checklist = site.checklist(projectId, checklistId)
      if (!checklist) return errorResponse(404, 'Checklist not found')
      advance([checklist])
      return jsonResponse(200, shapes.single(shapes.checklist(checklist)))
    },
    media({ match: { ids } }) {
      const [projectId = '', categoryId = ''] = ids
      const project = site.project(projectId)
      if (!project) return noProject()
      advance(project.checklists)
      return jsonResponse(200, shapes.list('media', site.media(projectId, categoryId).map(shapes.media)))
    },
    projects({ url }) {
      const wanted = (url.searchParams.get('filterBy[address]') ?? '').toLowerCase()
      const found = site.projects.filter(({ address }) => address.toLowerCase().includes(wanted))
      return jsonResponse(200, shapes.list('projects', found.map(shapes.project)))
    },
    project({ match: { ids } }) {
      const project = site.project(ids[0] ?? '')
      return project ? jsonResponse(200, shapes.single(shapes.project(project))) : noProject()
    },
    modules({ match: { ids } }) {
      if (ids[0] !== orders.userId) return errorResponse(404, 'User not found')
      return jsonResponse(200, shapes.list('modules', sampleModules))
    },
    serviceRequests(request) {
      if (request.method === 'POST') return placeOrder(request)
      const projectId = request.match.ids[0] ?? ''
      if (!site.project(projectId)) return noProject()
      const found = orders.of(projectId).map((order) => shapes.fields({ ...order }))
      return jsonResponse(200, shapes.list('serviceRequests', found))
    },
  }

  return (request) => {
    const { route, ids } = request.match
    const call = calls[route]
    if (!call) return errorResponse(404, `Cannot ${request.method} ${request.url.pathname}`)
    const allowed = route === 'serviceRequests' && ids.length === 0 ? 'POST' : 'GET'
    if (request.method === allowed) return call(request)
    const refused = errorResponse(405, `Use ${allowed} for this path`)
    return { ...refused, headers: { ...refused.headers, Allow: allowed } }
  }
}
