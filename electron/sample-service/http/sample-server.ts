import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { errorAnswer } from './answer.ts'
import type { Answer } from './answer.ts'
import type { FaultControl } from './faults.ts'
import type { RequestLog, RequestRecord } from './request-log.ts'
import { matchRoute } from './routes.ts'
import type { Origin, RouteMatch } from './routes.ts'
import { faultAnswer, leavesUnanswered, sendAnswer } from './send-answer.ts'

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

export interface SampleServer {
  readonly port: number
  /** Stops listening and destroys the connections that are open. */
  close(): Promise<void>
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size <= maxBodyBytes) parts.push(part)
  }
  return size > maxBodyBytes ? null : Buffer.concat(parts)
}

/** One of the two servers, on 127.0.0.1: logs each request, lets faults have it, else has it answered. */
export async function startServer(parts: {
  readonly origin: Origin
  readonly port: number
  readonly faults: FaultControl
  readonly log: RequestLog
  readonly nowMs: () => number
  /** Comes before faults: what no request gets past; null lets it through. */
  readonly gate: () => Answer | null
  readonly answer: (request: ServedRequest) => Answer | Promise<Answer>
}): Promise<SampleServer> {
  const { origin, faults, log } = parts
  const stopped = new AbortController()

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const method = request.method ?? 'GET'
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const match = matchRoute(origin, url.pathname)
    const subject = { origin, route: match.route, method, path: url.pathname, search: url.search }
    const record: RequestRecord = { ...subject, headers: request.headers, at: parts.nowMs(), status: null }
    log.add(record)
    const send = (answer: Answer, fault: ReturnType<FaultControl['take']> = null): void => {
      record.status = answer.status
      if (!response.destroyed) sendAnswer(request, response, answer, fault)
    }

    const body = await readBody(request)
    if (!body) return send(errorAnswer(413, 'The request body is too large'))
    const refused = parts.gate()
    if (refused) return send(refused)
    const answer = () => parts.answer({ method, url, headers: request.headers, match, body })
    const fault = faults.take(subject)
    const made = fault?.afterDeed === true ? await answer() : undefined
    if (fault?.delayMs) await wait(fault.delayMs, undefined, { signal: stopped.signal })
    if (fault && leavesUnanswered(fault)) {
      if (fault.kind === 'reset') request.socket.resetAndDestroy()
      return
    }
    const instead = fault && faultAnswer(fault)
    if (instead) return send(instead)
    send(made ?? (await answer()), fault)
  }

  const server: Server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (stopped.signal.aborted || response.destroyed || response.headersSent) return
      sendAnswer(request, response, errorAnswer(500, error instanceof Error ? error.message : String(error)), null)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(parts.port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        stopped.abort()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
