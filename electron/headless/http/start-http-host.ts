import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AppError } from '../../../shared/errors.ts'
import type { App } from '../../app/create-app.ts'
import type { Clock, Log } from '../../engine/lib/ports.ts'
import {
  Admission,
  bracketed,
  isFromElsewhere,
  isOwnHost,
  openableHost,
  type Reach,
  reachOf,
  type BrowserSession,
} from './access.ts'
import {
  answerBundle,
  answerCall,
  answerCopies,
  answerWritten,
  answerFile,
  bundlePath,
  createStaticFiles,
  sendAnswer,
  sendError,
  sendOpeningPage,
  sendPage,
  sendSessionScript,
  sessionScriptPath,
  type SentBundle,
} from './answers.ts'
import { createEventStream } from './event-stream.ts'

/**
 * Longer than browsers keep an idle connection (Chrome: five minutes): one that closes while a call is being sent would
 * be an error to the page.
 */
const keepAliveMs = 6 * 60_000

/** Far more than the tabs of a few browsers open, and few enough that nobody exhausts the process's file handles. */
const maxConnections = 256

/**
 * Time for the headers of a request. Browsers also open connections in advance, and use them some seconds later: much
 * later on a busy machine, where a request that is sent just then would be an error to the page.
 */
const headersTimeoutMs = 60_000

/** Interval at which connections are checked for that. */
const connectionCheckMs = 1_000

const internalFailure = 'Something unexpected went wrong inside Solarchive. See the log for details.'

/** Why an address is printed: at the start, because one was used, or because all browsers were logged out. */
export type AddressReason = 'started' | 'opened' | 'logged-out'

export interface HttpHostOptions {
  readonly app: Pick<App, 'api' | 'openAsset' | 'copies' | 'openWritten'>
  readonly makeBundle: () => Promise<SentBundle>
  readonly log: Log
  /** Address or name of this machine to listen on. */
  readonly host: string
  /** Port to listen on; 0 for any free one. */
  readonly port: number
  /** Absolute path of the built renderer. */
  readonly rendererFolder: string
  /** Called with the address and its one-time token, at the start and whenever there is a new one. */
  readonly onAddress: (address: string, reason: AddressReason) => void
  /** Called once it listens, before the first `onAddress`. */
  readonly onListening?: (reach: Reach) => void
  readonly clock: Clock
  /** Default: `headersTimeoutMs`. */
  readonly headersTimeoutMs?: number
}

/**
 * Serves the app to browsers. Throws `wrong-usage` if it cannot listen. Every request must be addressed to a name of
 * this machine and must not come from another site. Everything but the exchange of the token needs a session, and every
 * address but those of the built pages, which contain no data, needs a key of that session too.
 */
