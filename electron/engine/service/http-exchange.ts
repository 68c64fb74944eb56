import { Agent as HttpAgent, type ClientRequest } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import got, { type Response } from 'got'

/** Milliseconds that each phase of one exchange may take; `socket` is silence, `request` is everything together. */
export interface CallTimeouts {
  readonly lookup: number
  readonly connect: number
  readonly secureConnect: number
  readonly socket: number
  readonly send: number
  readonly response: number
  readonly request: number
}

/**
 * The service documents no times. A phone's hotspot on a roof needs seconds to connect; a list of checklists that the
 * service puts together may take its minute; after two minutes the answer would be out of date.
 */
export const defaultTimeouts: CallTimeouts = {
  lookup: 10_000,
  connect: 15_000,
  secureConnect: 15_000,
  socket: 30_000,
  send: 30_000,
  response: 60_000,
  request: 120_000,
}

/** Tens of thousands of checklists or media records: far above any project, far below what hurts a small machine. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024

/** Of an error's body only the reasons are read. */
const MAX_ERROR_BYTES = 64 * 1024

/** The answer was larger than any the service has reason to give. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError'
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** A connection came about: from now on the other side may have the request. */
  readonly onConnected?: () => void
}

export interface PagingHeaders {
  readonly link: string | undefined
  readonly totalCount: string | undefined
  readonly contentRange: string | undefined
}

export interface HttpAnswer {
  readonly status: number
  readonly location: string | undefined
  readonly retryAfter: string | undefined
  readonly contentType: string | undefined
  /** Headers by which an answer may say that it is one page of several. */
  readonly paging: PagingHeaders
  /** Whole for a 2xx, at most the first part for anything else. */
  readonly body: string
}

const client = got.extend({
  // Retries wait for the rate budget, and redirects must not carry the token away: both are decided by the caller.
  retry: { limit: 0 },
  followRedirect: false,
  throwHttpErrors: false,
  headers: { 'user-agent': 'Solarchive', accept: 'application/json' },
})

/** A reused connection may be closed by the other side while an order is on its way: was it placed or not? */
const freshConnection = { http: new HttpAgent({ keepAlive: false }), https: new HttpsAgent({ keepAlive: false }) }

/**
 * One request, one answer, of any status. Rejects with what got or Node threw, which may hold the URL and its token:
 * never pass it on as it is.
 */
export async function exchange(request: HttpRequest, timeouts: CallTimeouts): Promise<HttpAnswer> {
  const { method, url, headers, body, signal } = request
  const stream = client.stream(url, {
    method,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    timeout: { ...timeouts },
    ...(body === undefined ? {} : { body, agent: freshConnection }),
    ...(signal === undefined ? {} : { signal }),
  })
  let response: Response | undefined
  stream.once('response', (head: Response) => {
    response = head
  })
  stream.once('request', (sent: ClientRequest) => {
    if (request.onConnected !== undefined) onceConnected(sent, url.protocol, request.onConnected)
  })
  // What breaks while the stream is taken down, after its outcome is known, is nobody's business.
  stream.on('error', () => undefined)
  // Without an encoding, a stream's chunks are bytes.
  const arriving: AsyncIterable<Uint8Array> = stream
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of arriving) {
      chunks.push(chunk)
      size += chunk.byteLength
      if (size > MAX_ERROR_BYTES && !isSuccess(response)) break
      if (size > MAX_ANSWER_BYTES) throw new AnswerTooLargeError('The answer is larger than any that is expected.')
    }
  } catch (error) {
    // The status of a refusal says more than the way in which its body broke off.
    if (response === undefined || isSuccess(response) || signal?.aborted === true) throw error
  } finally {
    stream.destroy()
  }
  if (response === undefined) throw Object.assign(new Error('No answer came'), { code: 'ECONNRESET' })
  return {
    status: response.statusCode,
    location: response.headers.location,
    retryAfter: response.headers['retry-after'],
    contentType: response.headers['content-type'],
    paging: {
      link: headerText(response, 'link'),
      totalCount: headerText(response, 'x-total-count'),
      contentRange: headerText(response, 'content-range'),
    },
    body: new TextDecoder().decode(Buffer.concat(chunks)),
  }
}

/** Node writes nothing of a request before its connection stands; behind `https` that is after the handshake. */
function onceConnected(sent: ClientRequest, protocol: string, onConnected: () => void): void {
  const follow = (socket: Socket) => {
    // One that is used again stood before.
    if (!socket.connecting) onConnected()
    else socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', onConnected)
  }
  if (sent.socket === null) sent.once('socket', follow)
  else follow(sent.socket)
}

function headerText(response: Response, name: string): string | undefined {
  const value = response.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

function isSuccess(response: Response | undefined): boolean {
  return response !== undefined && response.statusCode >= 200 && response.statusCode < 300
}
