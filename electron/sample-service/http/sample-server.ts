import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { errorResponse, type SampleResponse } from './responses.ts'
import type { Fault, FaultControl } from './faults.ts'
import type { RequestLog, RequestRecord } from './request-log.ts'
import { matchRoute, type Origin, type RouteMatch } from './routes.ts'

/** More than any order needs. */
const maxBodyBytes = 1024 * 1024

/** Longer than a test's pause between requests, so that kept connections are not closed under a client's hands. */
const keepAliveMs = 65_000

export interface ServedRequest {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly match: RouteMatch
  readonly body: Buffer
}

/** Returns the request's body, or null if it is larger than `maxBodyBytes`. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= maxBodyBytes) chunks.push(chunk)
  }
  return size > maxBodyBytes ? null : Buffer.concat(chunks)
}

/** Starts one of the two servers on 127.0.0.1: it logs each request, applies the fault that hits it, or responds. */
export async function startServer(options: {
  readonly origin: Origin
  readonly port: number
  readonly faults: FaultControl
  readonly log: RequestLog
  readonly nowMs: () => number
  /** Called before faults: returns the refusal, or null to let the request through. */
  readonly gate: () => SampleResponse | null
  readonly respond: (request: ServedRequest) => SampleResponse | Promise<SampleResponse>
}) {
  const { origin, faults, log } = options
  const stopped = new AbortController()
  const isStopped = once(stopped.signal, 'abort')

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const method = request.method ?? 'GET'
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const match = matchRoute(origin, url.pathname)
    const subject = { origin, route: match.route, method, path: url.pathname, search: url.search }
    const record: RequestRecord = { ...subject, headers: request.headers, at: options.nowMs(), status: null }
    log.add(record)
    const send = (made: SampleResponse, fault: Fault | null = null): void => {
      record.status = made.status
      if (!response.destroyed) sendResponse(request, response, made, fault)
    }

    const body = await readBody(request)
    if (!body) return send(errorResponse(413, 'The request body is too large'))
    const refused = options.gate()
    if (refused) return send(refused)
    const respond = () => options.respond({ method, url, headers: request.headers, match, body })
    const fault = faults.take(subject)
    const made = fault?.afterProcessing === true ? await respond() : undefined
    if (fault?.delayMs) await wait(fault.delayMs, undefined, { signal: stopped.signal })
    if (fault?.kind === 'hold') {
      await Promise.race([fault.until, isStopped])
      // As after a delay, nothing is carried out anymore.
      stopped.signal.throwIfAborted()
    }
    if (fault?.kind === 'hang') return
    if (fault?.kind === 'reset' && fault.afterBytes === undefined) return void request.socket.resetAndDestroy()
    const replacement = fault && faultResponse(fault)
    if (replacement) return send(replacement)
    send(made ?? (await respond()), fault)
  }

  const server: Server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    log.inProgress += 1
    serve(request, response)
      .catch((error: unknown) => {
        if (stopped.signal.aborted || response.destroyed || response.headersSent) return
        const message = error instanceof Error ? error.message : String(error)
        sendResponse(request, response, errorResponse(500, message), null)
      })
      .finally(() => (log.inProgress -= 1))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    /** Stops listening and destroys the connections that are open. */
    close: () =>
      new Promise<void>((resolve) => {
        stopped.abort()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const loginPage = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in</title></head>
<body><h1>Your session has expired</h1>
<form method="post" action="/login"><input name="user"><button>Sign in</button></form></body></html>
`

/** Returns the response that a fault sends instead of the real one, or null if it needs the real one. */
function faultResponse(fault: Fault): SampleResponse | null {
  switch (fault.kind) {
    case 'status': {
      const error = errorResponse(fault.status, fault.message ?? `A fault of the sample service: ${fault.status}`)
      if (fault.retryAfter === undefined) return error
      return { ...error, headers: { ...error.headers, 'Retry-After': String(fault.retryAfter) } }
    }
    case 'html':
      return {
        status: fault.status ?? 200,
        headers: { 'Content-Type': 'text/html; charset=utf-8' },
        body: Buffer.from(loginPage),
      }
    case 'body':
      return {
        status: fault.status ?? 200,
        headers: { 'Content-Type': fault.contentType ?? 'application/json' },
        body: Buffer.from(fault.body),
      }
    case 'redirect':
      return { status: fault.status ?? 302, headers: { Location: fault.to }, body: Buffer.alloc(0) }
    default:
      return null
  }
}

/** Sends a response, damaged if a fault requires it. HEAD requests get only the headers. */
function sendResponse(
  request: IncomingMessage,
  response: ServerResponse,
  made: SampleResponse,
  fault: Fault | null,
): void {
  const { status, body } = made
  const headers: Record<string, string> = { ...made.headers }
  if (fault?.kind === 'contentType') headers['Content-Type'] = fault.contentType
  const withLength = { ...headers, 'Content-Length': String(body.length) }
  const socket = request.socket
  switch (fault?.kind) {
    case 'reset': {
      const part = body.subarray(0, fault.afterBytes ?? 0)
      response.writeHead(status, withLength)
      sendPart(response, part, () => socket.resetAndDestroy())
      return
    }
    case 'truncate': {
      const part = body.subarray(0, fault.keepBytes ?? Math.floor(body.length / 2))
      if (fault.framing === 'close') {
        response.useChunkedEncodingByDefault = false
        response.writeHead(status, { ...headers, Connection: 'close' }).end(part)
        return
      }
      response.writeHead(status, fault.framing === 'contentLength' ? withLength : headers)
      sendPart(response, part, () => socket.destroySoon())
      return
    }
    case 'endless':
      response.writeHead(status, headers)
      sendEndlessly(response, body)
      return
    case 'trickle':
      response.writeHead(status, withLength)
      trickle(response, body, fault.bytesPerSecond ?? 1)
      return
    default:
      // A 304 has no body and no length.
      response.writeHead(status, status === 304 ? headers : withLength)
      response.end(request.method === 'HEAD' || status === 304 ? undefined : body)
  }
}

function sendPart(response: ServerResponse, part: Buffer, onSent: () => void): void {
  response.flushHeaders()
  if (part.length > 0) response.write(part, onSent)
  else setImmediate(onSent)
}

function sendEndlessly(response: ServerResponse, start: Buffer): void {
  const filler = Buffer.alloc(64 * 1024, 'endless ')
  const pump = (): void => {
    while (!response.destroyed && response.write(filler));
  }
  response.on('drain', pump)
  response.write(start)
  pump()
}

function trickle(response: ServerResponse, body: Buffer, bytesPerSecond: number): void {
  // Timers are no faster than some hundred times a second.
  const piece = Math.ceil(bytesPerSecond / 100)
  let sent = 0
  response.flushHeaders()
  const timer = setInterval(
    () => {
      if (sent < body.length) response.write(body.subarray(sent, (sent += piece)))
      if (sent < body.length) return
      clearInterval(timer)
      response.end()
    },
    (1000 * piece) / bytesPerSecond,
  )
  response.on('close', () => clearInterval(timer))
}
