import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AppError } from '../../../shared/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Api } from '../../app/api/create-api.ts'
import type { Log } from '../../engine/lib/ports.ts'
import { Admission, bracketed, isFromElsewhere, isOwnHost } from './access.ts'
import {
  answerBundle,
  answerCall,
  answerFile,
  bundlePath,
  createStaticFiles,
  sendError,
  sendPage,
  type SentBundle,
} from './answers.ts'
import { createEventStream } from './event-stream.ts'

/**
 * Longer than browsers keep an idle connection (Chrome: five minutes): one that closes while a call is being sent would
 * be an error to the page.
 */
const keepAliveMs = 6 * 60_000

export interface HttpHostOptions {
  readonly api: Api
  readonly openAsset: Engine['openAsset']
  readonly makeBundle: () => Promise<SentBundle>
  readonly log: Log
  /** Address or name of this machine to listen on. */
  readonly host: string
  /** Port to listen on; 0 for any free one. */
  readonly port: number
  /** Absolute path of the built renderer. */
  readonly rendererFolder: string
  /** Called with the address and its one-time token: at the start, and with a new token whenever one was used. */
  readonly onAddress: (address: string) => void
}

export interface HttpHost {
  /** `http://<host>:<port>`, without a token. */
  readonly origin: string
  close(): Promise<void>
}

/**
 * Serves the app to browsers. Throws `wrong-usage` if it cannot listen. Every request must be addressed to a name of
 * this machine and must not come from another site; everything but the exchange of the token needs a session.
 */
export async function startHttpHost(options: HttpHostOptions): Promise<HttpHost> {
  const { api, log, host } = options
  const admission = new Admission()
  const eventStream = createEventStream(api)
  const staticFiles = createStaticFiles(options.rendererFolder)
  let port = options.port

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isOwnHost(request.headers.host, host)) {
      return sendError(response, 421, 'no-permission', 'This is not the address under which Solarchive was opened.')
    }
    const path = pathOf(request)
    const token = path === undefined ? undefined : /^\/open\/([\w-]{1,200})$/.exec(path)?.[1]
    if (token !== undefined && request.method === 'GET') return admit(token, response)
    if (isFromElsewhere(request.headers)) {
      return sendError(response, 403, 'no-permission', 'The request came from another site and was refused.')
    }
    if (!admission.hasSession(request.headers, port)) return refuse(path ?? '', response)
    if (path === undefined) return sendError(response, 400, 'wrong-usage', 'There is nothing at this address.')
    await route(path, request, response)
  }

  /**
   * A redirect would count as the linking site's, without the SameSite=Strict cookie; a refresh of our own page is
   * same-site.
   */
  function admit(token: string, response: ServerResponse): void {
    const cookie = admission.exchange(token, port)
    if (cookie === undefined) return refuse('/', response)
    response.setHeader('Set-Cookie', cookie)
    sendPage(response, 200, ['Opening Solarchive.'], '<meta http-equiv="refresh" content="0;url=/">')
    options.onAddress(address())
  }

  async function route(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = /^\/api\/call\/([\w.-]{1,100})$/.exec(path)?.[1]
    if (name !== undefined && request.method === 'POST') return answerCall(api, name, request, response)
    const isReading = request.method === 'GET' || request.method === 'HEAD'
    if (!isReading || name !== undefined) {
      return sendError(response, 405, 'wrong-usage', 'This address does not accept that method.')
    }
    if (path === '/api/events' && request.method === 'GET') return eventStream.answer(request, response)
    if (path === bundlePath) return answerBundle(options.makeBundle, request, response)
    const [, folder, id] = /^\/(files|thumbnails)\/([^/]+)$/.exec(path) ?? []
    if ((folder === 'files' || folder === 'thumbnails') && id !== undefined)
      return answerFile(options.openAsset, { folder, id }, request, response)
    if (/^\/(?:api|files|thumbnails)(?:\/|$)/.test(path)) {
      return sendError(response, 404, 'not-found', 'There is nothing at this address.')
    }
    return staticFiles(path, request, response)
  }

  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // The browser closed the connection and needs no answer.
      if (response.destroyed || request.destroyed) return
      log.error('A request of the browser could not be answered', { cause: error })
      if (response.headersSent) response.destroy()
      else
        sendError(
          response,
          500,
          'internal',
          'Something unexpected went wrong inside Solarchive. See the log for details.',
        )
    })
  })
  const address = () => `http://${bracketed(host)}:${port}/open/${admission.token}`
  try {
    server.listen(options.port, host)
    await once(server, 'listening')
  } catch (error) {
    throw cannotListen(error, options)
  }
  port = (server.address() as AddressInfo).port
  options.onAddress(address())
  return {
    origin: `http://${bracketed(host)}:${port}`,
    async close() {
      eventStream.close()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
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

function refuse(path: string, response: ServerResponse): void {
  const message = 'Open the address that Solarchive printed when it was started, or the one it printed last.'
  if (/^\/(?:api|files|thumbnails)\//.test(path)) return sendError(response, 401, 'no-permission', message)
  sendPage(response, 401, ['This browser has no access yet.', `${message} Each works once.`])
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
