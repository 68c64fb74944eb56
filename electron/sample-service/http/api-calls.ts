import { sampleModules } from '../orders/module-library.ts'
import type { OrderBody, OrderBook } from '../orders/order-book.ts'
import { orderProblems } from '../orders/order-rules.ts'
import type { SampleSite } from '../site/sample-site.ts'
import type { SampleChecklist } from '../site/site-types.ts'
import { errorAnswer, jsonAnswer } from './answer.ts'
import type { Answer } from './answer.ts'
import type { Shapes } from './response-shapes.ts'
import type { RouteMatch } from './routes.ts'

/** A request to the API, whose token was found good. */
export interface ApiRequest {
  readonly method: string
  readonly url: URL
  readonly match: RouteMatch
  readonly body: Buffer
}

/** Answers the API's calls from the site's data. */
export function createApiCalls(parts: {
  site: SampleSite
  orders: OrderBook
  shapes: Shapes
  /** Lets time pass for the checklists that are about to be shown. */
  live: (checklists: readonly SampleChecklist[]) => void
}): (request: ApiRequest) => Answer {
  const { site, orders, shapes, live } = parts
  const noProject = (): Answer => errorAnswer(404, 'Project not found')

  const placeOrder = ({ body }: ApiRequest): Answer => {
    let order: unknown
    try {
      order = JSON.parse(body.toString('utf8'))
    } catch {
      return errorAnswer(400, 'The request body is not valid JSON', [{ field: '', message: 'must be valid JSON' }])
    }
    const problems = orderProblems(order)
    if (problems.length > 0) return errorAnswer(400, 'Validation failed', problems)
    const valid = order as OrderBody
    const project = site.project(valid.projectId)
    return project ? jsonAnswer(201, shapes.single(shapes.fields({ ...orders.place(valid, project) }))) : noProject()
  }

  const calls: Partial<Record<RouteMatch['route'], (request: ApiRequest) => Answer>> = {
    checklists({ match: { ids } }) {
      const project = site.project(ids[0] ?? '')
      if (!project) return noProject()
      live(project.checklists)
      return jsonAnswer(200, shapes.list('checklists', project.checklists.map(shapes.checklistHead)))
    },
    checklist({ match: { ids } }) {
      const [projectId = '', checklistId = ''] = ids
      if (!site.project(projectId)) return noProject()
      const checklist = site.checklist(projectId, checklistId)
      if (!checklist) return errorAnswer(404, 'Checklist not found')
      live([checklist])
      return jsonAnswer(200, shapes.single(shapes.checklist(checklist)))
    },
    media({ match: { ids } }) {
      const [projectId = '', categoryId = ''] = ids
      const project = site.project(projectId)
      if (!project) return noProject()
      live(project.checklists)
      return jsonAnswer(200, shapes.list('media', site.media(projectId, categoryId).map(shapes.media)))
    },
    projects({ url }) {
      const wanted = (url.searchParams.get('filterBy[address]') ?? '').toLowerCase()
      const found = site.projects.filter(({ address }) => address.toLowerCase().includes(wanted))
      return jsonAnswer(200, shapes.list('projects', found.map(shapes.project)))
    },
    project({ match: { ids } }) {
      const project = site.project(ids[0] ?? '')
      return project ? jsonAnswer(200, shapes.single(shapes.project(project))) : noProject()
    },
    modules({ match: { ids } }) {
      if (ids[0] !== orders.userId) return errorAnswer(404, 'User not found')
      return jsonAnswer(200, shapes.list('modules', sampleModules))
    },
    serviceRequests(request) {
      if (request.method === 'POST') return placeOrder(request)
      const projectId = request.match.ids[0] ?? ''
      if (!site.project(projectId)) return noProject()
      const found = orders.of(projectId).map((order) => shapes.fields({ ...order }))
      return jsonAnswer(200, shapes.list('serviceRequests', found))
    },
  }

  return (request) => {
    const { route, ids } = request.match
    const call = calls[route]
    if (!call) return errorAnswer(404, `Cannot ${request.method} ${request.url.pathname}`)
    const allowed = route === 'serviceRequests' && ids.length === 0 ? 'POST' : 'GET'
    if (request.method === allowed) return call(request)
    const refused = errorAnswer(405, `Use ${allowed} for this path`)
    return { ...refused, headers: { ...refused.headers, Allow: allowed } }
  }
}
