import { photoBytes, thumbnailBytes } from './files/photos.ts'
import { reportBytes } from './files/reports.ts'
import { createApiCalls, createRateLimit, refuseToken } from './http/api-calls.ts'
import { FaultControl } from './http/faults.ts'
import { createFileRequests, createLinkSigner, type SampleFiles } from './http/file-requests.ts'
import { RequestLog } from './http/request-log.ts'
import { createShapes } from './http/response-shapes.ts'
import { errorResponse, type SampleResponse } from './http/responses.ts'
import { startServer } from './http/sample-server.ts'
import { resolveOptions, type SampleServiceOptions } from './options.ts'
import { OrderBook, type SampleOrder } from './orders/order-book.ts'
import { createSiteLife } from './site/checklist-life.ts'
import { SampleSite } from './site/sample-site.ts'
import { createSiteChanges, type SiteChanges } from './site/site-changes.ts'
import type { SampleChecklist, SamplePhoto, SampleProject } from './site/site-types.ts'

export type { SampleServiceOptions } from './options.ts'

/** A running sample service. Changes show in its next response. */
export interface SampleService extends SiteChanges {
  /** The API, `http://127.0.0.1:<port>`; the paths follow (`/api/v1/...`). */
  readonly url: string
  /** The file host, another origin: `http://127.0.0.1:<other port>`. */
  readonly filesUrl: string
  /** The token that is accepted now. */
  readonly token: string
  /** The data that is served; changes to it are served as well. */
  readonly projects: readonly SampleProject[]
  /** All service requests, oldest first. */
  readonly orders: readonly SampleOrder[]
  readonly faults: FaultControl
  readonly requests: RequestLog
  /** Replaces the token; the old one is refused from then on. */
  setToken(token: string): void
  setOrderStatus(orderId: string, status: string): SampleOrder
  /** Lists orders that are placed from now on only once the returned function is called. */
  recordOrdersLate(): () => void
  /** The bytes that are served now. `reportBytes` rejects with a RangeError if there is no report yet. */
  photoBytes(photo: SamplePhoto): Promise<Buffer>
  thumbnailBytes(photo: SamplePhoto): Promise<Buffer>
  reportBytes(checklist: SampleChecklist): Promise<Buffer>
  /** Stops immediately: open connections are destroyed. */
  close(): Promise<void>
}

/** Session cookie of the API. A client that sends it to the file host has mixed up the origins. */
const sessionCookie = 'sample_session=not-a-secret; Path=/; HttpOnly; SameSite=Lax'

/**
 * Starts the service: an API and a file host on 127.0.0.1, on the ports of the options or on any free ones. Rejects
 * with a RangeError for impossible sizes, and with the system's error for a port that is in use.
 */
export async function startSampleService(options: SampleServiceOptions = {}): Promise<SampleService> {
  const settings = resolveOptions(options)
  const { seed, nowMs } = settings
  let token = settings.token

  const site = new SampleSite(settings.plan, settings.projects)
  const orders = new OrderBook(seed, site, settings.existingOrders, nowMs)
  const files: SampleFiles = {
    photo: (photo) => photoBytes(site.findProject(photo.projectId), photo, settings.photoBytes),
    thumbnail: thumbnailBytes,
    async report(checklist) {
      const { report, projectId } = checklist
      if (!report) throw new RangeError(`The checklist ${checklist.id} has no report yet`)
      return reportBytes(site.findProject(projectId), checklist, report, settings.reportBytes)
    },
  }
  const faults = new FaultControl()
  const log = new RequestLog(settings.requestLogLimit)
  const mayCall = createRateLimit(settings.callsPerMinute, nowMs)
  const siteLife = settings.lifeSpeed > 0 ? createSiteLife(nowMs(), 60_000 / settings.lifeSpeed) : null

  let filesUrl = ''
  const links = createLinkSigner({ seed, baseUrl: () => filesUrl, lifetimeMs: settings.linkLifetimeMs, nowMs })
  const fileServer = await startServer({
    origin: 'files',
    port: settings.filesPort,
    faults,
    log,
    nowMs,
    gate: () => null,
    respond: createFileRequests(site, files, links, settings.validators),
  })
  filesUrl = `http://127.0.0.1:${fileServer.port}`

  const respondToCall = createApiCalls({
    site,
    orders,
    shapes: createShapes(settings.shapes, links),
    advance: (checklists) => siteLife?.(checklists, nowMs()),
  })
  const gate = (): SampleResponse | null => {
    return mayCall() ? null : errorResponse(429, 'Too many requests, please try again later')
  }
  const apiServer = await startServer({
    origin: 'api',
    port: settings.port,
    faults,
    log,
    nowMs,
    gate,
    respond(request) {
      const response = refuseToken(request, token) ?? respondToCall(request)
      return { ...response, headers: { ...response.headers, 'Set-Cookie': sessionCookie } }
    },
  }).catch(async (error: unknown) => {
    await fileServer.close()
    throw error
  })

  return {
    ...createSiteChanges(site, nowMs),
    url: `http://127.0.0.1:${apiServer.port}`,
    filesUrl,
    get token() {
      return token
    },
    projects: site.projects,
    get orders() {
      return orders.all
    },
    faults,
    requests: log,
    setToken(next) {
      token = next
    },
    setOrderStatus: (orderId, status) => orders.setStatus(orderId, status),
    recordOrdersLate: () => orders.recordLate(),
    photoBytes: files.photo,
    thumbnailBytes: files.thumbnail,
    reportBytes: files.report,
    async close() {
      await Promise.all([apiServer.close(), fileServer.close()])
    },
  }
}
