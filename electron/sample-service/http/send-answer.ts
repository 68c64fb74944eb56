import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorAnswer } from './answer.ts'
import type { Answer } from './answer.ts'
import type { Fault } from './faults.ts'

const loginPage = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in</title></head>
<body><h1>Your session has expired</h1><form method="post" action="/login"><input name="user"><button>Sign in</button></form></body></html>
`

/** The answer that a fault gives instead of the real one; null when the real one is needed. */
export function faultAnswer(fault: Fault): Answer | null {
  switch (fault.kind) {
    case 'status': {
      const answer = errorAnswer(fault.status, fault.message ?? `The sample service was told to answer ${fault.status}`)
      if (fault.retryAfter === undefined) return answer
      return { ...answer, headers: { ...answer.headers, 'Retry-After': String(fault.retryAfter) } }
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

/** Whether a fault needs no answer at all. */
export function leavesUnanswered(fault: Fault): boolean {
  return fault.kind === 'hang' || (fault.kind === 'reset' && fault.afterBytes === undefined)
}

/** Sends an answer, spoilt on the way by a fault where there is one. HEAD requests get the headers only. */
export function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  fault: Fault | null,
): void {
  const { status, body } = answer
  const headers: Record<string, string> = { ...answer.headers }
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
      trickle(response, body, 1000 / (fault.bytesPerSecond ?? 1))
      return
    default:
      // A 304 has no body and tells no length of one.
      response.writeHead(status, status === 304 ? headers : withLength)
      response.end(request.method === 'HEAD' || status === 304 ? undefined : body)
  }
}

function sendPart(response: ServerResponse, part: Buffer, then: () => void): void {
  response.flushHeaders()
  if (part.length > 0) response.write(part, then)
  else setImmediate(then)
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

function trickle(response: ServerResponse, body: Buffer, everyMs: number): void {
  let sent = 0
  response.flushHeaders()
  const timer = setInterval(() => {
    if (sent < body.length) response.write(body.subarray(sent, ++sent))
    if (sent < body.length) return
    clearInterval(timer)
    response.end()
  }, everyMs)
  response.on('close', () => clearInterval(timer))
}