export async function startHttpHost(options: HttpHostOptions) {
  const { app, log, host, clock } = options
  const admission = new Admission(clock)
  const eventStream = createEventStream(app.api)
  const route = createRoutes(options, eventStream)
  let { port } = options
  /** Host of the printed address, and the one that requests may name. */
  let [openAt, ownHost] = [host, host]

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers } = request
    const session = admission.sessionOf(headers, port)
    // Otherwise a program without a session could keep all connections for as long as a browser may.
    if (session === undefined) response.shouldKeepAlive = false
    if ((request.headersDistinct.host?.length ?? 0) > 1) {
      return sendError(response, 400, 'wrong-usage', 'The request names more than one host.')
    }
    if (!isOwnHost(headers.host, ownHost)) {
      return sendError(response, 421, 'no-permission', 'This is not the address under which Solarchive was opened.')
    }
    const path = pathOf(request)
    const token = path === undefined ? undefined : /^\/open\/([\w-]{1,200})$/.exec(path)?.[1]
    if (token !== undefined && request.method === 'GET') return admit(token, response)
    if (isFromElsewhere(headers)) {
      return sendError(response, 403, 'no-permission', 'The request came from another site and was refused.')
    }
    if (session === undefined || path === '/open') return refuse(path ?? '', response)
    if (path === undefined) return sendError(response, 400, 'wrong-usage', 'There is nothing at this address.')
    if (isOfData(path) && !admission.hasKey(session, request)) return refuse(path, response)
    if (path === '/api/log-out' && request.method === 'POST') return logOutEverywhere(response)
    await route({ path, session, request, response })
  }

  /**
   * A redirect would count as the linking site's, without the SameSite=Strict cookie; a page that our own page leads to
   * is same-site.
   */
  function admit(token: string, response: ServerResponse): void {
    const admitted = admission.exchange(token, port)
    if (admitted === undefined) return refuse('/', response)
    response.setHeader('Set-Cookie', admitted.setCookie)
    sendOpeningPage(response, admitted.session.keys)
    options.onAddress(address(), 'opened')
  }

  function logOutEverywhere(response: ServerResponse): void {
    admission.endAll()
    sendAnswer(response, 200, { ok: true, value: {} })
    eventStream.close()
    log.info('All browsers were logged out')
    options.onAddress(address(), 'logged-out')
  }

  const limits = {
    keepAliveTimeout: keepAliveMs,
    headersTimeout: options.headersTimeoutMs ?? headersTimeoutMs,
    connectionsCheckingInterval: connectionCheckMs,
  }
  const server = createServer(limits, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // The browser closed the connection and needs no answer.
      if (response.destroyed || request.destroyed) return
      log.error('A request of the browser could not be answered', { cause: error })
      if (response.headersSent) response.destroy()
      else sendError(response, 500, 'internal', internalFailure)
    })
  })
  server.maxConnections = maxConnections
  const address = () => `http://${bracketed(openAt)}:${port}/open/${admission.token}`
  try {
    server.listen(options.port, host)
    await once(server, 'listening')
  } catch (error) {
    throw cannotListen(error, options)
  }
  const bound = server.address() as AddressInfo
  port = bound.port
  const reach = reachOf(bound.address)
  openAt = openableHost(host, bound.address)
  // "0" and "::0" also stand for all addresses.
  if (reach === 'all') ownHost = bound.address
  options.onListening?.(reach)
  options.onAddress(address(), 'started')
  return {
    /** Without a token; this machine if the host stands for all addresses. */
    origin: `http://${bracketed(openAt)}:${port}`,
    async close(): Promise<void> {
      eventStream.close()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

interface Admitted {
  readonly path: string
  readonly session: BrowserSession
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Returns the function that answers the requests of a session by their paths. */
function createRoutes(
  { app, makeBundle, rendererFolder }: HttpHostOptions,
  eventStream: ReturnType<typeof createEventStream>,
) {
  const { api, openAsset, openWritten } = app
  const staticFiles = createStaticFiles(rendererFolder)
  return async ({ path, session, request, response }: Admitted): Promise<void> => {
    const name = /^\/api\/call\/([\w.-]{1,100})$/.exec(path)?.[1]
    if (name !== undefined && request.method === 'POST') return answerCall(api, name, request, response)
    const isReading = request.method === 'GET' || request.method === 'HEAD'
    if (!isReading || name !== undefined) {
      return sendError(response, 405, 'wrong-usage', 'This address does not accept that method.')
    }
    if (path === '/api/events' && request.method === 'GET') {
      return eventStream.answer(request, response, () => session.isValid())
    }
    if (path === bundlePath) return answerBundle(makeBundle, request, response)
    const [, written] = /^\/last-(export|packet)\.zip$/.exec(path) ?? []
    if (written === 'export' || written === 'packet')
      return answerWritten(() => openWritten(written), request, response)
    const [, folder, id, version] = /^\/(files|thumbnails)\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? []
    if ((folder === 'files' || folder === 'thumbnails') && id !== undefined)
      return answerFile(openAsset, { folder, id, version }, request, response)
    const [, ids] = /^\/copies\/([\d.]+)\.zip$/.exec(path) ?? []
    if (ids !== undefined) return answerCopies(app, ids, request, response)
    if (isOfData(path)) return sendError(response, 404, 'not-found', 'There is nothing at this address.')
    if (path === sessionScriptPath) return sendSessionScript(response)
    return staticFiles(path, request, response)
  }
}

/** Returns the path, decoded once, or `undefined` if it is malformed. */
function pathOf({ url = '' }: IncomingMessage): string | undefined {
  try {
    const path = decodeURIComponent(url.replace(/[?#].*$/s, ''))
    return path.startsWith('/') ? path : undefined
  } catch {
    return undefined
  }
}

/** Returns true for an address that answers with data, unlike the built pages. */
function isOfData(path: string): boolean {
  return path === bundlePath || /^\/(?:(?:api|copies|files|thumbnails)(?:\/|$)|last-)/.test(path)
}

function refuse(path: string, response: ServerResponse): void {
  const how =
    'Open the address that Solarchive printed last; each works once. If Solarchive no longer runs, start it again, ' +
    'with "npm start" or "solarchive serve" as before, and open the address that it prints.'
  if (isOfData(path)) return sendError(response, 401, 'no-permission', `This browser is not logged in. ${how}`)
  const when = 'A browser is logged out after 12 hours without use, after 7 days, and when Solarchive is restarted.'
  sendPage(response, 401, ['This browser is not logged in.', how, when])
}

function cannotListen(error: unknown, { host, port }: HttpHostOptions): AppError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  const why =
    code === 'EADDRINUSE'
      ? 'another program uses it, perhaps another Solarchive'
      : code === 'EACCES'
        ? 'it requires more permissions'
        : `it fails (${code})`
  return new AppError(
    'wrong-usage',
    `Solarchive cannot listen on port ${port} of ${host}: ${why}. Choose another one with --port or --host; without ` +
      '--port, any free one is used.',
    { cause: error },
  )
}
