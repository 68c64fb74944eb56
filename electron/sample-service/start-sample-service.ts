import { photoBytes, thumbnailBytes } from './files/photos.ts'
import { reportBytes } from './files/reports.ts'
import { errorAnswer } from './http/answer.ts'
import type { Answer } from './http/answer.ts'
import { createApiCalls } from './http/api-calls.ts'
import { refuseToken } from './http/authorize.ts'
import { FaultControl } from './http/faults.ts'
import { createFileRequests } from './http/file-requests.ts'
import type { SampleFiles } from './http/file-requests.ts'
import { createRateLimit } from './http/rate-limit.ts'
import { RequestLog } from './http/request-log.ts'
import { createShapes } from './http/response-shapes.ts'
import { startServer } from './http/sample-server.ts'
import { createLinkSigner } from './http/signed-links.ts'
import { resolveOptions } from './options.ts'
import type { SampleServiceOptions } from './options.ts'
import { OrderBook } from './orders/order-book.ts'
import type { SampleService } from './sample-service.ts'
import { createSiteLife } from './site/checklist-life.ts'
import { SampleSite } from './site/sample-site.ts'
import { createSiteChanges } from './site/site-changes.ts'

export type { SampleServiceOptions } from './options.ts'
export type { SampleService } from './sample-service.ts'

/** One session for all: a client that sends this cookie to the file host has mixed up the origins. */
const sessionCookie = 'sample_session=not-a-secret; Path=/; HttpOnly; SameSite=Lax'

/**
 * Starts the service: an API and a file host on 127.0.0.1, on any free ports unless told which. Rejects with a
 * RangeError for sizes that cannot be, and with the system's error for a port that is taken.
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
  const rateLimit = createRateLimit(settings.callsPerMinute, nowMs)
  const step = settings.lifeSpeed > 0 ? createSiteLife(nowMs(), 60_000 / settings.lifeSpeed) : null

  let filesUrl = ''
  const links = createLinkSigner({ seed, baseUrl: () => filesUrl, lifetimeMs: settings.linkLifetimeMs, nowMs })
  const fileServer = await startServer({
    origin: 'files',
    port: settings.filesPort,
    faults,
    log,
    nowMs,
    gate: () => null,
    answer: createFileRequests(site, files, links, settings),
  })
  filesUrl = `http://127.0.0.1:${fileServer.port}`

  const answerCall = createApiCalls({
    site,
    orders,
    shapes: createShapes(settings.shapes, links),
    live: (checklists) => step?.(checklists, nowMs()),
  })
  const gate = (): Answer | null => {
    const waitMs = rateLimit()
    if (waitMs <= 0) return null
    const refused = errorAnswer(429, 'Too many requests, please try again later')
    if (!settings.sendRetryAfter) return refused
    return { ...refused, headers: { ...refused.headers, 'Retry-After': String(Math.ceil(waitMs / 1000)) } }
  }
  const apiServer = await startServer({
    origin: 'api',
    port: settings.port,
    faults,
    log,
    nowMs,
    gate,
    answer(request) {
      const answer = refuseToken(request, token, settings.acceptToken) ?? answerCall(request)
      return { ...answer, headers: { ...answer.headers, 'Set-Cookie': sessionCookie } }
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
    photoBytes: files.photo,
    thumbnailBytes: files.thumbnail,
    reportBytes: files.report,
    async close() {
      await Promise.all([apiServer.close(), fileServer.close()])
    },
  }
}
