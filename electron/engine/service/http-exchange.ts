import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import got, { type Response } from 'got'
import type { Outbound } from './outbound.ts'
import { JsonBounds } from './readers/json-bounds.ts'
import { isRedirect } from './redirects.ts'
import { maxRetryAfterLength } from './retry-rules.ts'

/**
 * Maximum milliseconds for each phase of an exchange; `socket` is the time without data, also while the head of the
 * answer is waited for, `request` the total.
 */
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
 * The service documents no times. A phone's hotspot needs seconds to connect; a long list of checklists may take a
 * minute to generate; after two minutes the answer would be out of date.
 */
export const defaultTimeouts: CallTimeouts = {
  lookup: 10_000,
  connect: 15_000,
  secureConnect: 15_000,
  socket: 60_000,
  send: 30_000,
  response: 60_000,
  request: 120_000,
}

/**
 * Enough for thousands of checklists or media records with their links: far more than any project has. As text and as
 * values, it takes up to 80 MB while it is read.
 */
const maxAnswerBytes = 12 * 1024 * 1024

/** The body of an error is read only for its reasons. */
const maxErrorBytes = 64 * 1024

/** Error for an answer with more bytes, values, or levels than any that the service should send. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError'
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  /** JSON text. */
  readonly body?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Called when the connection is established: from now on the server may have the request. */
  readonly onConnected?: () => void
  /** Called with each piece of the answer's body. */
  readonly onData?: (() => void) | undefined
}

export interface PagingHeaders {
  readonly link: string | undefined
  readonly contentRange: string | undefined
  /** Numbers of all entries, under the names in use. */
  readonly totals: readonly (string | undefined)[]
  readonly totalPages: string | undefined
  readonly nextPage: string | undefined
  /** JSON text. */
  readonly pagination: string | undefined
}

export interface HttpAnswer {
  readonly status: number
  readonly location: string | undefined
  readonly retryAfter: string | undefined
  /** Time of the answer by the clock of the service. */
  readonly date: string | undefined
  readonly contentType: string | undefined
  /** Headers that may mark the answer as one page of several. */
  readonly paging: PagingHeaders
  /** Complete for a 2xx; empty for a redirect; for anything else, at most the first part. */
  readonly body: string
}

const client = got.extend({
  // Retries must wait for the rate budget, and redirects must not send the token elsewhere: the caller decides both.
  retry: { limit: 0 },
  followRedirect: false,
  throwHttpErrors: false,
  headers: { 'user-agent': 'Solarchive', accept: 'application/json' },
})

/**
 * Sends one request and returns its answer, whatever the status. Rejects with OutboundError and the errors of got or
 * Node, which may contain the URL and its token: always redact them.
 */
export function exchange(request: HttpRequest, timeouts: CallTimeouts, outbound: Outbound): Promise<HttpAnswer> {
  // Nothing was sent if the issuer of the certificate was not known.
  return outbound.withMoreTrust(() => exchangeOnce(request, timeouts, outbound))
}

async function exchangeOnce(request: HttpRequest, timeouts: CallTimeouts, outbound: Outbound): Promise<HttpAnswer> {
  const { method, url, body, signal, onData } = request
  // Orders use a new connection: a reused one may be closed by the server during the call, leaving the outcome unknown.
  const agent = await outbound.agentsFor(url, { isFresh: body !== undefined })
  signal?.throwIfAborted()
  const stream = client.stream(url, {
    method,
    timeout: { ...timeouts },
    agent,
    ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
    ...(signal === undefined ? {} : { signal }),
  })
  let response: Response | undefined
  stream.once('response', (head: Response) => {
    response = head
    if (isRedirect(head.statusCode, head.headers.location)) stream.destroy()
  })
  stream.once('request', (sent: ClientRequest) => {
    if (request.onConnected !== undefined) onceConnected(sent, url.protocol, request.onConnected)
  })
  // Errors after the outcome is known, while the stream is destroyed, are irrelevant.
  stream.on('error', () => undefined)
  // Without an encoding, a stream's chunks are bytes.
  const received: AsyncIterable<Uint8Array> = stream
  const bounds = new JsonBounds()
  const decoder = new TextDecoder()
  let answered = ''
  let size = 0
  try {
    for await (const chunk of received) {
      onData?.()
      answered += decoder.decode(chunk, { stream: true })
      size += chunk.byteLength
      if (!isSuccess(response)) {
        if (size > maxErrorBytes) break
      } else if (size > maxAnswerBytes || !bounds.add(chunk)) {
        throw new AnswerTooLargeError('The answer is too large or nested too deeply.')
      }
    }
  } catch (error) {
    // The status of a refusal is more useful than the error of its incomplete body.
    if (response === undefined || isSuccess(response) || signal?.aborted === true) throw error
  } finally {
    stream.destroy()
  }
  if (response === undefined) throw Object.assign(new Error('There was no answer'), { code: 'ECONNRESET' })
  return {
    status: response.statusCode,
    location: response.headers.location,
    retryAfter: response.headers['retry-after']?.slice(0, maxRetryAfterLength),
    date: response.headers.date?.slice(0, maxRetryAfterLength),
    contentType: response.headers['content-type'],
    paging: {
      link: headerText(response, 'link'),
      contentRange: headerText(response, 'content-range'),
      totals: [headerText(response, 'x-total-count'), headerText(response, 'x-total')],
      totalPages: headerText(response, 'x-total-pages'),
      nextPage: headerText(response, 'x-next-page'),
      pagination: headerText(response, 'x-pagination'),
    },
    body: answered + decoder.decode(),
  }
}

/**
 * Calls `onConnected` once the connection is established; before that, Node sends nothing of the request. With `https`,
 * that is after the handshake.
 */
function onceConnected(sent: ClientRequest, protocol: string, onConnected: () => void): void {
  const listen = (socket: Socket) => {
    // A reused connection is already established.
    if (!socket.connecting) onConnected()
    else socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', onConnected)
  }
  if (sent.socket === null) sent.once('socket', listen)
  else listen(sent.socket)
}

function headerText(response: Response, name: string): string | undefined {
  const value = response.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

function isSuccess(response: Response | undefined): boolean {
  return response !== undefined && response.statusCode >= 200 && response.statusCode < 300
}
